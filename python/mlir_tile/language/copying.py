# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between regions, transposes, im2col."""

from .buffers import Buffer, Region, region_of
from .builder import current
from .errors import fail, unsupported
from .ranges import bounds
from .statements import Store
from .values import Load, cast

_POLICIES = {
    None: None,
    0: None,
    1: "first",
    2: "last",
    "evict_normal": None,
    "evict_first": "first",
    "evict_last": "last",
}
_INSTRUCTIONS = {None: None, "tma": "tma", "cp_async": "cp_async", "sync": None, "simt": None}


def _same_box(a, b):
    """Whether extents agree once ones are dropped."""
    a, b = [x for x in a if x != 1], [x for x in b if x != 1]
    return len(a) == len(b) and all(x is y or x == y for x, y in zip(a, b))


def _pair(source, target, construct):
    """Both regions with their extents: one without takes the other's, ones widen, from the right."""
    from_, to = region_of(source, construct), region_of(target, construct)
    bare_source, bare_target = isinstance(source, Load), isinstance(target, Load)
    a = [1] * len(to.extents) if bare_source else list(from_.extents)
    b = [1] * len(from_.extents) if bare_target else list(to.extents)
    if bare_source and bare_target:
        return from_, to
    if not _same_box(a, b):
        for i in range(1, min(len(a), len(b)) + 1):
            if isinstance(a[-i], int) and a[-i] == 1:
                a[-i] = b[-i]
            elif isinstance(b[-i], int) and b[-i] == 1:
                b[-i] = a[-i]
        if len(a) < len(b):
            a = b[: len(b) - len(a)] + a
        elif len(b) < len(a):
            b = a[: len(a) - len(b)] + b
    a, b = _fit(a, from_, construct), _fit(b, to, construct)
    return Region(from_.buffer, from_.offsets, a), Region(to.buffer, to.offsets, b)


def _fit(extents, region, construct):
    """Extents for each dimension of the buffer: ones in front, or dropped there."""
    rank = len(region.offsets)
    extents = list(extents)
    while len(extents) > rank and 1 in extents:
        extents.remove(1)
    if len(extents) > rank:
        fail(f"{construct}: a region of {len(extents)} dimensions does not fit {region.buffer!r}")
    return [1] * (rank - len(extents)) + extents


def _clip(source, target, construct):
    """Extents that are known; one of run time is refused."""
    if _same_box(source.extents, target.extents):
        pass
    elif all(isinstance(x, int) for x in (*source.extents, *target.extents)):
        fail(
            f"{construct}: the extents of both sides differ: {list(source.extents)} of {source.buffer.name}, "
            f"{list(target.extents)} of {target.buffer.name}"
        )
    known = []
    for region, _other in ((source, target), (target, source)):
        if all(isinstance(x, int) for x in region.extents):
            known.append(region)
            continue
        known.append(None)
    if known[0] is None and known[1] is None:
        unsupported(
            f"{construct} of a region whose extents are known only at run time ({source!r})",
            "copy tiles of a fixed size: what overhangs a tensor reads as zero and is not stored",
        )
    return source, target


def emit_copy(name, source, target, construct, **options):
    """Records a copy of one region to another."""
    builder = current(construct)
    if isinstance(source, Load) and isinstance(target, Load) and not options.get("tile"):
        builder.add(Store(target.buffer, target.indices, cast(source, target.dtype)))
        return
    options.pop("tile", None)
    if not isinstance(source, (Buffer, Region, Load)):
        fail(f"{construct}: expected a buffer or a region as the source, got {source!r}")
    if not isinstance(target, (Buffer, Region, Load)):
        fail(f"{construct}: expected a buffer or a region as the target, got {target!r}")
    a, b = _pair(source, target, construct)
    a, b = _clip(a, b, construct)
    a, b = _dynamic(a, b, construct)
    builder.tile(name, source=a, target=b, **options)


