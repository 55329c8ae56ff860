# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: strings such as "float16" that can be called to convert a value."""

import math
import re
import sys

from mlir_tile.errors import ArgumentError

_ALIASES = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "uint": "uint32",
    "ulong": "uint64",
    "boolean": "bool",
    "float8_e4m3": "float8_e4m3fn",
    "e4m3_float8": "float8_e4m3fn",
    "e5m2_float8": "float8_e5m2",
    "tfloat32": "custom[tfloat32]",
    "float4_e2m1": "float4_e2m1fn",
    "handle": "handle",
}

# Name: bits, MLIR's type, kind (f float, i signed, u unsigned, b truth).
_SCALARS = {
    "bool": (1, "i1", "b"),
    "int4": (4, "i4", "i"),
    "uint4": (4, "i4", "u"),
    "float16": (16, "f16", "f"),
    "bfloat16": (16, "bf16", "f"),
    "float32": (32, "f32", "f"),
    "float64": (64, "f64", "f"),
    "float8_e4m3fn": (8, "f8E4M3FN", "f"),
    "float8_e5m2": (8, "f8E5M2", "f"),
    "float8_e8m0fnu": (8, "f8E8M0FNU", "f"),
    "float4_e2m1fn": (4, "f4E2M1FN", "f"),
    "custom[tfloat32]": (32, "f32", "f"),
    "handle": (64, "i64", "u"),
    "int8": (8, "i8", "i"),
    "int16": (16, "i16", "i"),
    "int32": (32, "i32", "i"),
    "int64": (64, "i64", "i"),
    "uint8": (8, "i8", "u"),
    "uint16": (16, "i16", "u"),
    "uint32": (32, "i32", "u"),
    "uint64": (64, "i64", "u"),
}
_VECTOR = re.compile(r"^(.*?[0-9a-z\]])x(\d+)$")
_PYTHON = {bool: "bool", int: "int32", float: "float32"}
_cache = {}


def _name_of(value):
    """The name of what stands for an element type: ours, numpy's, torch's or Python's."""
    if isinstance(value, str):
        return _ALIASES.get(value, value)
    if isinstance(value, type) and value in _PYTHON:
        return _PYTHON[value]
    torch = sys.modules.get("torch")
    kind = getattr(torch, "dtype", None) if torch is not None else None
    if isinstance(kind, type) and isinstance(value, kind):
        name = str(value).rpartition(".")[2]
        return _ALIASES.get(name, name)
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    if isinstance(name, str):
        name = {"bool_": "bool", "float4_e2m1fn_x2": "float4_e2m1fnx2"}.get(name, name)
        return _ALIASES.get(name, name)
    raise ArgumentError(f"expected an element type such as T.float16, got {value!r}")


