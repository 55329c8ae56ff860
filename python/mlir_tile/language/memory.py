# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles, variables and outputs; other views of buffers."""

from .buffers import Buffer, OutputTensor, Region, global_view, row_major, shape_of
from .builder import current
from .dtypes import dtype as element_type
from .errors import fail, here, unsupported
from .statements import Assign
from .values import Expr, as_value, cast, number_of
from .vectors import VectorBuffer


def _static(buffer, construct):
    for x in buffer.shape:
        if not isinstance(x, int):
            fail(f"{construct}: extents of tiles must be known when the kernel is built, got {x!r}")
        if x <= 0:
            fail(f"{construct}: expected positive extents, got {list(buffer.shape)}")
    return buffer


def _alloc(construct, shape, dtype, scope):
    builder = current(construct)
    made = builder.allocate(_static(Buffer(shape, dtype, scope), construct))
    lanes = element_type(dtype).lanes
    return made if lanes == 1 else VectorBuffer(made, shape, dtype)


def alloc_shared(shape, dtype, scope="shared.dyn"):
    """A tile in shared memory, one copy for each block."""
    return _alloc("T.alloc_shared", shape, dtype, scope or "shared.dyn")


def alloc_fragment(shape, dtype, scope="local.fragment"):
    """A tile in registers, spread over the block's threads."""
    return _alloc("T.alloc_fragment", shape, dtype, scope or "local.fragment")


def alloc_local(shape, dtype, scope="local"):
    """Memory private to a thread."""
    return _alloc("T.alloc_local", shape, dtype, scope or "local")


def allocate(shape, dtype="float32", *_, scope="global", **__):
    """T.allocate / T.alloc_buffer with a scope."""
    return _alloc("T.allocate", shape, dtype, scope)


def alloc_buffer(shape, dtype="float32", *_, scope=None, **__):
    """Memory of a scope: without one a workspace in front of T.Kernel, a shared tile inside."""
    if scope is None:
        scope = "global" if current("T.alloc_buffer").block is None else "shared.dyn"
    if scope in ("global", ""):
        return alloc_global(shape, dtype)
    return _alloc("T.alloc_buffer", shape, dtype, scope)


def alloc_var(dtype, *arguments, scope="local.var", init=None):
    """A variable: assigned by `=`, read by its name. `init`: its first value (zero where
    absent)."""
    if len(arguments) > 2:
        fail(
            f"T.alloc_var takes at most an initial value and a scope, got {len(arguments) + 1}"
            " arguments"
        )
    for x in arguments:
        if isinstance(x, str) and not isinstance(x, element_type):
            scope = x
        elif init is not None:
            fail("T.alloc_var: the initial value is given twice")
        else:
            init = x
    if getattr(dtype, "is_pointer_marker", False):
        dtype = "int64"
    if element_type(dtype).lanes > 1:
        unsupported(f"T.alloc_var of {dtype}", "use the element of T.alloc_local((1,), ...)")
    builder = current("T.alloc_var")
    buffer = builder.allocate(Buffer((1,), dtype, scope, name="variable"))
    if not buffer.is_var:
        unsupported(f"T.alloc_var in scope {scope}", "use T.alloc_shared or T.alloc_local")
    builder.add(Assign(buffer, cast(0 if init is None else as_value(init), buffer.dtype)))
    return buffer


def alloc_global(shape, dtype, scope="global"):
    """A workspace in global memory, allocated with each call of the kernel."""
    builder = current("T.alloc_global")
    buffer = Buffer(shape, dtype, "global")
    buffer.location = here()
    buffer.workspace = True
    builder.globals.append(buffer)
    return buffer


def empty(*shape, dtype="float32"):
    """An output of an eager kernel: allocated by the call, returned by the function."""
    builder = current("T.empty")
    if len(shape) == 2 and isinstance(shape[0], (tuple, list)):
        shape, dtype = shape
    elif len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    if builder.kernel is not None:
        fail("T.empty stands inside of T.Kernel; outputs are declared in front of it")
    return OutputTensor(shape, dtype)


