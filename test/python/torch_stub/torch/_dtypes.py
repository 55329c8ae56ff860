# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, devices and sizes of the stand-in for torch."""

import ml_dtypes
import numpy as np


class dtype:
    """One element type: its name in torch, the numpy type that holds it, its code in DLPack."""

    def __init__(self, name, held, dlpack, bits=None):
        self.name, self.held, self.dlpack = name, np.dtype(held), dlpack
        self.bits = bits or self.held.itemsize * 8
        self.itemsize = self.held.itemsize
        self.is_complex = self.held.kind == "c"
        self.is_floating_point = dlpack in (2, 4) or dlpack in range(7, 18)
        self.is_signed = self.is_floating_point or self.held.kind in "ic"

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return (by_name, (self.name,))


def by_name(name):
    """The element type called `name`."""
    return TYPES[name]


TYPES = {
    name: dtype(name, *rest)
    for name, *rest in [
        ("float16", np.float16, 2),
        ("bfloat16", ml_dtypes.bfloat16, 4),
        ("float32", np.float32, 2),
        ("float64", np.float64, 2),
        ("int8", np.int8, 0),
        ("int16", np.int16, 0),
        ("int32", np.int32, 0),
        ("int64", np.int64, 0),
        ("uint8", np.uint8, 1),
        ("uint16", np.uint16, 1),
        ("uint32", np.uint32, 1),
        ("uint64", np.uint64, 1),
        ("bool", np.bool_, 6),
        ("complex64", np.complex64, 5),
        ("complex128", np.complex128, 5),
        ("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 10),
        ("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 11),
        ("float8_e5m2", ml_dtypes.float8_e5m2, 12),
        ("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 13),
        ("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, 14),
    ]
}
# Two values of four bits in a byte: the byte is what is held.
TYPES["float4_e2m1fn_x2"] = dtype("float4_e2m1fn_x2", np.uint8, 17, bits=4)
BY_HELD = {t.held: t for t in TYPES.values() if t.name != "float4_e2m1fn_x2"}
ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "cfloat": "complex64",
}


def of_python(kind):
    """The element type that one of Python's types stands for; any other value itself."""
    return {bool: TYPES["bool"], int: TYPES["int64"], float: TYPES["float64"]}.get(kind, kind)


def of_numpy(held):
    """The element type that numpy's `held` stands for."""
    return BY_HELD[np.dtype(held)]


class finfo:
    """Limits of a floating-point type."""

    def __init__(self, kind):
        info = ml_dtypes.finfo(kind.held)
        self.max, self.min, self.eps = float(info.max), float(info.min), float(info.eps)
        self.tiny = self.smallest_normal = float(info.tiny)
        self.bits, self.dtype = kind.bits, kind.name


class iinfo:
    """Limits of an integer type."""

    def __init__(self, kind):
        info = np.iinfo(kind.held)
        self.max, self.min, self.bits, self.dtype = (
            int(info.max),
            int(info.min),
            kind.bits,
            kind.name,
        )


class device:
    """A device's name. Every one is this machine's memory: "cuda" is accepted and means the CPU."""

    def __init__(self, kind="cpu", index=None):
        self.type, self.index = "cpu", None
        self.asked = str(kind)

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, device)

    def __hash__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Size(tuple):
    """A tensor's shape."""

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def numel(self):
        """Product of the sizes."""
        product = 1
        for size in self:
            product *= size
        return product

    def __repr__(self):
        return f"torch.Size({list(self)})"
