# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of memory that a thread copies for itself: T.ptx_cp_async."""

from .arithmetic import truth
from .barriers import mbarrier_arrive
from .builder import current
from .errors import fail
from .loop import vectorized
from .mathematics import And
from .ranges import bounds
from .values import Load, binary, number_of


def ptx_cp_async(dst_access_ptr, src_access_ptr, num_elems, predicate=None):
    """A thread copies elements in a row to shared memory; zeros where `predicate` is false.

    Copies of 4, 8 or 16 bytes at places that are known to be multiples of them go on by themselves
    (cp.async); who waits, by a barrier or in a later statement, finds them. What two such copies
    write is not the same memory before somebody has waited.
    """
    places = []
    for place in (dst_access_ptr, src_access_ptr):
        if not isinstance(place, Load):
            fail(f"T.ptx_cp_async: expected two places made by T.access_ptr, got {place!r}")
        places.append(place)
    if not isinstance(num_elems, int) or num_elems < 1:
        fail(f"T.ptx_cp_async: expected a number of elements, got {num_elems!r}")
    target, source = places
    builder = current("T.ptx_cp_async")

    def at(place, i):
        return (*place.indices[:-1], binary("add", place.indices[-1], i))

    # Whether the row exists is asked once for all of its elements, which then are one access.
    exists = True if predicate is None else truth(predicate)
    rows = list(zip(source.indices, source.buffer.shape))[:-1]
    for x, size in rows if source.buffer.safe_value is None else []:
        low, high = bounds(x)
        if high is None or number_of(size) is None or high >= number_of(size):
            exists = And(exists, x < size)
        if low is None or low < 0:
            exists = And(exists, x >= 0)
    branch = builder.branch(exists)
    if builder.then(branch):
        for i in vectorized(num_elems, annotations={"async_copy": True}).run(builder):
            builder.store(target.buffer, at(target, i), Load(source.buffer, at(source, i)))
    if builder.otherwise(branch):
        for i in vectorized(num_elems).run(builder):
            builder.store(target.buffer, at(target, i), 0)
    builder.end(branch)


def cp_async_barrier_noinc(barrier):
    """Each thread arrives once its copies by T.ptx_cp_async have landed."""
    mbarrier_arrive(barrier, after_copies=True)
