# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchange between threads: what another thread holds, reductions over groups of threads."""

from .kernel import thread_index


def _by_thread(extents):
    """The layout of a fragment in which each thread has the element of its own number, so that
    what it holds stays where it is; nothing where lanes and warps are no digits of that number."""
    lanes, modes = 32, {"lane": [], "warp": []}
    for dim, extent in reversed(list(enumerate(extents))):
        inside = min(extent, lanes)
        if lanes % inside or extent % inside:
            return ""
        for axis, count, step in (("lane", inside, 1), ("warp", extent // inside, inside)):
            if count > 1:
                modes[axis].append(f"({count}, {dim}:{step})")
        lanes //= inside
    if lanes > 1:
        return ""
    shape, lane, warp = (", ".join(map(str, x)) for x in (extents, modes["lane"], modes["warp"]))
    return f" layout(#tile.fragment_layout<shape [{shape}] reg [] lane [{lane}] warp [{warp}]>)"


class Exchange:
    """The part of the emitter that writes operations between threads."""

    def tile_exchange(self, statement, source, target, place):
        """target = what another thread, `place`, holds in source."""
        rows, kind = self.buffer(source), self.find(("rows", id(source)))
        result = self.buffer(target)
        index, loc = thread_index(self.kernel), self.loc
        first, count = self.find(("threads", id(source)))
        self.count += 1
        name = f"%{self.count}"
        self.mode = "thread"
        with self.region():
            here = name
            if first:
                here = self.op(f"arith.addi {name}, {self.constant(first, 'index')} : index")
            self.scopes[-1][("index", id(index))] = here
            self.scopes[-1][("row", first)] = name
            zero = self.constant(0, "index")
            other = self.index(place)
            if first:
                other = self.op(f"arith.subi {other}, {self.constant(first, 'index')} : index")
            value = self.op(f"memref.load {rows}[{other}, {zero}] : {kind}")
            self.effect(f"memref.store {value}, {result}[{name}, {zero}] : {kind}")
            lines = self.lines
        self.mode = "block"
        self.lines += [
            f"tile.parallel ({name}) in ({count}) attributes"
            f" {{coalesced_width = 1 : i64}} {{",
            *lines,
            f"}} {loc}",
        ]

    def tile_thread_reduce(self, statement, source, target, kind, group, inner=1):
        """target = source combined over groups of `group` threads, `inner` apart."""
        rows, type_ = self.buffer(source), self.find(("rows", id(source)))
        result = self.buffer(target)
        element, loc = source.dtype.mlir, self.loc
        threads = self.find(("threads", id(source)))[1]
        outer = threads // (group * inner)
        grid = f"memref<{outer}x{group}x{inner}x{element}, #tile.fragment>"
        sums = f"memref<{outer}x{inner}x{element}, #tile.fragment>"
        layout = _by_thread((outer, group, inner))
        a = self.op(f"tile.alloc{layout} : {grid}")
        b = self.op(f"tile.alloc : {sums}")
        zero, whole, step = (self.constant(x, "index") for x in (0, group * inner, inner))
        names = []
        for _ in range(4):
            self.count += 1
            names.append(f"%{self.count}")
        o, g, i, thread = names
        with self.region():
            first = self.op(f"arith.muli {o}, {whole} : index")
            second = self.op(f"arith.muli {g}, {step} : index")
            place = self.op(
                f"arith.addi {self.op(f'arith.addi {first}, {second} : index')}, {i} : index"
            )
            value = self.op(f"memref.load {rows}[{place}, {zero}] : {type_}")
            self.effect(f"memref.store {value}, {a}[{o}, {g}, {i}] : {grid}")
            lines = self.lines
        self.lines += [
            f"tile.parallel ({o}, {g}, {i}) in ({outer}, {group}, {inner}) attributes"
            f" {{coalesced_width = 1 : i64}} {{",
            *lines,
            f"}} {loc}",
        ]
        unsigned = " {is_unsigned}" if source.dtype.is_unsigned and kind in ("max", "min") else ""
        self.effect(f"tile.reduce {kind} {a} to {b} dim(1){unsigned} : {grid} to {sums}")
        with self.region():
            place = inside = zero
            if outer > 1:
                place = self.op(f"arith.divui {thread}, {whole} : index")
            if inner > 1:
                inside = self.op(f"arith.remui {thread}, {step} : index")
            value = self.op(f"memref.load {b}[{place}, {inside}] : {sums}")
            self.effect(f"memref.store {value}, {result}[{thread}, {zero}] : {type_}")
            lines = self.lines
        self.lines += [
            f"tile.parallel ({thread}) in ({threads}) attributes {{coalesced_width = 1 : i64}} {{",
            *lines,
            f"}} {loc}",
        ]