def _dynamic(source, target, construct):
    """Where one side's extents are of run time, the other side's count where both are provably the same box."""
    sides = [source, target]
    for i, region in enumerate(sides):
        if all(isinstance(x, int) for x in region.extents):
            continue
        other = sides[1 - i]
        fixed = [x for x in other.extents if x != 1]
        extents, at = [], 0
        for x in region.extents:
            if isinstance(x, int) and x == 1:
                extents.append(1)
                continue
            if at >= len(fixed):
                unsupported(f"{construct}: extents of {region!r} that are known only at run time")
            low, high = (x, x) if isinstance(x, int) else bounds(x)
            if not (low == high == fixed[at]):
                unsupported(
                    f"{construct} of a region whose extent {x!r} is known only at run time",
                    "copy a tile of a fixed size: what overhangs a tensor reads as zero and is not stored",
                )
            extents.append(fixed[at])
            at += 1
        sides[i] = Region(region.buffer, region.offsets, extents)
    return sides


def copy(
    src,
    dst,
    coalesced_width=None,
    disable_tma=False,
    eviction_policy=None,
    prefer_instruction=None,
    annotations=None,
    loop_layout=None,
):
    """Copies a region to another, in any pair of memories; elements are converted."""
    annotations = dict(annotations or {})
    coalesced_width = annotations.get("coalesced_width", coalesced_width)
    disable_tma = annotations.get("disable_tma", disable_tma)
    eviction_policy = annotations.get("eviction_policy", eviction_policy)
    prefer = annotations.get("prefer_instruction", prefer_instruction)
    if eviction_policy not in _POLICIES:
        fail(
            f"T.copy: expected an eviction policy of evict_normal, evict_first or evict_last, got {eviction_policy!r}"
        )
    layout = loop_layout if loop_layout is not None else annotations.get("parallel_loop_layout")
    text = None
    if layout is not None:
        from .layouts import fragment_text

        text = fragment_text(layout)
    emit_copy(
        "copy",
        src,
        dst,
        "T.copy",
        coalesced_width=coalesced_width,
        disable_tma=bool(disable_tma),
        policy=_POLICIES[eviction_policy],
        prefer=_INSTRUCTIONS.get(prefer),
        layout=text,
    )


def async_copy(src, dst, *, coalesced_width=None, annotations=None, loop_layout=None):
    """A copy that may still be under way; what reads it waits."""
    emit_copy("copy", src, dst, "T.async_copy", coalesced_width=coalesced_width)


def tma_copy(
    src,
    dst,
    *,
    barrier=None,
    cluster_mask=None,
    leader_scope_threads=None,
    eviction_policy=None,
    annotations=None,
):
    """A copy by the tensor memory accelerator; what reads it waits."""
    if cluster_mask is not None:
        unsupported("T.tma_copy(cluster_mask=...)", "use T.copy")
    emit_copy("copy", src, dst, "T.tma_copy", policy=_POLICIES.get(eviction_policy))


def transpose(src, dst):
    """dst[j, i] = src[i, j]."""
    from .loop import Parallel

    builder = current("T.transpose")
    a, b = region_of(src, "T.transpose"), region_of(dst, "T.transpose")
    rows, columns = [x for x in a.extents if x != 1][-2:] if len(a.extents) > 2 else a.extents
    for i, j in Parallel(rows, columns).run(builder):
        value = src[i, j] if isinstance(src, Buffer) else a[i, j]
        (
            builder.store(dst, (j, i), value)
            if isinstance(dst, Buffer)
            else builder.store(b, (j, i), value)
        )


def im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad, eviction_policy=None):
    """A tile of the matrix of an implicit convolution: rows are output pixels, columns (filter, channel)."""
    builder = current("T.im2col")
    image, tile = region_of(img, "T.im2col"), region_of(col, "T.im2col")
    builder.tile(
        "im2col",
        source=image.buffer,
        target=tile,
        pixel=nhw_step,
        channel=c_step,
        kernel=int(kernel),
        stride=int(stride),
        dilation=int(dilation),
        pad=int(pad),
    )


c2d_im2col = im2col
