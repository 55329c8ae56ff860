#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in which each thread does its own: T.get_thread_binding, local memory, variables,
tiles in shared memory that other threads read, under conditions and in loops.

    PYTHONPATH=build/release/python python3 test/python/random_threads.py --seeds 0:100 \
        --targets cpu,lowered:sm_90a

Threads meet between two statements where one thread reads what another one writes (TileLang places
a barrier there), so a program means what it does when all threads do one statement before the next
one begins: that is what `Reference` computes with numpy. Programs are the text of a Python file,
as a user writes it; numbers are i32, so that results are equal or wrong. A seed whose result
differs, or that does not compile, is printed with its program; the last line counts.
"""

import argparse
import importlib.util
import pathlib
import random
import sys
import tempfile
import traceback

import numpy as np

BLOCKS = 2


class Expression:
    """Python's text of a value, and what it is for each thread."""

    def __init__(self, text, evaluate):
        self.text, self.evaluate = text, evaluate


def constant(value):
    return Expression(str(value), lambda state: np.full(state.threads, value, np.int32))


class State:
    """What a block's threads have while the reference runs."""

    def __init__(self, threads, block, data):
        self.threads, self.block, self.data = threads, block, data
        self.thread = np.arange(threads, dtype=np.int32)
        self.tiles, self.locals, self.names = {}, {}, {}


