# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: Philox 4x32-10, a function of a key and a counter, as ordinary arithmetic.

The key is the seed; the counter is the offset, the number of the call in the kernel's text, the
iteration of the loops around it (of a `while`, how many there were), and the sequence: that of the
program, else the number of the block. So numbers do not depend on how iterations are spread over
threads. Outside of T.Parallel, where each thread executes the call, the thread's number counts,
too. They are not those of cuRAND's generators, whose counters count calls.
"""

import math

from .buffers import Buffer
from .builder import current
from .dtypes import dtype
from .errors import fail, here
from .kernel import thread_index
from .statements import Alloc, Assign
from .values import Const, as_value, binary, cast

_GENERATORS = ("curandStatePhilox4_32_10_t", "curandStateMRG32k3a_t", "curandStateXORWOW_t")
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
UINT32, UINT64 = dtype("uint32"), dtype("uint64")


class _State:
    """What T.rng_init said, and how many calls of the text drew from it."""

    def __init__(self, key, sequence, offset, generator):
        self.key, self.sequence, self.offset = key, sequence, offset
        # Generators take different numbers of calls.
        self.calls = generator << 24
        self.rounds = {}  # by the body of a `while`, a variable that counts its iterations


def _block_number(scope):
    """The number of the block in its grid, x first."""
    number, blocks = Const(0, dtype("int32")), Const(1, dtype("int32"))
    for block, extent in zip(scope.blocks, scope.grid):
        number = binary("add", number, binary("mul", block, blocks))
        blocks = binary("mul", blocks, extent)
    return number


def rng_init(seed, seq=None, off=0, generator="curandStatePhilox4_32_10_t"):
    """Starts random numbers: `seed` and `seq` choose a stream, `off` a place in it.

    Without `seq` each block has a stream of its own; blocks with one `seq` draw the same numbers.
    """
    builder = current("T.rng_init")
    if generator not in _GENERATORS:
        fail(f"T.rng_init: expected a generator of {', '.join(_GENERATORS)}, got {generator!r}")
    sequence = _block_number(builder.kernel) if seq is None else seq
    state = (as_value(x) for x in (seed, sequence, off))
    builder.random = _State(*state, _GENERATORS.index(generator))


def _words(construct):
    """Four random words for this call and iteration."""
    builder = current(construct)
    state = getattr(builder, "random", None)
    if state is None:
        fail(f"{construct} stands in front of T.rng_init(seed, ...)")
    state.calls += 1
    loops = builder.open_loops()
    place = 0 if any(loop.kind == "parallel" for loop in loops) else thread_index(builder.kernel)
    places = 1 if type(place) is int else builder.kernel.threads
    for loop in loops:
        for variable, extent in zip(loop.indices, loop.extents):
            count = binary("sub", extent, loop.start) if loop.kind != "parallel" else extent
            place = binary("add", binary("mul", place, count), variable)
            places = binary("mul", places, count)
    rounds = _rounds(builder, state, construct)
    if rounds is not None:
        place = binary("add", binary("mul", rounds, places), place)

    def word(value):
        return builder.define("random", cast(value, UINT32))

    counter = [word(x) for x in (state.offset, place, state.calls, state.sequence)]
    seed = cast(state.key, UINT64)
    keys = [word(seed), word(binary("shr", seed, Const(32, UINT64)))]
    for turn in range(10):
        products = []
        for i, factor in enumerate(_MULTIPLIERS):
            wide = binary("mul", cast(counter[2 * i], UINT64), Const(factor, UINT64))
            products.append(builder.define("product", wide))
        low = [cast(x, UINT32) for x in products]
        high = [cast(binary("shr", x, Const(32, UINT64)), UINT32) for x in products]
        key = [
            binary("add", keys[i], Const(turn * _WEYL[i] & 0xFFFFFFFF, UINT32)) for i in range(2)
        ]
        counter = [
            word(binary("xor", binary("xor", high[1], counter[1]), key[0])),
            word(low[1]),
            word(binary("xor", binary("xor", high[0], counter[3]), key[1])),
            word(low[0]),
        ]
    return counter


def _rounds(builder, state, construct):
    """How many iterations the innermost `while` around this call had before: in all, or in this
    iteration of T.Parallel, in which the loop stands. None without one."""
    if not _holds(builder.kernel.body, builder.block):
        fail(
            f"{construct} in the condition of a `while`: it would give the same number in each"
            " iteration; call it in the loop's body"
        )
    home, last, parallel = builder.kernel.body, None, False
    for kind, block in builder.loops:
        if kind == "while":
            if parallel and last is not None:
                fail(
                    f"{construct} in a `while` in T.Parallel in another `while`: its iterations are"
                    " not counted; call T.rng_init(...) with another seed or `off` in front of"
                    " T.Parallel, or use T.serial in place of the outer `while`"
                )
            last = block
        elif kind == "parallel" and last is None:
            home = block
        parallel = parallel or kind == "parallel" and last is not None
    if last is None:
        return None
    if id(last) not in state.rounds:
        # The statements that are traced now are the last ones of the blocks around them.
        count = Buffer((1,), "int32", "local.var", name="rounds")
        _put(builder, home, Alloc(count), Assign(count, as_value(-1)))
        _put(builder, last, Assign(count, binary("add", count.as_load(), 1)))
        state.rounds[id(last)] = count
    return builder.define("rounds", state.rounds[id(last)].as_load())


def _put(builder, block, *statements):
    """Adds statements to a block in front of the one in it that is being traced."""
    for statement in statements:
        statement.location = here()
    at = len(block) if block is builder.block else len(block) - 1
    block[at:at] = statements


def _holds(block, wanted):
    """Whether a block is another one, or has it inside."""
    return block is wanted or any(
        _holds(inner, wanted) for statement in block[-1:] for inner in statement.blocks
    )


def rng_rand():
    """A random number of 32 bits."""
    return _words("T.rng_rand")[0]


def _uniform(high, low, kind):
    """Uniform in (0, 1], of one word (float32) or two (float64)."""
    if kind == "float32":
        return binary("mul", binary("add", cast(high, kind), 0.5), Const(2.0**-32, kind))
    number = binary("add", binary("mul", cast(high, kind), Const(2.0**21, kind)), Const(0.5, kind))
    number = binary("add", number, cast(binary("shr", low, Const(11, UINT32)), kind))
    return binary("mul", number, Const(2.0**-53, kind))


def rng_rand_float(bit=32, dist="uniform"):
    """A random number: uniform in (0, 1], or normal (mean 0, deviation 1)."""
    from . import mathematics

    if bit not in (32, 64) or dist not in ("uniform", "normal"):
        fail(
            "T.rng_rand_float: expected bit=32 or 64 and dist='uniform' or 'normal', got"
            f" bit={bit}, dist={dist!r}"
        )
    kind = dtype(f"float{bit}")
    words = _words("T.rng_rand_float")
    first = _uniform(words[0], words[1], kind)
    if dist == "uniform":
        return first
    second = _uniform(words[2], words[3], kind)
    radius = mathematics.sqrt(binary("mul", Const(-2.0, kind), mathematics.log(first)))
    return binary("mul", radius, mathematics.cos(binary("mul", Const(2 * math.pi, kind), second)))
