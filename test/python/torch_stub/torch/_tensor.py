# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensor of the stand-in for torch: a numpy array with torch's names and type rules."""

import ctypes
import operator

import numpy as np

from ._dtypes import TYPES, Size, by_name, device, of_numpy, of_python

_LOW = {"float16", "bfloat16"} | {name for name in TYPES if name.startswith("float8")}


def array_of(value):
    """The numpy array or Python scalar behind `value`."""
    return value._a if isinstance(value, Tensor) else value


def widened(a):
    """`a` with elements that numpy computes with at full speed and without repeated rounding."""
    kind = getattr(a, "dtype", None)
    if kind is not None and kind.kind not in "biuc" and kind.itemsize < 4:
        return a.astype(np.float32)
    return a


def _category(kind):
    if kind.name == "bool":
        return 0
    return 3 if kind.is_complex else 2 if kind.is_floating_point else 1


def promoted(*values):
    """The element type of an operation on `values`, by torch's rules: scalars and tensors of rank 0
    count only with their category (bool, integer, floating point, complex)."""
    ranked = [v for v in values if isinstance(v, Tensor) and v._a.ndim]
    zeros = [v for v in values if isinstance(v, Tensor) and not v._a.ndim]
    scalars = [v for v in values if not isinstance(v, Tensor)]
    result = None
    for group in (ranked, zeros):
        for value in group:
            if result is None:
                result = value._t
            elif group is ranked or _category(value._t) > _category(result):
                result = _join(result, value._t)
    for value in scalars:
        kind = TYPES["bool" if isinstance(value, (bool, np.bool_)) else "int64"]
        if isinstance(value, (float, np.floating)):
            kind = TYPES["float32"]
        elif isinstance(value, complex):
            kind = TYPES["complex64"]
        if result is None or _category(kind) > _category(result):
            result = kind
    return result


def _join(a, b):
    if a is b:
        return a
    if _category(a) != _category(b):
        return a if _category(a) > _category(b) else b
    if _category(a) == 2:
        if a.held.itemsize != b.held.itemsize:
            return a if a.held.itemsize > b.held.itemsize else b
        return TYPES["float32"]
    return of_numpy(np.promote_types(a.held, b.held))


def wrap(a, kind=None):
    """A tensor of `a` with elements of `kind` (default: those of the array)."""
    a, kind = np.asarray(a), of_python(kind)
    if kind is not None and a.dtype != kind.held:
        with np.errstate(all="ignore"):
            a = widened(a).astype(kind.held)
    return Tensor._of(a, kind or of_numpy(a.dtype))