class Program:
    """A program of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        r = self.random
        self.threads = r.choice((32, 64, 128, 256, 256, 512) if r.random() < 0.3 else (32, 64, 128, 256))
        self.tiles = {f"s{i}": r.choice((1, 1, 2, 4)) for i in range(r.randint(1, 3))}
        self.locals = {f"l{i}": r.choice((2, 4)) for i in range(r.randint(0, 2))}
        self.variables = [f"v{i}" for i in range(r.randint(1, 3))]
        self.lines, self.steps, self.loops, self.count = [], [], [], 0
        self.barriers, self.fixed = [], []  # fixed: variables that the code here only reads
        # Where arms of whole warps begin: four and more at multiples of four.
        self.cuts = r.choice({1: [[]], 2: [[1]], 4: [[1], [2], [1, 2], [1, 2, 3]], 8: [[4], [4, 6], [4, 5, 6]],
                              16: [[4, 8], [4, 8, 12], [8], [4, 8, 12, 14]]}[self.threads // 32])
        self.written, self.read = set(), set()  # tiles, by the statement that is being made
        self.forbidden_reads, self.forbidden_writes = set(), set()
        self.arms = 0  # of conditions that not all threads come to
        self.nested, self.together = r.random() < 0.5, r.random() < 0.5  # of arms: inner ones, which meet behind them
        body = self.block(r.randint(4, 9), 2, divergent=False)
        self.steps = body

    # Values.
    def number(self, low=-7, high=7):
        return constant(self.random.randint(low, high))

    def own(self):
        """An index of a tile that no two threads share."""
        r, n = self.random, self.threads
        kind = r.randrange(5)
        if kind == 0:
            c = r.randrange(n)
            return Expression(f"(tid + {c}) % {n}", lambda s: (s.thread + c) % n)
        if kind == 1:
            return Expression(f"{n - 1} - tid", lambda s: n - 1 - s.thread)
        if kind == 2:
            a = r.choice([x for x in (2, 4, 8, 32) if x <= n])
            b = n // a
            return Expression(f"tid // {a} + tid % {a} * {b}", lambda s: s.thread // a + s.thread % a * b)
        return Expression("tid", lambda s: s.thread)

    def anywhere(self):
        """An index of a tile."""
        r, n = self.random, self.threads
        kind = r.randrange(4)
        if kind == 0 and self.loops:
            name, factor = r.choice(self.loops), r.randint(1, 5)
            return Expression(f"(tid * {factor} + {name}) % {n}", lambda s: (s.thread * factor + s.names[name]) % n)
        if kind == 1:
            a = r.choice((2, 4, 16))
            return Expression(f"tid // {a}", lambda s: s.thread // a)
        if kind == 2:
            c = r.randrange(n)
            return Expression(f"{c}", lambda s: np.full(n, c))
        return self.own()

    def row(self, tile):
        return self.random.randrange(self.tiles[tile])

    def load(self, tile, place):
        row = self.row(tile)
        self.read.add(tile)
        return Expression(f"{tile}[{row}, {place.text}]", lambda s: s.tiles[tile][row, place.evaluate(s)])

    def element(self, size):
        """An index of a thread's own memory: a number, or one that is known at run time."""
        r = self.random
        if r.random() < 0.6:
            return constant(r.randrange(size))
        if self.loops and r.random() < 0.3:
            name = r.choice(self.loops)
            return Expression(f"(tid + {name}) % {size}", lambda s: (s.thread + s.names[name]) % size)
        name = r.choice(("tid", "tid // 4", "A[b, tid]"))
        n = self.threads
        values = {"tid": lambda s: s.thread, "tid // 4": lambda s: s.thread // 4, "A[b, tid]": lambda s: s.data[s.block, :n]}
        return Expression(f"({name}) % {size}", lambda s: values[name](s) % size)

    def leaf(self):
        r = self.random
        kind = r.randrange(8)
        tiles = [x for x in self.tiles if x not in self.forbidden_reads]
        if kind < 3 and tiles:
            return self.load(r.choice(tiles), self.anywhere())
        if kind == 3:
            name = r.choice(self.variables + self.fixed)
            return Expression(name, lambda s: s.names[name])
        if kind == 4 and self.locals:
            name = r.choice(list(self.locals))
            at = self.element(self.locals[name])
            return Expression(f"{name}[{at.text}]", lambda s: np.asarray(s.locals[name])[at.evaluate(s), s.thread])
        if kind == 5:
            return Expression("tid", lambda s: s.thread)
        if kind == 6:
            n = self.threads
            return Expression("A[b, tid]", lambda s: s.data[s.block, :n])
        if kind == 7 and self.loops:
            name = r.choice(self.loops)
            return Expression(name, lambda s: np.broadcast_to(s.names[name], s.threads).astype(np.int32))
        return self.number()

    def value(self, depth=2):
        r = self.random
        if depth == 0 or r.random() < 0.3:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        name, make, text = r.choice(
            (
                ("add", np.add, "({} + {})"),
                ("sub", np.subtract, "({} - {})"),
                ("mul", np.multiply, "({} * {})"),
                ("max", np.maximum, "T.max({}, {})"),
                ("min", np.minimum, "T.min({}, {})"),
            )
        )
        return Expression(
            text.format(a.text, b.text),
            lambda s: make(a.evaluate(s).astype(np.int32), b.evaluate(s).astype(np.int32)),
        )

    def condition(self):
        """A condition, and whether it differs from thread to thread."""
        r, n = self.random, self.threads
        kind = r.randrange(6)
        if kind == 0:
            c = r.choice((n // 2, n // 4, 1, 32, n - 1))
            return Expression(f"tid < {c}", lambda s: s.thread < c)
        if kind == 1:
            a = r.choice((2, 4, 32))
            b = r.randrange(a)
            return Expression(f"tid % {a} == {b}", lambda s: s.thread % a == b)
        if kind == 2:
            return Expression("A[b, tid] > 0", lambda s: s.data[s.block, :n] > 0)
        if kind == 3:
            return Expression("b == 0", lambda s: np.full(n, s.block == 0))
        if kind == 4:
            c = self.number()
            name = r.choice(self.variables)
            return Expression(f"{name} > {c.text}", lambda s: s.names[name] > c.evaluate(s))
        c = r.choice((n // 2, 8))
        return Expression(f"b == 1 and tid >= {c}", lambda s: (s.thread >= c) & (s.block == 1))

    # Statements: each a function of a state and of the threads that do it; their text goes to lines.
    def store(self, indent):
        tile = self.random.choice([x for x in self.tiles if x not in self.forbidden_writes] or [None])
        if tile is None:
            return self.assign(indent)
        row, place = self.row(tile), self.own()
        outer = self.forbidden_reads
        self.forbidden_reads = outer | {tile}
        value = self.value()
        self.forbidden_reads = outer
        if self.random.random() < 0.3 and tile not in outer:  # its own element
            old, self_row = value, row
            value = Expression(
                f"{tile}[{row}, {place.text}] + {old.text}",
                lambda s: s.tiles[tile][self_row, place.evaluate(s)] + old.evaluate(s),
            )
            self.read.add(tile)
        self.written.add(tile)
        self.lines.append(f"{indent}{tile}[{row}, {place.text}] = {value.text}")

        def run(state, active):
            at, new = place.evaluate(state), value.evaluate(state)
            state.tiles[tile][row, at[active]] = new[active]

        return run

    def store_of_some(self, indent):
        """Some threads store elements that others read."""
        tile = self.random.choice([x for x in self.tiles if x not in self.forbidden_writes] or [None])
        if tile is None:
            return self.assign(indent)
        n, part, row = self.threads, self.random.choice((2, 8, 32)), self.row(tile)
        outer = self.forbidden_reads
        self.forbidden_reads = outer | {tile}
        value = self.value()
        self.forbidden_reads = outer
        self.written.add(tile)
        self.lines += [
            f"{indent}if tid % {part} == 0:",
            f"{indent}    {tile}[{row}, tid // {part}] = {value.text}",
        ]

        def run(state, active):
            new, mine = value.evaluate(state), active & (state.thread % part == 0)
            state.tiles[tile][row, (np.arange(n) // part)[mine]] = new[mine]

        return run

    def assign(self, indent):
        value = self.value()
        if self.locals and self.random.random() < 0.5:
            name = self.random.choice(list(self.locals))
            at = self.element(self.locals[name])
            self.lines.append(f"{indent}{name}[{at.text}] = {value.text}")

            def run(state, active):
                new, place = value.evaluate(state), at.evaluate(state)
                for i, row in enumerate(state.locals[name]):
                    row[active & (place == i)] = new[active & (place == i)]

            return run
        name = self.random.choice(self.variables)
        self.lines.append(f"{indent}{name} = {value.text}")

        def run(state, active):
            new = value.evaluate(state).astype(np.int32)
            state.names[name] = np.where(active, new, state.names[name])

        return run

    def exchange(self, indent):
        """What another lane has of a value, or all lanes of a warp together."""
        r, n = self.random, self.threads
        value, name = self.value(), r.choice(self.variables)
        if r.random() < 0.25:
            kind, combine = r.choice((("max", np.max), ("min", np.min), ("sum", np.sum)))
            self.lines.append(f"{indent}{name} = T.warp_reduce_{kind}({value.text})")

            def over_warps(state, active):
                of_warps = value.evaluate(state).astype(np.int32).reshape(-1, 32)
                all_lanes = combine(of_warps, axis=1, keepdims=True).astype(np.int32)
                state.names[name] = np.broadcast_to(all_lanes, of_warps.shape).reshape(-1).copy()

            return over_warps
        width, kind = r.choice((32, 32, 32, 16, 4)), r.choice(("xor", "down", "up", "sync"))
        by = self.leaf() if kind == "sync" else constant(r.randrange(1, width))
        self.lines.append(f"{indent}{name} = T.shfl_{kind}({value.text}, {by.text}, {width})")

        def run(state, active):
            lane, number = state.thread % width, by.evaluate(state)
            other = {
                "xor": lambda: lane ^ number,
                "down": lambda: np.where(lane + number < width, lane + number, lane),
                "up": lambda: np.where(lane >= number, lane - number, lane),
                "sync": lambda: number % width,
            }[kind]()
            state.names[name] = value.evaluate(state).astype(np.int32)[state.thread // width * width + other]

        return run

    def branch(self, indent, depth):
        condition = self.condition()
        self.lines.append(f"{indent}if {condition.text}:")
        saved = self.written, self.read
        self.written, self.read = set(), set()
        self.arms += 1
        then = self.block(self.random.randint(1, 4), depth - 1, True, indent + "    ")
        written, read = self.written, self.read
        otherwise = []
        if self.random.random() < 0.4:
            # Threads of two arms cannot meet: one arm touches nothing that the other one writes.
            outer = self.forbidden_reads, self.forbidden_writes
            self.forbidden_reads = self.forbidden_reads | written
            self.forbidden_writes = self.forbidden_writes | written | read
            self.lines.append(f"{indent}else:")
            otherwise = self.block(self.random.randint(1, 3), depth - 1, True, indent + "    ")
            self.forbidden_reads, self.forbidden_writes = outer
        self.arms -= 1
        self.written, self.read = saved[0] | self.written | written, saved[1] | self.read | read

        def run(state, active):
            holds = condition.evaluate(state)
            for arm, mine in ((then, active & holds), (otherwise, active & ~holds)):
                for step in arm:
                    step(state, mine)

        return run

    def arms_of_warps(self, indent):
        """An `if` whose arms are programs of whole warps: with registers of their own, barriers by
        hand, variables that only the arms use, and an `if` inside of an arm."""
        r, warps = self.random, self.threads // 32
        if not self.cuts:
            return self.assign(indent)
        self.count += 1
        by_barrier, outer, before = r.random() < 0.7, (self.variables, self.fixed), []
        if by_barrier:
            self.barriers.append(f"bar{self.count}")
            # Variables are of one arm's warps behind the arms: these have their own.
            names = [f"w{self.count}_{i}" for i in range(r.randint(1, 2))]
            for name in names:
                before.append((name, (self.number if r.random() < 0.3 else self.value)()))
                self.lines += [f'{indent}{name} = T.alloc_var("int32")', f"{indent}{name} = {before[-1][1].text}"]
            self.variables, self.fixed = names, outer[0] + outer[1]
        ends = [32 * x for x in [*self.cuts, warps]]
        budgets = all(x % 128 == 0 for x in ends) and r.random() < 0.7
        nested = len(ends) > 2 and self.nested
        together = self.together
        name = f"bar{self.count}"
        meeting = [f"T.barrier_arrive({name})", f"T.barrier_wait({name}, 0)"]
        saved = self.written, self.read, self.forbidden_reads, self.forbidden_writes
        all_written, all_read, steps, first = set(), set(), [], 0
        self.arms += 1
        for number, end in enumerate(ends):
            inner, last = indent + "    ", number == len(ends) - 1
            at = indent
            if nested and number >= len(ends) - 2:
                if number == len(ends) - 2:
                    self.lines.append(f"{indent}else:")
                    if budgets:
                        self.lines.append(f"{indent}    T.set_max_nreg(24, 0)")
                at, inner = indent + "    ", indent + "        "
            opened = "else:" if last else f"{'if' if number == 0 or (nested and number == len(ends) - 2) else 'elif'} tid < {end}:"
            self.lines.append(f"{at}{opened}")
            if budgets and at == indent:
                self.lines.append(f"{inner}T.set_max_nreg({r.choice((24, 104, 128) if warps == 16 else (24, 160, 168))}, {r.randrange(2)})")
            self.written, self.read = set(), set()
            steps.append((first, end, self.block(r.randint(1, 4), 1, True, inner)))
            all_written |= self.written
            all_read |= self.read
            self.forbidden_reads = self.forbidden_reads | self.written
            self.forbidden_writes = self.forbidden_writes | self.written | self.read
            if by_barrier and (at == indent or not together):
                self.lines += [inner + x for x in meeting]
            first = end
        if nested and by_barrier and together:
            self.lines += [f"{indent}    {x}" for x in meeting]
        self.lines.append(f"{indent}T.sync_threads()")
        self.arms -= 1
        self.variables, self.fixed = outer
        self.written, self.read, self.forbidden_reads, self.forbidden_writes = saved
        self.written, self.read = self.written | all_written, self.read | all_read

        def run(state, active):
            for name, value in before:
                state.names[name] = value.evaluate(state).astype(np.int32)
            for low, high, arm in steps:
                for step in arm:
                    step(state, active & (state.thread >= low) & (state.thread < high))

        return run

    def loop(self, indent, depth):
        r = self.random
        self.count += 1
        name, count = f"i{self.count}", r.randint(1, 3)
        if r.random() < 0.3:
            return self.own_loop(indent, name)
        self.lines.append(f"{indent}for {name} in T.{r.choice(('serial', 'serial', 'unroll'))}({count}):")
        self.loops.append(name)
        body = self.block(r.randint(1, 3), depth - 1, True, indent + "    ")
        self.loops.pop()

        def run(state, active):
            for i in range(count):
                state.names[name] = i
                for step in body:
                    step(state, active)

        return run

    def own_loop(self, indent, name):
        """A loop that threads run in different numbers, over elements of a tile."""
        r, n = self.random, self.threads
        tiles = [x for x in self.tiles if x not in self.forbidden_reads]
        if not tiles:
            return self.assign(indent)
        tile, variable = r.choice(tiles), r.choice(self.variables)
        row, part = self.row(tile), r.choice((1, 4, 32))
        self.read.add(tile)
        self.lines.append(f"{indent}for {name} in T.serial(tid // {part}, {n}, {max(n // 4, 8)}):")
        self.lines.append(f"{indent}    {variable} = T.max({variable}, {tile}[{row}, {name}])")

        def run(state, active):
            for t in np.flatnonzero(active):
                for i in range(t // part, n, max(n // 4, 8)):
                    state.names[variable][t] = max(state.names[variable][t], state.tiles[tile][row, i])

        return run

    def block(self, count, depth, divergent, indent=" " * 12):
        steps = []
        for _ in range(count):
            kind = self.random.random()
            if depth == 2 and kind < 0.1:
                steps.append(self.arms_of_warps(indent))
            elif depth and kind < 0.25:
                steps.append(self.branch(indent, depth))
            elif depth and kind < 0.45:
                steps.append(self.loop(indent, depth))
            elif kind < 0.7:
                steps.append(self.store(indent))
            elif kind < 0.78:
                steps.append(self.store_of_some(indent))
            elif kind < 0.85 and not self.arms:
                steps.append(self.exchange(indent))
            else:
                steps.append(self.assign(indent))
        return steps

    # The whole of it.
    def text(self):
        n = self.threads
        head = [
            "import mlir_tile.language as T",
            "",
            "",
            "@T.prim_func",
            f'def kernel(A: T.Tensor(({BLOCKS}, {n}), "int32"), B: T.Tensor(({BLOCKS}, 16, {n}), "int32")):',
            f"    with T.Kernel({BLOCKS}, threads={n}) as b:",
            "            tid = T.get_thread_binding()",
        ]
        for name, rows in self.tiles.items():
            head.append(f'            {name} = T.alloc_shared(({rows}, {n}), "int32")')
        for name, size in self.locals.items():
            head.append(f'            {name} = T.alloc_local(({size},), "int32")')
        for name in self.variables:
            head.append(f'            {name} = T.alloc_var("int32")')
        for name in self.barriers:
            head.append(f"            {name} = T.alloc_barrier(arrive_count={n})")
        for k, (name, rows) in enumerate(self.tiles.items()):
            for row in range(rows):
                head.append(f"            {name}[{row}, tid] = A[b, tid] + {k * 10 + row}")
        for name, size in self.locals.items():
            head += [f"            {name}[{at}] = tid + {at}" for at in range(size)]
        head += [f"            {name} = {k}" for k, name in enumerate(self.variables)]
        tail = [f"            B[b, {i}, tid] = {value}" for i, value in enumerate(self.results())]
        lines = (x[4:] if x.startswith(" " * 12) else x for x in head + self.lines + tail)
        return "\n".join(lines) + "\n"

    def results(self):
        found = [f"{x}[{row}, tid]" for x, rows in self.tiles.items() for row in range(rows)]
        found += [f"{x}[{at}]" for x, size in self.locals.items() for at in range(size)]
        return (found + self.variables)[:16]

    def reference(self, data):
        n = self.threads
        result = np.zeros((BLOCKS, 16, n), np.int32)
        for block in range(BLOCKS):
            state = State(n, block, data)
            for k, (name, rows) in enumerate(self.tiles.items()):
                state.tiles[name] = np.stack([data[block] + np.int32(k * 10 + row) for row in range(rows)])
            for name, size in self.locals.items():
                state.locals[name] = [state.thread + np.int32(at) for at in range(size)]
            for k, name in enumerate(self.variables):
                state.names[name] = np.full(n, k, np.int32)
            for step in self.steps:
                step(state, np.ones(n, bool))
            rows = [state.tiles[x][row] for x, count in self.tiles.items() for row in range(count)]
            rows += [x for name in self.locals for x in state.locals[name]]
            rows += [state.names[name] for name in self.variables]
            for i, row in enumerate(rows[:16]):
                result[block, i] = row
        return result


def check(seed, targets, folder):
    """Compiles and runs the program of a seed; the text of what is wrong, or None."""
    from mlir_tile.jit import compile as compile_kernel

    program = Program(seed)
    path = pathlib.Path(folder) / f"threads_{seed}.py"
    path.write_text(program.text(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    data = np.random.default_rng(seed).integers(-9, 10, (BLOCKS, program.threads), dtype=np.int32)
    with np.errstate(over="ignore"):
        expected = program.reference(data)
    try:
        spec.loader.exec_module(module)
        for target in targets:
            result = np.full(expected.shape, -77777, np.int32)
            run_on(compile_kernel(module.kernel, target=target), data, result, target)
            rows = len(program.results())
            wrong = np.argwhere(result[:, :rows] != expected[:, :rows])
            if len(wrong):
                b, i, t = wrong[0]
                return (
                    f"{target}: {len(wrong)} wrong, first {program.results()[i]} of block {b}, thread {t}:"
                    f" {result[b, i, t]}, expected {expected[b, i, t]}"
                )
    except Exception as error:  # noqa: BLE001  of the compiler, the executor, the program
        return f"{type(error).__name__}: {error}" if str(error) else traceback.format_exc()
    return None


def run_on(kernel, data, result, target):
    if not target.startswith("cuda"):
        kernel(data, result)
        return
    import torch

    out = torch.from_numpy(result).cuda()
    kernel(torch.from_numpy(data).cuda(), out)
    result[:] = out.cpu().numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:100", help="FIRST:END")
    parser.add_argument("--targets", default="cpu,lowered:sm_90a")
    parser.add_argument("--show", action="store_true", help="print the programs")
    options = parser.parse_args()
    first, end = map(int, options.seeds.split(":"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, end):
            if options.show:
                print(Program(seed).text())
            wrong = check(seed, options.targets.split(","), folder)
            if wrong is not None:
                failed += 1
                print(f"seed {seed}: {wrong}\n", flush=True)
    print(f"{end - first - failed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
