# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that may be absent: T.isnullptr.

Whether an argument is there is known when the kernel is called. A kernel that asks is traced again
for calls where it is not: what it does with the argument is not in that program at all.
"""

from .buffers import Buffer
from .builder import current
from .errors import fail
from .memory import Pointer, is_address
from .values import Load, as_value


def isnullptr(value):
    """Whether an argument was None in the call (an address, T.ptr: or 0); of an address that the
    kernel has, whether it is 0."""
    builder = current("T.isnullptr")
    if isinstance(value, Load) and not is_address(value.dtype):
        value = value.buffer
    if isinstance(value, (Buffer, Pointer)):
        if not any(x is value for x in builder.arguments):
            fail(f"T.isnullptr: {value.name} is no argument of the kernel")
        builder.asked_null.add(value.name)
        return value.name in builder.nulls
    address = as_value(value)
    if not is_address(getattr(address, "dtype", None)):
        fail(f"T.isnullptr: expected an argument or an address, got {value!r}")
    return address == 0


def stand_in(pointer):
    """What the program has in place of an address that is not there."""
    buffer = Buffer((1,), "uint8", "global", None, pointer.name)
    buffer.location = pointer.location
    return buffer
