# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tiles to operations of the tile dialect."""

from .buffers import SPACES, row_major
from .errors import StructureError, fail, unsupported
from .values import BOOL, Op, number_of, type_of


def _has_sign(source, target):
    """Whether a conversion is that of tile operations, which take integers for signed ones."""
    if source.is_bool or target.is_bool:
        return source is target
    if source.is_unsigned:
        return target.is_integer and target.bits <= source.bits
    return not (source.is_float and target.is_unsigned)


def _combined_in(source, target):
    """The type in which a reduction of elements of `source` into `target` adds up: TileLang's is the
    target's. Where that is narrower sums are rounded once, at the end."""
    if source.is_float != target.is_float or target.bits > source.bits:
        return target
    return source


class Tiles:
    """The part of the emitter that writes tile operations."""

    def only_in_blocks(self, construct):
        if self.mode != "block":
            fail(
                f"{construct} inside of T.Parallel (or of code for single threads): it is the work"
                " of the whole block",
                self.location,
                StructureError,
            )

    def place(self, region):
        """`%buffer[offsets] sizes [...]` of a region: bare where it is the whole buffer."""
        name = self.buffer(region.buffer)
        if region.whole:
            return name
        offsets = ", ".join(map(self.index, region.offsets))
        return f"{name}[{offsets}] sizes [{', '.join(map(str, region.extents))}]"

    def whole(self, region, rank=None):
        """The name and type of a tile; a slice is a view of it, without extents of one beyond
        `rank`."""
        buffer = region.buffer
        if region.whole and (rank is None or len(region.extents) == rank):
            return self.buffer(buffer), self.memref(buffer)
        drop = len(region.extents) - rank if rank is not None else 0
        kept = []
        for i, x in enumerate(region.extents):
            if drop > 0 and x == 1:
                drop -= 1
            else:
                kept.append(i)
        strides = row_major(buffer.shape)
        numbers = [number_of(x) for x in region.offsets]
        offset = "?" if None in numbers else sum(o * s for o, s in zip(numbers, strides))
        layout = f"strided<[{', '.join(str(strides[i]) for i in kept)}]" + (
            f", offset: {offset}>" if offset != 0 else ">"
        )
        shape = "x".join(str(region.extents[i]) for i in kept)
        type_ = f"memref<{shape}x{buffer.dtype.mlir}, {layout}{SPACES[buffer.space]}>"
        places = ", ".join(
            str(n) if n is not None else self.index(x) for n, x in zip(numbers, region.offsets)
        )
        sizes, ones = ", ".join(map(str, region.extents)), ", ".join(["1"] * len(region.extents))
        source = f"{self.buffer(buffer)}[{places}] [{sizes}] [{ones}] : {self.memref(buffer)}"
        return self.op(f"memref.subview {source} to {type_}"), type_

    def fragment_of(self, region, kind, pad=""):
        """The elements of a region in a fragment of its extents but for ones: name and type."""
        shape = "x".join(map(str, [x for x in region.extents if x != 1] or [1]))
        type_ = f"memref<{shape}x{kind.mlir}, #tile.fragment>"
        name = self.op(f"tile.alloc : {type_}")
        if region.dtype is kind or _has_sign(region.dtype, kind):
            self.effect(
                f"tile.copy {self.place(region)} to {name}{pad} : {self.memref(region.buffer)} to"
                f" {type_}"
            )
            return name, type_
        held, held_type = self.fragment_of(region, region.dtype, pad)
        self.convert_tile(
            [x for x in region.extents if x != 1] or [1],
            (held, held_type, region.dtype),
            (name, type_, kind),
        )
        return name, type_

    def in_type(self, region, kind):
        """A tile in another type, with all of its extents, in a fragment: name and type."""
        name, type_ = self.whole(region)
        shape = "x".join(map(str, region.extents))
        made_type = f"memref<{shape}x{kind.mlir}, #tile.fragment>"
        made = self.op(f"tile.alloc : {made_type}")
        if _has_sign(region.dtype, kind):
            self.effect(f"tile.copy {name} to {made} : {type_} to {made_type}")
        else:
            self.convert_tile(region.extents, (name, type_, region.dtype), (made, made_type, kind))
        return made, made_type

    def convert_tile(self, extents, source, target):
        """Element by element, as the language converts values. Both are (name, type, element)."""
        indices, loc = [], self.loc
        for _ in extents:
            self.count += 1
            indices.append(f"%{self.count}")
        at = ", ".join(indices)
        with self.region():
            value = self.op(f"memref.load {source[0]}[{at}] : {source[1]}")
            value = self.convert_value(value, source[2], target[2])
            self.effect(f"memref.store {value}, {target[0]}[{at}] : {target[1]}")
            lines = self.lines
        sizes = ", ".join(map(str, extents))
        self.lines += [f"tile.parallel ({at}) in ({sizes}) {{", *lines, f"}} {loc}"]

    def tile_copy(
        self,
        statement,
        source,
        target,
        coalesced_width=None,
        disable_tma=False,
        policy=None,
        prefer=None,
        layout=None,
        barrier=None,
    ):
        if self.mode == "thread" or target.buffer.elements is not None:
            return self.copy_by_thread(source, target)
        self.only_in_blocks("T.copy")
        pad = ""
        safe = source.buffer.safe_value
        has_sign = _has_sign(source.dtype, target.dtype)
        if safe is not None and source.buffer.space == "global":
            kind = target.dtype if has_sign else source.dtype
            pad = f" pad({self.value(safe, kind)} : {kind.mlir})"
        if not has_sign:
            name, type_ = self.fragment_of(source, target.dtype, pad)
            self.effect(
                f"tile.copy {name} to {self.place(target)} : {type_} to"
                f" {self.memref(target.buffer)}"
            )
            return
        completes = ""
        if barrier is not None and (source.buffer.space, target.buffer.space) == (
            "global",
            "shared",
        ):
            name, kind = self._barrier(barrier.barriers)
            completes = f" completes({name}[{self.index(barrier.index)}] : {kind})"
        attributes = []
        if coalesced_width:
            attributes.append(f"coalesced_width = {int(coalesced_width)} : i64")
        if disable_tma or target.buffer in self.small:
            attributes.append("disable_tma")
        if policy:
            attributes.append(f"eviction_policy = #tile.eviction_policy<{policy}>")
        if prefer:
            attributes.append(f"prefer = #tile.copy_instruction<{prefer}>")
        if layout:
            attributes.append(f"layout = {layout}")
        text = f" {{{', '.join(attributes)}}}" if attributes else ""
        types = f"{self.memref(source.buffer)} to {self.memref(target.buffer)}"
        self.effect(
            f"tile.copy {self.place(source)} to {self.place(target)}{pad}{completes}{text}"
            f" : {types}"
        )

    def tile_fill(self, statement, target, value):
        buffer = target.buffer
        in_parallel = self.mode == "parallel" and buffer.space == "local"
        if self.mode == "thread" or in_parallel or buffer.elements is not None:
            return self.fill_by_thread(target, value)
        self.only_in_blocks("T.fill")
        name = self.value(value, buffer.dtype)
        self.effect(
            f"tile.fill {self.place(target)} with {name} : {self.memref(buffer)},"
            f" {buffer.dtype.mlir}"
        )
        return None

    def tile_gemm(
        self,
        statement,
        a,
        b,
        c,
        transpose_a,
        transpose_b,
        policy,
        clear,
        metadata=None,
        transpose_metadata=False,
    ):
        self.only_in_blocks("T.gemm")
        for x in (a, b, c):
            if x.buffer.space == "global":
                fail(
                    f"T.gemm: expected tiles, got {x.buffer!r}; copy it to T.alloc_shared (the result:"
                    " from T.alloc_fragment) with T.copy",
                    self.location,
                )
        if c.buffer.space == "shared":
            fail(
                f"T.gemm: expected the result in a fragment, got {c.buffer!r}; multiply into"
                " T.alloc_fragment, and copy that",
                self.location,
            )
        names, types = zip(*(self.whole(x, 2) for x in (a, b, c)))
        sparsity = ""
        if metadata is not None:
            sparsity = " metadata({} : {})".format(*self.whole(metadata, 2))
        self.check_gemm(a.dtype, b.dtype, c.dtype)
        attributes = []
        if clear:
            attributes.append("clear")
        attributes.append(f"policy = #tile.warp_policy<{policy}>")
        if transpose_a:
            attributes.append("transpose_a")
        if transpose_b:
            attributes.append("transpose_b")
        if transpose_metadata:
            attributes.append("transpose_metadata")
        for x, y in ((a, "unsigned_a"), (b, "unsigned_b")):
            if x.dtype == "uint8":
                attributes.append(y)
        self.effect(
            f"tile.gemm {', '.join(names)}{sparsity} {{{', '.join(attributes)}}} :"
            f" {', '.join(types)}"
        )

    def check_gemm(self, a, b, c):
        """Whether there is an instruction for the types of a product."""
        x, y, z = str(a), str(b), str(c)
        narrow = ("float8_e4m3fn", "float8_e5m2")
        if (x == y == "float16" and z in ("float32", "float16")) or (
            x == y == "bfloat16" and z == "float32"
        ):
            return
        if a.mlir == b.mlir == c.mlir and a.mlir in ("f32", "f64"):
            return
        if a.mlir == b.mlir == "i8" and z == "int32":
            return
        if x in narrow and y in narrow and z in ("float32", "float16"):
            return
        unsupported(
            f"T.gemm of {x} and {y} into {z}",
            "it multiplies float16 or bfloat16 into float32, float16 into float16, float32,"
            " float64, int8 or uint8 "
            "into int32, float8 into float32 or float16",
            self.location,
        )

    def tile_reduce(self, statement, source, target, kind, dim, accumulate, nan):
        self.only_in_blocks(f"T.reduce_{kind}")
        accumulate = accumulate and id(statement) not in self.first_reductions
        kind_of_sums = _combined_in(source.dtype, target.dtype)
        if kind_of_sums is source.dtype:
            name, type_ = self.whole(source)
        else:
            name, type_ = self.in_type(source, kind_of_sums)
        result, result_type = self.whole(target)
        kinds = kind_of_sums, target.dtype
        copy = None
        if kinds[0] is not kinds[1]:
            shape = "x".join(map(str, target.extents))
            temporary = f"memref<{shape}x{kinds[0].mlir}, #tile.fragment>"
            copy = (result, result_type, temporary)
            result = self.op(f"tile.alloc : {temporary}")
            if accumulate and _has_sign(target.dtype, kinds[0]):
                self.effect(f"tile.copy {copy[0]} to {result} : {result_type} to {temporary}")
            elif accumulate:
                self.convert_tile(
                    target.extents,
                    (copy[0], result_type, target.dtype),
                    (result, temporary, kinds[0]),
                )
            result_type = temporary
        attributes = []
        if kinds[0].is_unsigned and kind in ("max", "min", "absmax", "abssum"):
            attributes.append("is_unsigned")
        if nan and kinds[0].is_float:
            attributes.append("propagate_nan")
        text = f" {{{', '.join(attributes)}}}" if attributes else ""
        more = " accumulate" if accumulate else ""
        self.effect(
            f"tile.reduce {kind} {name} to {result} dim({dim}){more}{text} : {type_} to"
            f" {result_type}"
        )
        if copy is not None:
            self.effect(f"tile.copy {result} to {copy[0]} : {copy[2]} to {copy[1]}")

    def tile_scan(self, statement, source, target, kind, dim, reverse, exclusive, carry):
        self.only_in_blocks(f"T.cum{kind}")
        name, type_ = self.whole(source)
        result, result_type = self.whole(target)
        unsigned = " {is_unsigned}" if target.dtype.is_unsigned and kind == "max" else ""
        more = " reverse" * reverse + " exclusive" * exclusive
        if carry is not None:
            rows, rows_type = self.whole(carry)
            more += f" carry({rows} : {rows_type})"
        if source.dtype is not target.dtype:
            name, type_ = self.in_type(source, target.dtype)
        self.effect(
            f"tile.scan {kind} {name} to {result} dim({dim}){more}{unsigned} : {type_} to"
            f" {result_type}"
        )

    def tile_sort(self, statement, keys, dim, descending, **payloads):
        self.only_in_blocks("T.sort")
        names, types = zip(*(self.whole(tile) for tile in (keys, *payloads.values())))
        unsigned = " {is_unsigned}" if keys.dtype.is_unsigned else ""
        self.effect(
            f"tile.sort {', '.join(names)} dim({dim}){' descending' * descending}{unsigned} :"
            f" {', '.join(types)}"
        )

    def tile_topk(self, statement, source, values, places, dim, smallest):
        self.only_in_blocks("T.topk")
        names, types = zip(*(self.whole(tile) for tile in (source, values, places)))
        unsigned = " {is_unsigned}" if source.dtype.is_unsigned else ""
        self.effect(
            f"tile.topk {names[0]} to {names[1]}, {names[2]} dim({dim}){' smallest' * smallest}"
            f"{unsigned} : {types[0]} to {types[1]}, {types[2]}"
        )

    def tile_view(self, statement, source, result):
        self.only_in_blocks("T.view")
        result.space = source.space
        name = self.op(
            f"tile.view {self.buffer(source)} : {self.memref(source)} to {self.memref(result)}"
        )
        self.scopes[-1][("buffer", id(result))] = name

    def tile_from_address(self, statement, address, result):
        self.only_in_blocks("T.make_tensor of an address from a table")
        sizes = [self.index(x) for x in result.shape if not isinstance(x, int)]
        of_sizes = f"({', '.join(sizes)})" if sizes else ""
        # As of arguments: whole rows of what PyTorch and CUDA allocate.
        name = self.op(
            f"tile.from_address {self.value(address)}{of_sizes} {{tile.alignment = 16}} :"
            f" {self.memref(result)}"
        )
        self.scopes[-1][("buffer", id(result))] = name

    def tile_grid_barrier(self, statement):
        self.only_in_blocks("T.sync_grid")
        self.effect("tile.grid_barrier")

    def tile_atomic(self, statement, source, target, kind):
        self.only_in_blocks(f"T.atomic_{kind}")
        unsigned = " {is_unsigned}" if target.dtype.is_unsigned else ""
        if source.dtype is not target.dtype:
            text, type_ = self.fragment_of(source, target.dtype)
        else:
            text, type_ = self.place(source), self.memref(source.buffer)
        self.effect(
            f"tile.atomic {kind} {text} to {self.place(target)}{unsigned} : {type_} to"
            f" {self.memref(target.buffer)}"
        )

    def tile_evaluate(self, statement, value):
        if (
            self.mode == "block"
            and type(value) is Op
            and value.name == "atomic"
            and self.reads_fragments(value)
        ):
            with self.parallel_of_one():
                self.value(value)
            return
        self.value(value)

    def reads_fragments(self, atomic):
        from .emit_memory import reads_fragment

        return reads_fragment(atomic.args[3], atomic.args[2])

    def tile_assert(self, statement, condition, message):
        text = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        self.effect(f'tile.assert {self.value(condition, BOOL)}, "{text}"')

    def tile_assume_rows(self, statement, first, end, rows):
        self.only_in_blocks("T.assume_rows")
        self.effect(f"tile.assume_rows {self.index(first)} to {self.index(end)} of {rows}")

    def tile_print(self, statement, value, message):
        text = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        if hasattr(value, "buffer") and hasattr(value, "extents"):
            name, type_ = self.whole(value)
            self.effect(f'tile.print "{text}" {name} : {type_}')
            return
        kind = type_of(value)
        self.effect(f'tile.print "{text}" {self.value(value)} : {kind.mlir}')

    def tile_im2col(self, statement, source, target, pixel, channel, kernel, stride, dilation, pad):
        self.only_in_blocks("T.im2col")
        name, type_ = self.whole(target, 2)
        rows, columns = target.buffer.shape[-2:]
        channels = number_of(source.shape[-1])
        if channels is None or channels % columns:
            unsupported(
                f"T.im2col of {channels} channels in tiles of {columns} columns",
                "the columns must divide the channels",
                self.location,
            )
        first = self.keep(pixel * rows)
        steps = channels // columns
        position = self.keep(channel // steps)
        row, column = self.keep(position // kernel), self.keep(position % kernel)
        at = self.keep((channel % steps) * columns)
        size, ones = f"[{kernel}, {kernel}]", f"[{stride}, {stride}]"
        self.effect(
            f"tile.im2col {self.buffer(source)} pixel {self.index(first)} filter"
            f" [{self.index(row)}, {self.index(column)}] "
            f"channel {self.index(at)} to {name} kernel {size} strides {ones} dilations"
            f" [{dilation}, {dilation}] "
            f"pad_lower [{pad}, {pad}] pad_upper [{pad}, {pad}] : {self.memref(source)} to {type_}"
        )
