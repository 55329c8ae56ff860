# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements that compute with whole tiles: gemms, reductions, scans, conversions of layouts, views."""

from types import SimpleNamespace

import numpy as np

from elements import ELEMENTS, Unfit, check_exact


class Gemm:
    def __init__(self, a, b, c, transpose_a=False, transpose_b=False, clear=False, attributes=(), unsigned=(False, False), token=None):
        self.a, self.b, self.c, self.transpose_a, self.transpose_b, self.clear = a, b, c, transpose_a, transpose_b, clear
        self.attributes, self.unsigned, self.token = attributes, unsigned, token
        self.sparsity = ""  # sparse.py

    def emit(self, out):
        words = [word for word, said in (("transpose_a", self.transpose_a), ("transpose_b", self.transpose_b), ("clear", self.clear),
                                         ("unsigned_a", self.unsigned[0]), ("unsigned_b", self.unsigned[1])) if said]
        words += self.attributes
        text = f" {{{', '.join(words)}}}" if words else ""
        name = f"%{self.token} = " if self.token else ""
        token = " -> !tile.token" if self.token else ""
        out.line(f"{name}tile.gemm %{self.a.name}, %{self.b.name}, %{self.c.name}{self.sparsity}{text} : {self.a.type}, {self.b.type}, {self.c.type}{token}")

    def run(self, env):
        self.multiply(*(env.array(buffer) for buffer in (self.a, self.b, self.c)))

    def multiply(self, a, b, c):
        if np.isnan(a).any() or np.isnan(b).any() or (np.isnan(c).any() and not self.clear):
            raise Unfit("reads what nothing wrote")
        a, b = (np.where(x < 0, x + 256, x) if unsigned else x for x, unsigned in zip((a, b), self.unsigned))
        a, b = a.T if self.transpose_a else a, b.T if self.transpose_b else b
        start = 0 if self.clear else c
        # Every partial sum has to be exact, in whichever order; fp8 products are summed with 14 bits.
        limit = ELEMENTS[self.c.element].most
        if ELEMENTS[self.a.element].bits == 8 and ELEMENTS[self.a.element].kind == "float":
            limit = min(limit, 2**13)
        if (np.abs(a) @ np.abs(b) + np.abs(start) > limit).any():
            raise Unfit("a sum that is not exact in every order")
        c[...] = check_exact(a @ b + start, self.c.element)


def sliced(out, name, tile, index):
    """Writes the view %name of one slice of a tile of rank 3, and returns what is known of it."""
    rows, columns = tile.shape[1:]
    seen = tile.type.replace(f"memref<{tile.shape[0]}x", "memref<", 1).replace(
        f"x{tile.element},", f"x{tile.element}, strided<[{columns}, 1], offset: ?>,", 1)
    out.line(f"%{name} = memref.subview %{tile.name}[{index}, 0, 0] [1, {rows}, {columns}] [1, 1, 1] : {tile.type} to {seen}")
    return SimpleNamespace(name=name, type=seen)


class SlicedGemms:
    """A product of each slice of two tiles of rank 3, summed up."""

    def __init__(self, name, gemm):
        self.name, self.gemm = name, gemm

    def emit(self, out):
        gemm, name = self.gemm, self.name
        for word, number in (("first", 0), ("step", 1), ("end", gemm.a.shape[0])):
            out.line(f"%{name}_{word} = arith.constant {number} : index")
        out.line(f"scf.for %{name} = %{name}_first to %{name}_end step %{name}_step {{")
        slices = [sliced(out, f"{name}_{side}", tile, f"%{name}") for side, tile in (("a", gemm.a), ("b", gemm.b))]
        Gemm(*slices, gemm.c, gemm.transpose_a, gemm.transpose_b, False, gemm.attributes, gemm.unsigned).emit(out)
        out.line("}")

    def run(self, env):
        gemm = self.gemm
        for a, b in zip(env.array(gemm.a), env.array(gemm.b)):
            gemm.multiply(a, b, env.array(gemm.c))


