# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution as a plain tile program: a gemm over the taps of the filter and the channels.

Y[pixels, F] = conv(X[N, ..., C], W[F, ..., C]) of one to three spatial dimensions (channels last), pixels being those of
all images, row by row. Any extents, strides, dilations and paddings. Nothing in the program names an instruction.
"""

import dataclasses

from .gemm import HEAD, SHORT, memref


@dataclasses.dataclass(frozen=True)
class Conv:
    kernel: tuple = (3, 3)
    strides: tuple = ()
    dilations: tuple = ()
    pad: tuple = ()  # below; of each spatial dimension
    pad_upper: tuple = ()  # as below where not stated
    element: str = "f16"
    out: str = ""  # the element type where not stated
    tile: tuple = (128, 128, 64)  # pixels, filters, channels of a step
    threads: int = 256
    stages: int = 4
    persistent: int = 0
    panel: int = 0
    cluster: tuple = (1, 1)  # blocks along filters and along pixels that share what they load
    specialize: bool | None = None
    tma: bool | None = None  # False forbids tensor copies, True asks for them
    promise: bool = True  # channels and filters are multiples of 16 bytes
    relu: bool = False
    channels: int = 0  # static, where not 0
    name: str = ""

    def rank(self):
        return len(self.kernel)

    def per_dim(self, values, default):
        return tuple(values) if values else (default,) * self.rank()

    def geometry(self):
        """Strides, dilations and paddings below and above."""
        lower = self.per_dim(self.pad, 0)
        return self.per_dim(self.strides, 1), self.per_dim(self.dilations, 1), lower, tuple(self.pad_upper) or lower

    def outputs(self, size):
        """Extents of the output for spatial extents of the input."""
        strides, dilations, lower, upper = self.geometry()
        found = []
        for h, k, s, d, lo, up in zip(size, self.kernel, strides, dilations, lower, upper):
            room = h + lo + up - d * (k - 1) - 1
            found.append(room // s + 1 if room >= 0 else 0)
        return found

    def run(self, images, size, c, f):
        """What a run is given by: extents of all arguments."""
        pixels = images
        for extent in self.outputs(size):
            pixels *= extent
        return dict(images=images, C=c, F=f, pixels=pixels, **{f"S{i}": h for i, h in enumerate(size)})

    def row_multiple(self):
        return 8 if self.promise else 1

    def ident(self):
        if self.name:
            return self.name
        strides, dilations, lower, upper = self.geometry()

        def word(letter, values, default):
            return [letter + "x".join(map(str, values))] if set(values) != {default} else []

        parts = ["conv", SHORT.get(self.element, self.element), "x".join(map(str, self.kernel))]
        parts += word("s", strides, 1) + word("d", dilations, 1) + word("p", lower, 0)
        parts += word("u", upper, 0) if upper != lower else []
        parts += [f"o{self.out}"] * bool(self.out) + ["x".join(map(str, self.tile)), f"n{self.stages}", f"t{self.threads}"]
        parts += [f"P{self.persistent}"] * bool(self.persistent) + [f"panel{self.panel}"] * bool(self.panel)
        parts += ["cluster" + "x".join(map(str, self.cluster))] * (self.cluster != (1, 1))
        parts += [] if self.specialize is None else ["spec" if self.specialize else "nospec"]
        parts += [] if self.tma is None else ["tma" if self.tma else "notma"]
        parts += ["free"] * (not self.promise) + ["relu"] * self.relu + [f"c{self.channels}"] * bool(self.channels)
        return "_".join(parts)

    def arguments(self):
        size = [f"S{i}" for i in range(self.rank())]
        return [
            ("X", self.element, ["images", *size, "C"], "r", False),
            ("W", self.element, ["F", *self.kernel, "C"], "r", False),
            ("Y", self.out or self.element, ["pixels", "F"], "w", False),
        ]

    def text(self):
        return conv_text(self)


def conv_text(p):
    t, out = p.element, p.out or p.element
    bm, bn, bk = p.tile
    rank, c = p.rank(), p.channels or "?"
    strides, dilations, lower, upper = p.geometry()
    x, w, y = memref(["?"] * (rank + 1) + [c], t), memref(["?", *p.kernel, c], t), memref(["?", "?"], out)
    xs, ws = memref([bm, bk], t, "#shared"), memref([bn, bk], t, "#shared")
    acc = memref([bm, bn], "f32", "#tile.fragment")
    aligned = " {tile.alignment = 16}" if p.promise else ""
    kernel = [f"panel = {p.panel} : i64"] * bool(p.panel) + [f"persistent = {p.persistent} : i64"] * bool(p.persistent)
    kernel += [] if p.specialize is None else [f"specialize = {str(p.specialize).lower()}"]
    attributes = f" attributes {{{', '.join(kernel)}}}" if kernel else ""
    hint = {None: "", False: " {disable_tma}", True: " {prefer = #tile.copy_instruction<tma>}"}[p.tma]

    taps = 1
    for extent in p.kernel:
        taps *= extent
    # The tap's position, the last dimension fastest.
    position, left = [], "%tap"
    for i in range(rank - 1, 0, -1):
        k = f"%ck{i}"
        position.append(f"    %r{i} = arith.remui {left}, {k} : index\n    %left{i} = arith.divui {left}, {k} : index\n")
        left = f"%left{i}"
    position = "".join(position)
    filter_ = ", ".join([left] + [f"%r{i}" for i in range(1, rank)])
    constants = "".join(f"  %ck{i} = arith.constant {p.kernel[i]} : index\n" for i in range(1, rank))
    promises = ""
    if p.promise:
        promises = "".join(
            f"""  %{row} = memref.dim %{name}, %c{dim} : {type_}
  tile.assume %{row} {{divisible_by = 8 : i64}} : index
