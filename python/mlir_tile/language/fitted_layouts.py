# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From tables of places to the compiler's layouts: lists of modes (docs/Layouts.md, section 1).

A table is fitted digit by digit and compared at every element, so what comes out is the table.
"""


class NoFit(Exception):
    """A table that is no layout of the compiler: why."""


def modes_of(values):
    """Modes (extent, step) of a list of numbers or vectors that begins with zero, fastest first."""
    zero, modes = values[0], []
    at, count = 1, len(values)
    while at < count:
        step = values[at]
        extent = 1
        while extent * at < count and values[extent * at] == _times(step, extent):
            extent += 1
        if count % (extent * at):
            raise NoFit(f"{count} places do not divide into groups of {extent * at}")
        modes.append((extent, step))
        at *= extent
    for i, value in enumerate(values):
        found, rest = zero, i
        for extent, step in modes:
            found = _plus(found, _times(step, rest % extent))
            rest //= extent
        if found != value:
            raise NoFit(f"place {i} holds {value} where digits give {found}")
    return modes


def _times(value, factor):
    if isinstance(value, tuple):
        return tuple(x * factor for x in value)
    return value * factor


def _plus(a, b):
    return tuple(x + y for x, y in zip(a, b)) if isinstance(a, tuple) else a + b


def _axis(values):
    """The text of the modes of one axis of a fragment: values are coordinates."""
    parts = []
    for extent, step in modes_of(values):
        dims = [d for d, x in enumerate(step) if x]
        if len(dims) > 1:
            raise NoFit(f"a step goes along dimensions {dims} at once")
        parts.append(f"({extent}, {dims[0]}:{step[dims[0]]})" if dims else f"({extent}, *)")
    return f"[{', '.join(parts)}]"


def fragment_of_table(shape, table, block=None):
    """The text of the layout that a table {(thread, register): coordinates} is.

    `block`: the threads of the block. Where the table has fewer, the others hold copies: a layout
    of the compiler is one of all threads.
    """
    threads = 1 + max(thread for thread, _ in table)
    registers = 1 + max(register for _, register in table)
    if threads % 32:
        raise NoFit(f"{threads} threads are no whole warps")
    if len(table) != threads * registers:
        raise NoFit("some registers hold nothing")
    first = table[0, 0]
    if any(first):
        raise NoFit(f"register 0 of thread 0 holds {first}, not the first element")
    of_register = [table[0, r] for r in range(registers)]
    of_lane = [table[lane, 0] for lane in range(32)]
    of_warp = [table[32 * w, 0] for w in range(threads // 32)]
    for (thread, register), place in table.items():
        parts = of_register[register], of_lane[thread % 32], of_warp[thread // 32]
        if _plus(_plus(parts[0], parts[1]), parts[2]) != place:
            raise NoFit(f"thread {thread} and register {register} are not counted apart")
    if block is not None and -(-block // 32) * 32 % threads:
        raise NoFit(f"{threads} threads are no whole part of {block}")
    of_warp *= 1 if block is None else -(-block // 32) * 32 // threads
    axes = [_axis(x) for x in (of_register, of_lane, of_warp)]
    text = ", ".join(str(int(x)) for x in shape)
    body = f"shape [{text}] reg {axes[0]} lane {axes[1]} warp {axes[2]}"
    return f"#tile.fragment_layout<{body}>"


def shared_of_table(shape, bits, offsets):
    """The text of the layout that a table {coordinates: offset in elements} is."""
    why = None
    for swizzle in _swizzles(bits):
        try:
            return _shared(shape, bits, offsets, swizzle)
        except NoFit as error:
            why = why or error
    raise why


def _swizzles(bits):
    yield None
    if bits >= 8:
        for count in (3, 2, 1):
            for shift in (3, 4, 5):
                yield count, 4, shift


def _shared(shape, bits, offsets, swizzle):
    def linear(place):
        offset = offsets[place]
        if swizzle is None:
            return offset
        count, base, shift = swizzle
        byte = offset * bits // 8
        byte ^= (byte >> shift) & (((1 << count) - 1) << base)
        if byte * 8 % bits:
            raise NoFit("a swizzle splits elements")
        return byte * 8 // bits

    rank = len(shape)
    zero = (0,) * rank
    if linear(zero):
        raise NoFit(f"the first element lies at {linear(zero)}")
    modes, columns = [], []
    for d in range(rank):
        places = [(*zero[:d], i, *zero[d + 1 :]) for i in range(int(shape[d]))]
        columns.append([linear(x) for x in places])
        modes.append(modes_of(columns[-1]))
    for place in offsets:
        if linear(place) != sum(column[x] for column, x in zip(columns, place)):
            raise NoFit(f"the offset of {list(place)} is no sum of one for each index")
    order = sorted(range(rank), key=lambda d: (modes[d][0][1] if modes[d] else 0, -d))
    parts = [f"({e}, {d}:{s})" for d in order for e, s in modes[d]]
    text = ", ".join(str(int(x)) for x in shape)
    body = f"shape [{text}] bits {bits} modes [{', '.join(parts)}]"
    if swizzle is not None:
        body += f" swizzle({', '.join(map(str, swizzle))})"
    return f"#tile.shared_layout<{body}>"
