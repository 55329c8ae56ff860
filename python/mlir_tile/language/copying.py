# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between regions, transposes, im2col."""

from .barriers import one_barrier
from .buffers import Buffer, Region, region_of
from .builder import current
from .errors import fail
from .mathematics import And
from .ranges import bounds
from .statements import Store
from .values import Load, cast, number_of, select

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
    """Both regions with their extents: one without takes the other's, ones widen, from the
    right."""
    from_, to = region_of(source, construct), region_of(target, construct)
    bare_source, bare_target = isinstance(source, Load), isinstance(target, Load)
    a = [1] * len(to.extents) if bare_source else list(from_.extents)
    b = [1] * len(from_.extents) if bare_target else list(to.extents)
    if bare_source and bare_target:
        return from_, to
    wide = [sum(not _is_one(x) for x in extents) for extents in (a, b)]
    if not _same_box(a, b) and wide[0] != wide[1]:
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


_LEVELS = {"global": 0, "shared": 1, "fragment": 2, "local": 2}


def _agree(source, target, construct):
    """Both regions with one box, where their extents differ or are known only at run time.

    As in TileLang: the box of the side whose memory is nearer to the threads counts, else that of
    the source. Extents of a tile that are known and differ from the other side's are an error,
    unless that is the last part of a tensor: what the tile has more of is zero, or dropped.
    """
    levels = [_LEVELS.get(x.buffer.space, 2) for x in (source, target)]
    if any(levels) and _known(source) and _known(target):
        if not (_overhangs(source, target) or _overhangs(target, source)):
            _differ(source, target, construct)
    base = source if levels[0] >= levels[1] else target
    wide = [[x for x in r.extents if not _is_one(x)] for r in (source, target)]
    counts = wide[0] if base is source else wide[1]
    if len(wide[0]) != len(wide[1]):
        _differ(source, target, construct)
    for x, y in zip(counts, wide[0]):
        high, low = bounds(x)[1], bounds(y)[0]
        if high is not None and low is not None and high < low:
            _differ(source, target, construct)
    return [_with_box(r, counts) for r in (source, target)]


def _overhangs(tensor, tile):
    """Whether a tile is a part of a tensor and more than that only behind the tensor's end."""
    if tensor.buffer.space != "global" or tile.buffer.space == "global":
        return False
    sides = zip(tensor.offsets, tensor.extents, tensor.buffer.shape)
    parts = [(offset, x, size) for offset, x, size in sides if not _is_one(x)]
    wide = [x for x in tile.extents if not _is_one(x)]
    if len(parts) != len(wide):
        return False

    def fits(offset, x, size, more):
        return x == more or (x < more and number_of(offset) is not None and size == offset + x)

    return all(fits(*part, more) for part, more in zip(parts, wide))


def _is_one(x):
    return isinstance(x, int) and x == 1


def _differ(source, target, construct):
    fail(
        f"{construct}: the extents of both sides differ: {list(source.extents)} of"
        f" {source.buffer.name}, {list(target.extents)} of {target.buffer.name}"
    )


def _with_box(region, counts):
    left = list(counts)
    extents = [x if _is_one(x) else left.pop(0) for x in region.extents]
    return Region(region.buffer, region.offsets, extents)


def _fits(region):
    """Whether a box is known and lies in its tile; what overhangs a tensor is dropped anyway."""
    if not all(isinstance(x, int) for x in region.extents):
        return False
    if region.buffer.space == "global":
        return True
    for offset, x, size in zip(region.offsets, region.extents, region.buffer.shape):
        low, high = bounds(offset)
        if x > size or (high is not None and high + x > size) or (low is not None and low < 0):
            return False
    return True


