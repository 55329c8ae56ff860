# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tiles to operations of the tile dialect."""

from .errors import fail, unsupported

from .values import BOOL, Expr, Op, number_of, type_of


class Tiles:
    """The part of the emitter that writes tile operations."""

    def only_in_blocks(self, construct):
        if self.mode != "block":
            fail(f"{construct} inside of T.Parallel (or of code for single threads): it is the work of the whole block", self.location)

    def place(self, region):
        """`%buffer[offsets] sizes [...]` of a region: bare where it is the whole buffer."""
        name = self.buffer(region.buffer)
        if region.whole:
            return name
        offsets = ", ".join(map(self.index, region.offsets))
        return f"{name}[{offsets}] sizes [{', '.join(map(str, region.extents))}]"

    def whole(self, region, construct, what):
        """The name and type of a tile; a slice is a view, of full rows of the leading dimensions."""
        if region.whole:
            return self.buffer(region.buffer), self.memref(region.buffer)
        return unsupported(
            f"a slice, {region!r}, as {what} of {construct}", "copy it to a tile of its own (T.copy)", self.location
        )

    def tile_copy(self, statement, source, target, coalesced_width=None, disable_tma=False, policy=None, prefer=None, layout=None):
        if self.mode == "thread":
            return self.copy_by_thread(source, target)
        self.only_in_blocks("T.copy")
        pad = ""
        safe = source.buffer.safe_value
        if safe is not None and source.buffer.space == "global" and target.buffer.space != "global":
            value = self.value(safe, target.buffer.dtype)
            pad = f" pad({value} : {target.buffer.dtype.mlir})"
        attributes = []
        if coalesced_width:
            attributes.append(f"coalesced_width = {int(coalesced_width)} : i64")
        if disable_tma:
            attributes.append("disable_tma")
        if policy:
            attributes.append(f"eviction_policy = #tile.eviction_policy<{policy}>")
        if prefer:
            attributes.append(f"prefer = #tile.copy_instruction<{prefer}>")
        if layout:
            attributes.append(f"layout = {layout}")
        text = f" {{{', '.join(attributes)}}}" if attributes else ""
        types = f"{self.memref(source.buffer)} to {self.memref(target.buffer)}"
        self.effect(f"tile.copy {self.place(source)} to {self.place(target)}{pad}{text} : {types}")

    def tile_fill(self, statement, target, value):
        buffer = target.buffer
        if self.mode == "thread" or (self.mode == "parallel" and target.buffer.space == "local"):
            return self.fill_by_thread(target, value)
        self.only_in_blocks("T.fill")
        name = self.value(value, buffer.dtype)
        self.effect(f"tile.fill {self.place(target)} with {name} : {self.memref(buffer)}, {buffer.dtype.mlir}")
        return None

    def tile_gemm(self, statement, a, b, c, transpose_a, transpose_b, policy, clear):
        self.only_in_blocks("T.gemm")
        names, types = zip(*(self.whole(x, "T.gemm", y) for x, y in ((a, "A"), (b, "B"), (c, "C"))))
        self.check_gemm(a.dtype, b.dtype, c.dtype)
        attributes = []
        if clear:
            attributes.append("clear")
        attributes.append(f"policy = #tile.warp_policy<{policy}>")
        if transpose_a:
            attributes.append("transpose_a")
        if transpose_b:
            attributes.append("transpose_b")
        for x, y in ((a, "unsigned_a"), (b, "unsigned_b")):
            if x.dtype == "uint8":
                attributes.append(y)
        self.effect(f"tile.gemm {', '.join(names)} {{{', '.join(attributes)}}} : {', '.join(types)}")

    def check_gemm(self, a, b, c):
        """Whether there is an instruction for the types of a product."""
        x, y, z = str(a), str(b), str(c)
        narrow = ("float8_e4m3fn", "float8_e5m2")
        if (x == y == "float16" and z in ("float32", "float16")) or (x == y == "bfloat16" and z == "float32"):
            return
        if a.mlir == b.mlir == c.mlir and a.mlir in ("f32", "f64"):
            return
        if a.mlir == b.mlir == "i8" and z == "int32":
            return
        if x in narrow and y in narrow and z in ("float32", "float16"):
            return
        unsupported(
            f"T.gemm of {x} and {y} into {z}",
            "it multiplies float16 or bfloat16 into float32, float16 into float16, float32, float64, int8 or uint8 "
            "into int32, float8 into float32 or float16", self.location,
        )

    def tile_reduce(self, statement, source, target, kind, dim, accumulate, nan):
        self.only_in_blocks(f"T.reduce_{kind}")
        if kind in ("bitand", "bitor", "bitxor"):
            unsupported(f"T.reduce_{kind}", location=self.location)
        name, type_ = self.whole(source, f"T.reduce_{kind}", "the source")
        result, result_type = self.whole(target, f"T.reduce_{kind}", "the target")
        kinds = source.dtype, target.dtype
        copy = None
        if kinds[0] is not kinds[1]:
            shape = "x".join(map(str, target.buffer.shape))
            temporary = f"memref<{shape}x{kinds[0].mlir}, #tile.fragment>"
            copy = (result, result_type, temporary)
            result = self.op(f"tile.alloc : {temporary}")
            if accumulate:
                self.effect(f"tile.copy {copy[0]} to {result} : {result_type} to {temporary}")
            result_type = temporary
        attributes = []
        if source.dtype.is_unsigned and kind != "sum":
            attributes.append("is_unsigned")
        if nan:
            attributes.append("propagate_nan")
        text = f" {{{', '.join(attributes)}}}" if attributes else ""
        more = " accumulate" if accumulate else ""
        self.effect(f"tile.reduce {kind} {name} to {result} dim({dim}){more}{text} : {type_} to {result_type}")
        if copy is not None:
            self.effect(f"tile.copy {result} to {copy[0]} : {copy[2]} to {copy[1]}")

    def tile_scan(self, statement, source, target, kind, dim, reverse):
        unsupported(f"T.cum{kind}", location=self.location)

    def tile_view(self, statement, source, result):
        unsupported(
            f"T.view/T.reshape of {source!r} as {'x'.join(map(str, result.shape))} {result.dtype}", location=self.location
        )

    def tile_atomic(self, statement, source, target, kind):
        self.only_in_blocks(f"T.atomic_{kind}")
        unsigned = " {is_unsigned}" if target.dtype.is_unsigned else ""
        if source.dtype is not target.dtype:
            shape = "x".join(map(str, [x for x in source.extents if x != 1] or [1]))
            temporary = f"memref<{shape}x{target.dtype.mlir}, #tile.fragment>"
            name = self.op(f"tile.alloc : {temporary}")
            self.effect(f"tile.copy {self.place(source)} to {name} : {self.memref(source.buffer)} to {temporary}")
            text, type_ = name, temporary
        else:
            text, type_ = self.place(source), self.memref(source.buffer)
        self.effect(f"tile.atomic {kind} {text} to {self.place(target)}{unsigned} : {type_} to {self.memref(target.buffer)}")

    def tile_evaluate(self, statement, value):
        if self.mode == "block" and type(value) is Op and value.name == "atomic" and self.reads_fragments(value):
            with self.parallel_of_one():
                self.value(value)
            return
        self.value(value)

    def reads_fragments(self, atomic):
        from .emit import _reads_fragment

        return _reads_fragment(atomic.args[3], atomic.args[2])

    def tile_assert(self, statement, condition, message):
        text = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        self.effect(f'tile.assert {self.value(condition, BOOL)}, "{text}"')

    def tile_print(self, statement, value, message):
        text = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        if hasattr(value, "buffer") and hasattr(value, "extents"):
            name, type_ = self.whole(value, "T.print", "what is printed")
            self.effect(f'tile.print "{text}" {name} : {type_}')
            return
        kind = type_of(value)
        self.effect(f'tile.print "{text}" {self.value(value)} : {kind.mlir}')

    def tile_im2col(self, statement, source, target, pixel, channel, kernel, stride, dilation, pad):
        self.only_in_blocks("T.im2col")
        name, type_ = self.whole(target, "T.im2col", "the target")
        rows, columns = target.buffer.shape[-2:]
        channels = number_of(source.shape[-1])
        if channels is None or channels % columns:
            unsupported(f"T.im2col of {channels} channels in tiles of {columns} columns", "the columns must divide the channels", self.location)
        first = self.keep(pixel * rows)
        steps = channels // columns
        position = self.keep(channel // steps)
        row, column = self.keep(position // kernel), self.keep(position % kernel)
        at = self.keep((channel % steps) * columns)
        size, ones = f"[{kernel}, {kernel}]", f"[{stride}, {stride}]"
        self.effect(
            f"tile.im2col {self.buffer(source)} pixel {self.index(first)} filter [{self.index(row)}, {self.index(column)}] "
            f"channel {self.index(at)} to {name} kernel {size} strides {ones} dilations [{dilation}, {dilation}] "
            f"pad_lower [{pad}, {pad}] pad_upper [{pad}, {pad}] : {self.memref(source)} to {type_}"
        )


