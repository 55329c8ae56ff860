# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts that a program states on its tiles (docs/Layouts.md): shared memory with padding or a swizzle, fragments dealt out anyhow."""

import math

from elements import ELEMENTS


def shared(rng, shape, element):
    """Rows with padding, columns next to each other, or rows with an XOR swizzle."""
    bits = 8 if element == "i1" else ELEMENTS[element].bits  # a byte in memory
    rows, columns = shape
    kind = rng.choice(["padded", "columns", "swizzle"])
    if kind == "columns" and bits >= 8:
        modes, swizzle = f"[({rows}, 0:1), ({columns}, 1:{rows})]", ""
    elif kind == "swizzle" and columns * bits % 1024 == 0 and columns & (columns - 1) == 0:
        modes, swizzle = f"[({columns}, 1:1), ({rows}, 0:{columns})]", f" swizzle({rng.choice([1, 2, 3])}, 4, 3)"
    else:
        pad = rng.choice([1, 2, 8]) * max(1, 32 // bits) if bits >= 8 else 32
        modes, swizzle = f"[({columns}, 1:1), ({rows}, 0:{columns + pad})]", ""
    return f"#tile.shared_layout<shape {list(shape)} bits {bits} modes {modes}{swizzle}>"


def _digits(rng, number):
    """Extents of powers of two whose product is `number`."""
    found = []
    while number > 1:
        part = rng.choice([p for p in (2, 4, 8, 16, 32) if number % p == 0])
        found.append(part)
        number //= part
    return found


def fragment(rng, shape, threads):
    """Each element's digits dealt out to lanes, warps and registers; what is left of the threads holds copies. None where
    a thread would hold more than it has registers: nobody states that (docs/Limits.md)."""
    left = {d: extent for d, extent in enumerate(shape)}
    stride = {d: 1 for d in left}

    def axis(count):
        modes = []
        for digit in _digits(rng, count & -count):
            fits = [d for d in left if left[d] % digit == 0]
            if fits and rng.random() < 0.85:
                d = rng.choice(fits)
                modes.append(f"({digit}, {d}:{stride[d]})")
                left[d] //= digit
                stride[d] *= digit
            else:
                modes.append(f"({digit}, *)")
        if count & -count != count:
            modes.append(f"({count // (count & -count)}, *)")
        return f"[{', '.join(modes)}]"

    first, parts = [], 1
    for d in rng.sample(sorted(left), len(left)):
        if rng.random() < 0.5:
            part = rng.choice([p for p in (1, 2, 4) if left[d] % p == 0])
            if part > 1:
                first.append(f"({part}, {d}:{stride[d]})")
                left[d] //= part
                stride[d] *= part
                parts *= part
    lanes, warps = axis(32), axis(threads // 32)
    if parts * math.prod(left.values()) > 255:
        return ""
    rest = [f"({left[d]}, {d}:{stride[d]})" for d in left if left[d] > 1]
    return f"#tile.fragment_layout<shape {list(shape)} reg [{', '.join(first + rest)}] lane {lanes} warp {warps}>"


def choose(rng, buffer, threads):
    if buffer.space == "fragment":
        return fragment(rng, buffer.shape, threads)
    if buffer.space == "shared" and buffer.rank == 2:
        return shared(rng, buffer.shape, buffer.element)
    return ""
