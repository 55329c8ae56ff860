# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements that move tiles: copies, fills, atomics, gathers, scatters, im2col, awaits."""

import itertools

import numpy as np

from elements import Unfit, check_exact


class Region:
    """Part of a buffer: from `offsets` (None: zeros), of extents `sizes`. `says` is whether the text states them."""

    def __init__(self, buffer, offsets=None, sizes=None, says=False):
        self.buffer, self.offsets, self.says = buffer, offsets, says
        self.sizes = list(sizes if sizes is not None else buffer.shape)

    def emit(self, out):
        text = f"%{self.buffer.name}"
        if self.offsets is not None:
            text += f"[{', '.join(o.emit(out) for o in self.offsets)}]"
        return text + (f" sizes [{', '.join(map(str, self.sizes))}]" if self.says else "")

    def places(self, env):
        """Arrays of indices, one per dimension, and which of them lie in the buffer."""
        shape = env.array(self.buffer).shape
        starts = [0] * len(shape) if self.offsets is None else [int(o.value(env)) for o in self.offsets]
        axes = np.ix_(*(np.arange(start, start + size) for start, size in zip(starts, self.sizes)))
        inside = np.ones([1] * len(shape), bool)
        for axis, extent in zip(axes, shape):
            inside = inside & (axis >= 0) & (axis < extent)
        inside = np.broadcast_to(inside, self.sizes)
        if self.buffer.space != "global" and not inside.all():
            raise Unfit("a part of a tile that leaves it")
        return [np.broadcast_to(axis, self.sizes) for axis in axes], inside

    def read(self, env, outside=0.0):
        axes, inside = self.places(env)
        values = np.full(self.sizes, outside, np.float64)
        places = tuple(axis[inside] for axis in axes)
        env.note_read(self.buffer, places)
        values[inside] = env.array(self.buffer)[places]
        if np.isnan(values).any():
            raise Unfit("reads what nothing wrote")
        return values

    def write(self, env, values, combine=None):
        """Elements outside of the buffer are dropped. `combine` of old and new: an atomic."""
        axes, inside = self.places(env)
        places = tuple(axis[inside] for axis in axes)
        values = np.asarray(values).reshape(self.sizes)[inside]
        array = env.array(self.buffer)
        env.note_write(self.buffer, places, atomic=combine is not None)
        if combine:
            values = check_exact(combine(array[places], values), self.buffer.element)
        array[places] = check_exact(values, self.buffer.element)


def _attributes(words):
    return f" {{{', '.join(words)}}}" if words else ""


class Copy:
    def __init__(self, source, target, pad=None, attributes=(), token=None, completes=None):
        self.source, self.target, self.pad, self.attributes, self.token = source, target, pad, attributes, token
        self.completes = completes  # barriers, and the index of one of them

    def emit(self, out):
        source, target = self.source.emit(out), self.target.emit(out)
        element = self.target.buffer.element
        completes = ""
        if self.completes:
            barriers, index = self.completes
            completes = f" completes(%{barriers.name}[{index.emit(out)}] : {barriers.type})"
        pad = "" if self.pad is None else f" pad({out.constant(self.pad, element)} : {element})"
        name = f"%{self.token} = " if self.token else ""
        token = " -> !tile.token" if self.token else ""
        out.line(f"{name}tile.copy {source} to {target}{pad}{completes}{_attributes(self.attributes)} : {self.source.buffer.type} to "
                 f"{self.target.buffer.type}{token}")

    def run(self, env):
        self.target.write(env, self.source.read(env, outside=self.pad or 0.0))


class Fill:
    def __init__(self, target, number):
        self.target, self.number = target, number

    def emit(self, out):
        buffer = self.target.buffer
        out.line(f"tile.fill {self.target.emit(out)} with {out.constant(self.number, buffer.element)} : {buffer.type}, {buffer.element}")

    def run(self, env):
        self.target.write(env, np.full(self.target.sizes, float(self.number)))


class Atomic:
    def __init__(self, kind, source, target, attributes=(), token=None):
        self.kind, self.source, self.target, self.attributes, self.token = kind, source, target, attributes, token

    def emit(self, out):
        source, target = self.source.emit(out), self.target.emit(out)
        name = f"%{self.token} = " if self.token else ""
        token = " -> !tile.token" if self.token else ""
        out.line(f"{name}tile.atomic {self.kind} {source} to {target}{_attributes(self.attributes)} : {self.source.buffer.type} to "
                 f"{self.target.buffer.type}{token}")

    def run(self, env):
        self.target.write(env, self.source.read(env), {"add": np.add, "max": np.maximum, "min": np.minimum}[self.kind])


class Await:
    def __init__(self, tokens, read=False):
        self.tokens, self.only_read = tokens, read

    def emit(self, out):
        out.line(f"tile.await {'read ' if self.only_read else ''}{', '.join('%' + t for t in self.tokens)}")

    def run(self, env):
        pass