class dtype(str):
    """An element type. A string, so that T.float16 == "float16"; calling it converts a value."""

    __slots__ = ()

    def __new__(cls, value="float32"):
        if type(value) is cls:
            return value
        name = _name_of(value)
        found = _cache.get(name)
        if found is not None:
            return found
        base, lanes = name, 1
        if name not in _SCALARS:
            match = _VECTOR.match(name)
            if match and _ALIASES.get(match[1], match[1]) in _SCALARS:
                base, lanes = _ALIASES.get(match[1], match[1]), int(match[2])
            else:
                raise ArgumentError(f"expected an element type such as T.float16, got {value!r}")
        made = _cache[name] = str.__new__(cls, base if lanes == 1 else f"{base}x{lanes}")
        return made

    __hash__ = str.__hash__

    def __eq__(self, other):
        if isinstance(other, str):
            return str.__eq__(self, _ALIASES.get(str(other), other))
        try:
            return str.__eq__(self, _name_of(other))
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    @property
    def lanes(self):
        match = None if str(self) in _SCALARS else _VECTOR.match(self)
        return int(match[2]) if match else 1

    @property
    def element(self):
        """The type of one element of a vector type; itself of a scalar's."""
        match = None if str(self) in _SCALARS else _VECTOR.match(self)
        return dtype(match[1]) if match else self

    @property
    def bits(self):
        return _SCALARS[str(self.element)][0]

    @property
    def bytes(self):
        return max(1, self.bits * self.lanes // 8)

    itemsize = bytes

    @property
    def mlir(self):
        """The text of MLIR's type."""
        return _SCALARS[str(self)][1]

    @property
    def is_float(self):
        return _SCALARS[str(self.element)][2] == "f"

    @property
    def is_unsigned(self):
        return _SCALARS[str(self.element)][2] in "ub"

    @property
    def is_integer(self):
        return _SCALARS[str(self.element)][2] in "iub"

    @property
    def is_bool(self):
        return str(self) == "bool"

    def is_float4_e2m1fn(self):
        return str(self) == "float4_e2m1fn"

    def is_float4(self):
        return str(self).startswith("float4")

    def is_float4_e2m1_unpacked(self):
        return False

    def with_lanes(self, lanes):
        return self if lanes == 1 else dtype(f"{self.element}x{lanes}")

    def as_torch(self):
        """The same type of torch's, which must have been imported."""
        import torch

        special = {
            "int4": "int8",
            "uint4": "uint8",
            "float4_e2m1fn": "int8",
            "custom[tfloat32]": "float32",
        }
        name = special.get(str(self), str(self))
        if not hasattr(torch, name):
            raise ArgumentError(f"this torch has no type for {self}")
        return getattr(torch, name)

    def as_numpy(self):
        """The numpy type of the same width: unsigned bits where numpy has no such float."""
        import numpy

        names = {"bool": "bool", "bfloat16": "bfloat16", "custom[tfloat32]": "float32"}
        name = names.get(str(self), str(self))
        if name.startswith(("bfloat", "float8", "float4", "int4", "uint4")):
            try:
                import ml_dtypes

                return numpy.dtype(getattr(ml_dtypes, name))
            except (ImportError, AttributeError):
                return numpy.dtype("uint16" if self.bits == 16 else "uint8")
        return numpy.dtype(name)

    def __call__(self, *values):
        from .values import cast, variable

        if not values:
            return variable(self)
        if self.lanes > 1:
            from .vectors import vector_of

            return vector_of(self, values)
        if len(values) > 1:
            raise ArgumentError(f"T.{self} is the type of one value, got {len(values)} values")
        return cast(values[0], self)

    def __repr__(self):
        return f"T.{str(self)}"

    def __str__(self):
        return str.__str__(self)


SCALAR_NAMES = tuple(n for n in _SCALARS if n.isidentifier()) + (
    "half",
    "short",
    "int",
    "uint",
    "long",
    "float",
    "double",
    "tfloat32",
    "float8_e4m3",
    "ulong",
)
VECTOR_NAMES = tuple(
    f"{base}x{lanes}"
    for base in (
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "float4_e2m1fn",
        "float8_e4m3",
    )
    for lanes in (2, 4, 8, 16, 32, 64)
)


# TileLang's scripts import the list of names from here.
_all_dtypes = [*SCALAR_NAMES, *VECTOR_NAMES]


def all_names():
    """Names of the language that stand for element types, with their types."""
    return {name: dtype(name) for name in SCALAR_NAMES + VECTOR_NAMES}


# What stands for an element type: its name, the type itself, a type of Python's or of torch's.
AnyDType = str | dtype | type


def is_float4_e2m1fn(value):
    """Whether a type is the one of four bits, two to a byte."""
    return dtype(value).is_float4_e2m1fn()


def is_float4_e2m1_unpacked(value):
    """Whether a type has floats of four bits in a byte each, which none here has."""
    return dtype(value).is_float4_e2m1_unpacked()


def is_float4(value):
    """Whether a type is one of floats of four bits."""
    return dtype(value).is_float4()


def is_f8f6f4_family(value):
    """Whether tensor cores of sm_100 multiply a type with others of 4, 6 and 8 bits."""
    kind = dtype(value)
    return kind.is_float4() or str(kind).startswith(("float8", "float6"))


def validate_gemm_ab_dtypes(a_dtype, b_dtype, *, a_in_tmem=False, allow_f8f6f4_mixed=False):
    """Raises ValueError unless a product may have operands of these types."""
    mixed = allow_f8f6f4_mixed and is_f8f6f4_family(a_dtype) and is_f8f6f4_family(b_dtype)
    if not a_in_tmem and a_dtype != b_dtype and not mixed:
        raise ArgumentError(
            f"expected operands of one type, or both of 4, 6 or 8 bits, got A={a_dtype},"
            f" B={b_dtype}"
        )


def float_text(number, kind):
    """A float as MLIR writes it; what is no finite number as bits."""
    if math.isfinite(number):
        text = repr(float(number))
        mantissa, _, exponent = text.partition("e")
        if "." not in mantissa:
            mantissa += ".0"
        return f"{mantissa}e{exponent}" if exponent else mantissa
    name = str(kind)
    patterns = {
        "float16": (0x7C00, 0xFC00, 0x7E00),
        "bfloat16": (0x7F80, 0xFF80, 0x7FC0),
        "float32": (0x7F800000, 0xFF800000, 0x7FC00000),
        "float64": (0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000),
        "float8_e5m2": (0x7C, 0xFC, 0x7E),
        "float8_e4m3fn": (0x7E, 0xFE, 0x7F),
        "custom[tfloat32]": (0x7F800000, 0xFF800000, 0x7FC00000),
    }
    plus, minus, nan = patterns[name]
    bits = nan if math.isnan(number) else plus if number > 0 else minus
    return f"0x{bits:0{kind.bits // 4}X}"


def __getattr__(name):
    """`_TORCH_DTYPE_TO_STR`, TileLang's table of torch's types, once torch is imported."""
    torch = sys.modules.get("torch")
    if name != "_TORCH_DTYPE_TO_STR" or torch is None:
        raise AttributeError(name)
    names = (key for key in SCALAR_NAMES if str(getattr(torch, key, "")) == f"torch.{key}")
    return {getattr(torch, key): key for key in names}