def _by_element(builder, source, target):
    """A copy whose box is known only at run time, or overhangs a tile."""
    from .loop import Parallel

    counts = [x for x in source.extents if not _is_one(x)]
    for indices in Parallel(*(counts or [1])).run(builder):
        listed = indices if isinstance(indices, tuple) else (indices,)
        places, inside = [], []
        for region in (source, target):
            left, place = list(listed), []
            for offset, x in zip(region.offsets, region.extents):
                place.append(offset if _is_one(x) else left.pop(0) + offset)
            places.append(tuple(place))
            inside.append(_inside(region.buffer, place))
        value = cast(Load(source.buffer, places[0]), target.dtype)
        if inside[0] is not True:
            value = select(inside[0], value, cast(0, target.dtype))
        branch = builder.branch(inside[1])
        if builder.then(branch):
            builder.add(Store(target.buffer, places[1], value))
        builder.end(branch)


def _inside(buffer, place):
    """The condition that an element of a tile exists; of a tensor every access has one anyway."""
    result = True
    if buffer.space == "global":
        return result
    for x, size in zip(place, buffer.shape):
        low, high = bounds(x)
        if high is None or high >= size:
            result = And(result, x < size)
        if low is None or low < 0:
            result = And(result, x >= 0)
    return result


def _of_variables(source, target, construct):
    """A variable is a source as its value, and a target that is assigned: then there is no other
    target left."""
    if isinstance(source, Buffer) and source.is_var:
        source = source.as_load()
    if not (isinstance(target, Buffer) and target.is_var):
        return source, target
    if not isinstance(source, Load):
        region = region_of(source, construct)
        if not all(map(_is_one, region.extents)):
            fail(f"{construct}: expected one element for the variable {target.name}, got {source!r}")
        source = Load(region.buffer, tuple(region.offsets))
    current(construct).assign(target, source)
    return source, None


def emit_copy(name, source, target, construct, **options):
    """Records a copy of one region to another."""
    builder = current(construct)
    source, target = _of_variables(source, target, construct)
    if target is None:
        return
    if isinstance(source, Load) and isinstance(target, Load) and not options.get("tile"):
        builder.add(Store(target.buffer, target.indices, cast(source, target.dtype)))
        return
    options.pop("tile", None)
    if not isinstance(source, (Buffer, Region, Load)):
        fail(f"{construct}: expected a buffer or a region as the source, got {source!r}")
    if not isinstance(target, (Buffer, Region, Load)):
        fail(f"{construct}: expected a buffer or a region as the target, got {target!r}")
    a, b = _pair(source, target, construct)
    if not (_same_box(a.extents, b.extents) and _known(a) and _known(b)):
        a, b = _agree(a, b, construct)
        if not (_fits(a) and _fits(b)):
            if name != "copy":
                fail(f"{construct}: expected regions of known extents inside their tiles")
            _by_element(builder, a, b)
            return
    builder.tile(name, source=a, target=b, **options)


def _known(region):
    return all(isinstance(x, int) for x in region.extents)


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
    """Copies a region to another, in any pair of memories; elements are converted.

    A region of a tensor copied to itself moves nothing: it is asked for in the L2 cache.
    """
    annotations = dict(annotations or {})
    coalesced_width = annotations.get("coalesced_width", coalesced_width)
    disable_tma = annotations.get("disable_tma", disable_tma)
    eviction_policy = annotations.get("eviction_policy", eviction_policy)
    prefer = annotations.get("prefer_instruction", prefer_instruction)
    if eviction_policy not in _POLICIES:
        fail(
            "T.copy: expected an eviction policy of evict_normal, evict_first or evict_last, got"
            f" {eviction_policy!r}"
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
    """A copy by the tensor memory accelerator.

    `barrier`: what reads the tile waits at this barrier (T.alloc_barrier), at which T.barrier_arrive
    follows the copy; the phase is not complete before the copy is. Without a barrier what reads the
    tile waits by itself.
    """
    if cluster_mask is not None:
        from .clusters import of_first_block

        src = of_first_block("T.tma_copy", src, cluster_mask)
    emit_copy(
        "copy",
        src,
        dst,
        "T.tma_copy",
        policy=_POLICIES.get(eviction_policy),
        barrier=None if barrier is None else one_barrier("T.tma_copy(barrier=...)", barrier),
    )


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
    """A tile of the matrix of an implicit convolution: rows are output pixels, columns (filter,
    channel)."""
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