class Gather:
    def __init__(self, source, column, indices, first, target, attributes=()):
        self.source, self.column, self.indices, self.first, self.target = source, column, indices, first, target
        self.attributes = attributes

    def emit(self, out):
        column, first = self.column.emit(out), self.first.emit(out)
        out.line(f"tile.gather %{self.source.name}[{column}] rows %{self.indices.name}[{first}] to %{self.target.name}"
                 f"{_attributes(self.attributes)} : {self.source.type}, {self.indices.type} to {self.target.type}")

    def rows(self, env):
        """The row of each row of the tile; -1 where the buffer of indices is too short."""
        indices, first = env.array(self.indices), int(self.first.value(env))
        found = np.full(self.tile().shape[0], -1, np.int64)
        known = indices[first : first + len(found)]
        if np.isnan(known).any() or first < 0 or int(self.column.value(env)) < 0:
            raise Unfit("indices that nothing wrote")
        if self.indices.space != "global" and len(known) < len(found):
            raise Unfit("too few indices in a tile")
        found[: len(known)] = known
        return found

    def tile(self):
        return self.target

    def run(self, env):
        array, rows, column = env.array(self.source), self.rows(env), int(self.column.value(env))
        columns = column + np.arange(self.target.shape[1])
        inside = ((rows >= 0) & (rows < array.shape[0]))[:, None] & (columns < array.shape[1])[None, :]
        values = np.zeros(self.target.shape)
        r, c = np.broadcast_arrays(rows[:, None], columns[None, :])
        values[inside] = array[r[inside], c[inside]]
        env.array(self.target)[...] = check_exact(values, self.target.element)


class Scatter(Gather):
    """`target` is the global matrix, `source` the tile."""

    def emit(self, out):
        column, first = self.column.emit(out), self.first.emit(out)
        out.line(f"tile.scatter %{self.source.name} to %{self.target.name}[{column}] rows %{self.indices.name}[{first}]"
                 f"{_attributes(self.attributes)} : {self.source.type} to {self.target.type}, {self.indices.type}")

    def tile(self):
        return self.source

    def run(self, env):
        array, rows, column = env.array(self.target), self.rows(env), int(self.column.value(env))
        columns = column + np.arange(self.source.shape[1])
        inside = ((rows >= 0) & (rows < array.shape[0]))[:, None] & (columns < array.shape[1])[None, :]
        live = rows[(rows >= 0) & (rows < array.shape[0])]
        if len(np.unique(live)) != len(live):
            raise Unfit("two rows of a scatter are one")
        r, c = np.broadcast_arrays(rows[:, None], columns[None, :])
        places = (r[inside], c[inside])
        env.note_write(self.target, places)
        array[places] = check_exact(env.array(self.source)[inside], self.target.element)


class Im2col:
    def __init__(self, source, pixel, taps, channel, target, kernel, strides, dilations, lower, upper):
        self.source, self.pixel, self.taps, self.channel, self.target = source, pixel, taps, channel, target
        self.kernel, self.strides, self.dilations, self.lower, self.upper = kernel, strides, dilations, lower, upper

    def emit(self, out):
        pixel, channel = self.pixel.emit(out), self.channel.emit(out)
        taps = ", ".join(t.emit(out) for t in self.taps)
        text = f"tile.im2col %{self.source.name} pixel {pixel} filter [{taps}] channel {channel} to %{self.target.name} kernel {self.kernel}"
        for word, numbers, plain in (("strides", self.strides, 1), ("dilations", self.dilations, 1), ("pad_lower", self.lower, 0),
                                     ("pad_upper", self.upper, 0)):
            if any(n != plain for n in numbers):
                text += f" {word} {numbers}"
        out.line(f"{text} : {self.source.type} to {self.target.type}")

    def outputs(self, shape):
        """The output pixels along each spatial dimension."""
        return [max(0, (size + low + high - dilation * (taps - 1) - 1) // stride + 1)
                for size, taps, stride, dilation, low, high in
                zip(shape[1:-1], self.kernel, self.strides, self.dilations, self.lower, self.upper)]

    def run(self, env):
        array, values = env.array(self.source), np.zeros(self.target.shape)
        pixel, channel = int(self.pixel.value(env)), int(self.channel.value(env))
        taps = [int(t.value(env)) for t in self.taps]
        pixels = list(itertools.product(range(array.shape[0]), *(range(n) for n in self.outputs(array.shape))))
        for i in range(self.target.shape[0]):
            if pixel + i >= len(pixels):
                break
            image, *place = pixels[pixel + i]
            at = [p * s + t * d - low for p, s, t, d, low in zip(place, self.strides, taps, self.dilations, self.lower)]
            if all(0 <= a < size for a, size in zip(at, array.shape[1:-1])):
                row = array[(image, *at)][channel : channel + self.target.shape[1]]
                values[i, : len(row)] = row
        env.array(self.target)[...] = check_exact(values, self.target.element)