class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", _DLType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManaged(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _DLVersioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_KEPT = {}  # what consumers hold: address of the managed tensor -> everything it points into
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_release = _Deleter(lambda address: _KEPT.pop(address, None) and None)
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Tensor:
    """A numpy array `_a` and the element type `_t` it stands for."""

    __array_priority__ = 1000
    requires_grad = False
    grad = None
    is_cuda = False
    is_sparse = False
    is_leaf = True
    layout = "strided"

    def __init__(self, *sizes):
        data = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else np.empty(sizes)
        self._a = np.array(array_of(data), np.float32)
        self._t = TYPES["float32"]

    @classmethod
    def _of(cls, a, kind):
        self = Tensor.__new__(Tensor)
        self._a, self._t = a, kind
        return self

    # What it is.
    shape = property(lambda self: Size(self._a.shape))
    dtype = property(lambda self: self._t)
    device = property(lambda self: device("cpu"))
    ndim = property(lambda self: self._a.ndim)
    itemsize = property(lambda self: self._t.itemsize)
    nbytes = property(lambda self: self._a.nbytes)
    data = property(lambda self: self)
    T = property(lambda self: Tensor._of(self._a.T, self._t))
    mT = property(lambda self: Tensor._of(np.swapaxes(self._a, -1, -2), self._t))
    real = property(lambda self: wrap(self._a.real))
    imag = property(lambda self: wrap(self._a.imag))

    def size(self, dim=None):
        """The shape, or one size of it."""
        return self.shape if dim is None else self._a.shape[dim]

    def dim(self):
        """The rank."""
        return self._a.ndim

    ndimension = dim

    def numel(self):
        """The number of elements."""
        return self._a.size

    nelement = numel

    def element_size(self):
        """Bytes of one element."""
        return self._t.itemsize

    def stride(self, dim=None):
        """Distances of neighbours in elements."""
        strides = tuple(s // self._a.itemsize for s in self._a.strides)
        return strides if dim is None else strides[dim]

    def storage_offset(self):
        """Views start where they point: always 0."""
        return 0

    def data_ptr(self):
        """Address of the first element."""
        return self._a.__array_interface__["data"][0]

    def is_contiguous(self):
        """Whether the elements follow each other in row-major order."""
        return bool(self._a.flags.c_contiguous)

    def is_floating_point(self):
        """Whether the element type is a floating-point one."""
        return self._t.is_floating_point

    def is_complex(self):
        """Whether the element type is complex."""
        return self._t.is_complex

    def item(self):
        """The one element as a Python scalar."""
        return widened(self._a).item()

    def tolist(self):
        """Nested Python lists."""
        return widened(self._a).tolist()

    def numpy(self):
        """The array itself (no copy)."""
        return self._a

    def __array__(self, kind=None, copy=None):
        return self._a if kind is None else self._a.astype(kind)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        a = self._a
        size = ctypes.c_int64 * max(a.ndim, 1)
        shape, strides = size(*a.shape), size(*self.stride())
        kind = _DLType(self._t.dlpack, self._t.bits, 2 if self._t.bits == 4 else 1)
        place = self.data_ptr()
        view = _DLTensor(place, _DLDevice(1, 0), a.ndim, kind, shape, strides, 0)
        deleter = ctypes.cast(_release, ctypes.c_void_p)
        versioned = max_version is not None and max_version >= (1, 0)
        if versioned:
            managed = _DLVersioned((1, 0), None, deleter, 0, view)
        else:
            managed = _DLManaged(view, None, deleter)
        _KEPT[ctypes.addressof(managed)] = (managed, a, shape, strides)
        name = b"dltensor_versioned" if versioned else b"dltensor"
        return _api.PyCapsule_New(ctypes.addressof(managed), name, None)

    # Conversions.
    def to(self, *args, dtype=None, device=None, copy=False, **_):
        """With another element type; devices are all the same one."""
        for arg in args:
            if isinstance(arg, Tensor):
                dtype = arg._t
            elif hasattr(arg, "held") or arg in (bool, int, float):
                dtype = arg
        dtype = of_python(dtype)
        if dtype is None or dtype is self._t:
            return self.clone() if copy else self
        with np.errstate(all="ignore"):
            a = widened(self._a)
            if a.dtype.kind == "f" and dtype.held.kind in "iu":
                a = np.trunc(a)  # towards zero; what does not fit wraps as on x86
                a = a.astype(np.int64) if dtype.held.itemsize < 8 else a
            return wrap(a.astype(dtype.held), dtype)

    def type(self, kind=None):
        """With elements of `kind`; without one: the type's name."""
        return f"torch.{self._t.name}" if kind is None else self.to(kind)

    def cuda(self, *_, **__):
        """The tensor itself: every device is the CPU."""
        return self

    cpu = cuda
    pin_memory = cuda
    detach = cuda

    def requires_grad_(self, on=True):
        """Remembers the wish; there are no gradients here."""
        self.requires_grad = on
        return self

    def view(self, *shape, dtype=None):
        """Same bytes, another shape or element type."""
        if dtype is None and len(shape) == 1 and hasattr(shape[0], "held"):
            dtype = shape[0]
        if dtype is not None:
            kind = of_python(dtype)
            return Tensor._of(self._a.view(kind.held), kind)
        view = self._a.view()
        view.shape = _sizes(shape)  # raises where numpy would have to copy
        return Tensor._of(view, self._t)

    def reshape(self, *shape):
        """Another shape, a copy where it must be."""
        return Tensor._of(self._a.reshape(_sizes(shape)), self._t)

    # Elements.
    def __getitem__(self, index):
        return Tensor._of(np.asarray(self._a[_index(index)]), self._t)

    def __setitem__(self, index, value):
        source = widened(np.asarray(array_of(value)))
        with np.errstate(all="ignore"):
            self._a[_index(index)] = source.astype(self._t.held)

    def __len__(self):
        if not self._a.ndim:
            raise TypeError("len() of a tensor of rank 0")
        return len(self._a)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __contains__(self, value):
        return bool((self._a == array_of(value)).any())

    def __bool__(self):
        if self._a.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._a.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        return operator.index(self._a.item())

    def __format__(self, spec):
        return format(self.item(), spec) if self._a.size == 1 and spec else repr(self)

    def __repr__(self):
        text = np.array2string(widened(self._a), separator=", ", threshold=100, prefix="tensor(")
        return f"tensor({text}, dtype={self._t})"

    def __hash__(self):
        return id(self)

    def __reduce__(self):
        return (_restored, (np.ascontiguousarray(self._a).tobytes(), self._a.shape, self._t.name))

    def __deepcopy__(self, _):
        return self.clone()

    def clone(self, **_):
        """A copy."""
        return Tensor._of(self._a.copy(), self._t)


def _restored(data, shape, name):
    kind = by_name(name)
    return Tensor._of(np.frombuffer(data, kind.held).reshape(shape).copy(), kind)


def _sizes(shape):
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    return tuple(int(s) for s in shape)


def _index(index):
    if isinstance(index, tuple):
        return tuple(_index(i) for i in index)
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        return slice(*(p if p is None else operator.index(p) for p in parts))
    if isinstance(index, list):
        return [array_of(i) for i in index]
    return array_of(index)
