# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program: its arguments and statements, the text of its kernel, and what it means in numpy."""

import contextlib
import copy
import dataclasses
import threading

import numpy as np

from elements import ELEMENTS, Unfit, fill, largest

SPACES = {"global": "", "shared": ", #gpu.address_space<workgroup>", "fragment": ", #tile.fragment", "local": ", #tile.local"}


@dataclasses.dataclass(eq=False)
class Buffer:
    """An argument or a tile. Extents of arguments may be names, whose numbers a run states."""

    name: str
    shape: list
    element: str
    space: str
    bound: float = None  # no element is larger in magnitude
    open: tuple = ()  # dimensions that the type leaves open
    strides: tuple = ()  # of arguments: of the type, None where it leaves them open
    memory: str = ""  # of arguments: "pad 8", "columns", "step 3": how the run lays them out
    fill: str = ""  # of arguments: KIND:SEED
    attributes: str = ""
    layout: str = ""  # of tiles: what the program states

    def __post_init__(self):
        if self.bound is None:
            self.bound = 1 if self.element == "i1" else 3 if self.space == "global" else largest(self.element)

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        extents = "".join(("?" if d in self.open else str(e)) + "x" for d, e in enumerate(self.shape))
        layout = ""
        if self.strides:
            layout = f", strided<[{', '.join('?' if s is None else str(s) for s in self.strides)}]>"
        return f"memref<{extents}{self.element}{layout}{SPACES[self.space]}>"

    def extents(self, run):
        return [run[e] if isinstance(e, str) else e for e in self.shape]

    def steps(self, run):
        """The strides in memory, where they are not those of a plain matrix."""
        shape, kind = self.extents(run), (self.memory or "plain").split()
        if kind[0] == "plain":
            return None
        order = list(reversed(range(len(shape))))
        if kind[0] == "columns":
            order[:2] = reversed(order[:2])
        steps, step = [0] * len(shape), int(kind[1]) if kind[0] == "step" else 1
        for place, d in enumerate(order):
            steps[d] = step
            step *= shape[d] + (int(kind[1]) if kind[0] in ("pad", "columns") and place == 0 else 0)
        return steps


class Text:
    """The operations of a kernel as they are written."""

    def __init__(self):
        self.lines, self.constants, self.depth, self.count = [], {}, 1, 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def op(self, text):
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def constant(self, number, element):
        key = (number, element)
        if key not in self.constants:
            sign = "m" if number < 0 else ""
            self.constants[key] = f"%c{sign}{abs(int(number))}" + ("" if element == "index" else f"_{element}")
        return self.constants[key]

    def constant_lines(self):
        for (number, element), name in self.constants.items():
            text = str(int(number))
            if element == "i1":
                text = "true" if number else "false"
            elif ELEMENTS[element].kind == "float":
                text += ".0"
            yield f"  {name} = arith.constant {text}" + ("" if element == "i1" else f" : {element}")

    @contextlib.contextmanager
    def region(self, head, tail="}", join=False):
        if join:  # `} else {` in one line
            self.lines[-1] += f" {head}"
        else:
            self.line(head)
        self.depth += 1
        yield
        self.depth -= 1
        self.line(tail)


class Env:
    """What a block sees while its statements run: values by name, buffers as arrays of float64."""

    def __init__(self, program, run):
        self.run, self.vars, self.tiles = run, {}, {}
        self.globals = {b.name: self.initial(b) for b in program.arguments}
        written = {b.name for b in program.arguments if b.name in program.outputs}
        self.writer = {name: np.full(self.globals[name].shape, -1) for name in written}
        self.reader = {name: np.full(self.globals[name].shape, -1) for name in written}
        self.block = 0

    def initial(self, buffer):
        kind, _, seed = buffer.fill.rpartition(":") if ":" in buffer.fill else (buffer.fill, "", "")
        return fill(kind, int(seed or 0), buffer.extents(self.run), buffer.element)

    def array(self, buffer):
        return self.globals[buffer.name] if buffer.space == "global" else self.tiles[buffer.name]

    def note_read(self, buffer, places):
        if buffer.space != "global" or buffer.name not in self.writer:
            return
        writer = self.writer[buffer.name][places]
        if ((writer >= 0) & (writer != self.block)).any():
            raise Unfit("a block reads what another writes")
        self.reader[buffer.name][places] = self.block

    def note_write(self, buffer, places, atomic=False):
        """Two blocks neither write one element nor write what the other reads, but by atomics (-2)."""
        if buffer.space != "global":
            return
        writer, reader = self.writer[buffer.name], self.reader[buffer.name]
        if ((reader[places] >= 0) & (reader[places] != self.block)).any():
            raise Unfit("a block writes what another reads")
        if atomic:
            if (writer[places] >= 0).any() or (reader[places] >= 0).any():
                raise Unfit("plain and atomic accesses of one element")
            writer[places] = -2
            return
        if ((writer[places] != -1) & (writer[places] != self.block)).any():
            raise Unfit("two blocks write one element")
        writer[places] = self.block