"""
            for row, name, dim, type_, static in (
                ("rowX", "X", rank + 1, x, p.channels),
                ("rowW", "W", rank + 1, w, p.channels),
                ("rowY", "Y", 1, y, 0),
            )
            if not static
        )
    words = f"kernel {list(p.kernel)}"
    for name, values, default in (
        ("strides", strides, 1),
        ("dilations", dilations, 1),
        ("pad_lower", lower, 0),
        ("pad_upper", upper, 0),
    ):
        if set(values) != {default}:
            words += f" {name} {list(values)}"
    body = ""
    if p.relu:
        body = f"""  tile.parallel (%i, %j) in ({bm}, {bn}) {{
    %v = memref.load %acc[%i, %j] : {acc}
    %r = arith.maximumf %v, %zero : f32
    memref.store %r, %acc[%i, %j] : {acc}
  }}
"""
    grid, cluster = [], ""
    for dim, extent, blocks in ((1, bn, p.cluster[0]), (0, bm, p.cluster[1])):
        count = f"dim(%Y, {dim}) ceildiv {extent * blocks}"
        grid.append(f"({count}) * {blocks}" if blocks > 1 else count)
    if p.cluster != (1, 1):
        cluster = f" cluster({p.cluster[0]}, {p.cluster[1]})"
    return f"""{HEAD}tile.kernel @{p.ident()}(%X: {x}{aligned}, %W: {w}{aligned}, %Y: {y}{aligned})
    grid(%bx, %by) = ({', '.join(grid)}) threads({p.threads}){cluster}{attributes} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c{rank + 1} = arith.constant {rank + 1} : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %taps = arith.constant {taps} : index
{constants}  %zero = arith.constant 0.0 : f32
{promises}  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %channels = memref.dim %X, %c{rank + 1} : {x}
  %chunks = arith.ceildivui %channels, %bk : index
  %steps = arith.muli %chunks, %taps : index
  %Xs = tile.alloc : {xs}
  %Ws = tile.alloc : {ws}
  %acc = tile.alloc : {acc}
  tile.fill %acc with %zero : {acc}, f32
  // All taps of some channels, then of the next ones.
  tile.pipelined %step = %c0 to %steps step %c1 stages({p.stages}) {{
    %tap = arith.remui %step, %taps : index
    %chunk = arith.divui %step, %taps : index
    %channel = arith.muli %chunk, %bk : index
{position}    tile.im2col %X pixel %m filter [{filter_}] channel %channel to %Xs {words}{hint}
        : {x} to {xs}
    tile.copy %W[%n, {filter_}, %channel] sizes [{', '.join(map(str, [bn] + [1] * rank + [bk]))}] to %Ws{hint} : {w} to {ws}
    tile.gemm %Xs, %Ws, %acc {{transpose_b}} : {xs}, {ws}, {acc}
  }}
{body}  tile.copy %acc to %Y[%m, %n] : {acc} to {y}
}}
"""