class Reduce:
    KINDS = {"sum": (np.add, lambda x: x), "max": (np.maximum, lambda x: x), "min": (np.minimum, lambda x: x),
             "abssum": (np.add, np.abs), "absmax": (np.maximum, np.abs)}

    def __init__(self, kind, source, target, dim, accumulate=False):
        self.kind, self.source, self.target, self.dim, self.accumulate = kind, source, target, dim, accumulate

    def emit(self, out):
        word = " accumulate" if self.accumulate else ""
        out.line(f"tile.reduce {self.kind} %{self.source.name} to %{self.target.name} dim({self.dim}){word} : {self.source.type} to {self.target.type}")

    def run(self, env):
        source, target = env.array(self.source), env.array(self.target)
        if np.isnan(source).any() or (self.accumulate and np.isnan(target).any()):
            raise Unfit("reads what nothing wrote")
        combine, first = self.KINDS[self.kind]
        if combine is np.add:
            check_exact(np.abs(source).sum(self.dim), self.target.element)
        found = combine.reduce(first(source), axis=self.dim).reshape(target.shape)
        target[...] = check_exact(combine(target, found) if self.accumulate else found, self.target.element)


class Scan:
    KINDS = {"sum": np.add, "max": np.maximum, "min": np.minimum}

    def __init__(self, kind, source, target, dim, reverse=False):
        self.kind, self.source, self.target, self.dim, self.reverse = kind, source, target, dim, reverse

    def emit(self, out):
        word = " reverse" if self.reverse else ""
        out.line(f"tile.scan {self.kind} %{self.source.name} to %{self.target.name} dim({self.dim}){word} : {self.source.type} to {self.target.type}")

    def run(self, env):
        source, target = env.array(self.source), env.array(self.target)
        if np.isnan(source).any():
            raise Unfit("reads what nothing wrote")
        if self.kind == "sum":
            check_exact(np.abs(source).sum(self.dim), self.target.element)
        ordered = np.flip(source, self.dim) if self.reverse else source
        found = self.KINDS[self.kind].accumulate(ordered, axis=self.dim)
        target[...] = check_exact(np.flip(found, self.dim) if self.reverse else found, self.target.element)


class View:
    """The target is a view of the source: both are the same elements."""

    def __init__(self, target, source):
        self.target, self.source = target, source

    def emit(self, out):
        out.line(f"%{self.target.name} = tile.view %{self.source.name} : {self.source.type} to {self.target.type}")

    def run(self, env):
        env.tiles[self.target.name] = env.array(self.source).reshape(self.target.shape)


class CopyReshaped:
    """The target takes the elements of a view of the source."""

    def __init__(self, name, source, target):
        self.name, self.source, self.target = name, source, target

    def emit(self, out):
        extents = "x".join(map(str, self.source.shape))
        seen = self.source.type.replace(extents, "x".join(map(str, self.target.shape)), 1)
        out.line(f"%{self.name} = tile.view %{self.source.name} : {self.source.type} to {seen}")
        out.line(f"tile.copy %{self.name} to %{self.target.name} : {seen} to {self.target.type}")

    def run(self, env):
        target = env.array(self.target)
        target[...] = env.array(self.source).reshape(target.shape)


class ClusterGather:
    def __init__(self, source, target):
        self.source, self.target = source, target

    def emit(self, out):
        out.line(f"tile.cluster_gather %{self.source.name} to %{self.target.name} : {self.source.type} to {self.target.type}")

    def run(self, env):
        own = env.array(self.source).copy()
        if np.isnan(own).any():
            raise Unfit("reads what nothing wrote")
        env.array(self.target)[...] = env.cluster.gather(env.rank, own)


class ConvertLayout:
    def __init__(self, source, target):
        self.source, self.target = source, target

    def emit(self, out):
        out.line(f"tile.convert_layout %{self.source.name} to %{self.target.name} : {self.source.type} to {self.target.type}")

    def run(self, env):
        if np.isnan(env.array(self.source)).any():
            raise Unfit("reads what nothing wrote")
        env.array(self.target)[...] = env.array(self.source)