class Cluster:
    """Blocks that run at the same time, and see what the others have put down once all have."""

    def __init__(self, size):
        self.given, self.barrier, self.wrong = [None] * size, threading.Barrier(size), []

    def gather(self, rank, values):
        self.given[rank] = values
        self.barrier.wait()
        found = np.stack(self.given)
        self.barrier.wait()
        return found

    def run(self, statements, envs):
        def block(env):
            try:
                for statement in statements:
                    statement.run(env)
            except threading.BrokenBarrierError:
                pass
            except Exception as error:  # noqa: BLE001  (of a thread: raised again by who waits for it)
                self.wrong.append(error)
                self.barrier.abort()

        for rank, env in enumerate(envs):
            env.cluster, env.rank = self, rank
        threads = [threading.Thread(target=block, args=[env]) for env in envs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.wrong:
            raise self.wrong[0]
        if self.barrier.broken:
            raise Unfit("blocks of a cluster meet a different number of times")


@dataclasses.dataclass
class Program:
    seed: int
    tags: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)  # buffers
    outputs: list = dataclasses.field(default_factory=list)  # names of those that are written
    scalars: list = dataclasses.field(default_factory=list)  # (name, element)
    grid: list = dataclasses.field(default_factory=list)  # (text, function of a run)
    threads: int = 128
    cluster: tuple = ()
    attributes: dict = dataclasses.field(default_factory=dict)  # of the kernel
    body: list = dataclasses.field(default_factory=list)
    runs: list = dataclasses.field(default_factory=list)  # numbers by name
    meets: bool = False  # blocks of a cluster gather what each of them has
    archs: tuple = ()  # the only ones that have what the program asks for; empty: all

    BLOCKS = ("bx", "by", "bz")

    def parameters(self):
        found = [f"%{b.name}: {b.type}" + (f" {{{b.attributes}}}" if b.attributes else "") for b in self.arguments]
        return ", ".join(found + [f"%{name}: {element}" for name, element in self.scalars])

    def text(self, comment=True):
        out = Text()
        for statement in self.body:
            statement.emit(out)
        blocks = ", ".join(f"%{name}" for name in self.BLOCKS[: len(self.grid)])
        cluster = f" cluster({', '.join(map(str, self.cluster))})" if self.cluster else ""
        attributes = ", ".join(f"{key} = {value}" for key, value in self.attributes.items())
        head = f"tile.kernel @k({self.parameters()})\n    grid({blocks}) = ({', '.join(text for text, _ in self.grid)})"
        head += f" threads({self.threads}){cluster}" + (f" attributes {{{attributes}}}" if attributes else "") + " {"
        first = [f"// seed {self.seed}: {' '.join(sorted(set(self.tags)))}"] if comment else []
        return "\n".join([*first, head, *out.constant_lines(), *out.lines, "}"]) + "\n"

    def options(self, run):
        """tile-run's --args for a run."""
        found = []
        for b in self.arguments:
            steps = b.steps(run)
            text = "x".join(map(str, b.extents(run))) + ("@" + "x".join(map(str, steps)) if steps else "")
            found.append(f"{b.name}={text}:{b.fill}")
        return ",".join(found + [f"{name}={run[name]}" for name, _ in self.scalars])

    def blocks(self, run):
        extents = [function(run) for _, function in self.grid] + [1, 1]
        for z in range(extents[2]):
            for y in range(extents[1]):
                for x in range(extents[0]):
                    yield x, y, z

    def expected(self, run):
        """What the outputs hold afterwards, by name."""
        env = Env(self, run)
        clusters = {}
        for number, block in enumerate(self.blocks(run)):
            own = copy.copy(env)
            own.block, own.tiles = number, {}
            own.vars = {name: np.float64(run[name]) for name, _ in self.scalars}
            own.vars |= {name: np.float64(value) for name, value in zip(self.BLOCKS, block)}
            if not self.meets:
                for statement in self.body:
                    statement.run(own)
                continue
            # Blocks are numbered x first, in a cluster, too.
            clusters.setdefault(tuple(b // c for b, c in zip(block, [*self.cluster, 1, 1])), []).append(own)
        for envs in clusters.values():
            Cluster(len(envs)).run(self.body, envs)
        return {name: env.globals[name] for name in self.outputs}