class pointer_marker:
    """T.ptr: an argument that is a bare address; T.make_tensor gives it a shape."""

    is_pointer_marker = True

    def __call__(self, dtype=None, storage_scope="global", *, is_size_var=False):
        return Pointer(dtype)


def is_address(kind):
    """Whether values of this type may be addresses."""
    return kind in _ADDRESSES


class Pointer:
    """An argument that is an address, until T.make_tensor says what lies there."""

    is_pointer_marker = True

    def __init__(self, dtype=None):
        self.dtype, self.name, self.location = dtype, "pointer", here()


ptr = pointer_marker()
handle = ptr


def make_tensor(pointer, shape, dtype="float32", strides=None):
    """The tensor at an address: an argument (T.ptr), or an integer of 64 bits that the kernel has,
    as from a table of addresses (T.Tensor([n], T.ptr))."""
    builder = current("T.make_tensor")
    if isinstance(pointer, Pointer):
        for i, x in enumerate(builder.arguments):
            if x is pointer:
                buffer = Buffer(shape, dtype, "global", strides, pointer.name)
                buffer.is_address = True
                builder.arguments[i] = buffer
                return buffer
        fail(f"T.make_tensor: {pointer.name} is no argument of this kernel")
    address = as_value(pointer)
    if not isinstance(address, Expr) or not is_address(address.dtype):
        fail(f"T.make_tensor: expected an address (T.ptr, or an int64), got {pointer!r}")
    if builder.kernel is None:
        fail("T.make_tensor of an address from a table stands inside of T.Kernel")
    buffer = Buffer(shape, dtype, "global", name="pointee")
    if strides is not None and shape_of(strides) != row_major(buffer.shape):
        unsupported("T.make_tensor of an address from a table, with strides", "use dense tensors")
    if buffer.dtype.bits % 8:
        unsupported(f"T.make_tensor of {buffer.dtype} at an address from a table")
    builder.tile("from_address", address=address, result=buffer)
    return buffer


_ADDRESSES = (element_type("int64"), element_type("uint64"))
match_buffer = make_tensor


make_tensor_from_addr = make_tensor


def reshape(source, shape):
    """The same elements, in row-major order, under another shape."""
    return view(source, shape, None, construct="T.reshape")


def view(source, shape=None, dtype=None, construct="T.view"):
    """The same bytes under another shape or element type."""
    builder = current(construct)
    if isinstance(source, Region):
        if not source.whole:
            unsupported(f"{construct} of a slice", "copy the slice into a tile of its own")
        source = source.buffer
    source = getattr(source, "scalars", source)
    if not isinstance(source, Buffer):
        fail(f"{construct}: expected a buffer, got {source!r}")
    kind = source.dtype if dtype is None else element_type(dtype)
    shape = source.shape if shape is None else shape_of(shape)
    sizes = [number_of(x) for x in source.shape]
    wanted = [number_of(x) for x in shape]
    if None not in sizes and None not in wanted:
        have = want = 1
        for x in sizes:
            have *= x
        for x in wanted:
            want *= x
        if have * source.dtype.bits != want * kind.bits:
            fail(
                f"{construct}: {source!r} has {have * source.dtype.bits} bits, a buffer of"
                f" {list(shape)} {kind} has {want * kind.bits}"
            )
    if tuple(shape) == source.shape and kind is source.dtype:
        return source
    if source.given_strides is not None and source.given_strides != row_major(source.shape):
        unsupported(f"{construct} of a tensor with strides of its own")
    made = Buffer(shape, kind, source.scope_name, name=source.name)
    if source.space == "global":
        return global_view(source, made)
    made.base = source
    builder.tile("view", source=source, result=made)
    return made


def is_number(value):
    return not isinstance(as_value(value), Expr)
