# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions on tensors; most are methods, too (`METHODS` at the end).

Low precision is computed in float32 and rounded once, products of matrices as well."""

import numpy as np

from ._dtypes import TYPES
from ._tensor import Tensor, array_of, promoted, widened, wrap

F32, I64, BOOL = TYPES["float32"], TYPES["int64"], TYPES["bool"]


def _quiet(function, *args, **kwargs):
    with np.errstate(all="ignore"):
        return function(*args, **kwargs)


def _floating(kind):
    return kind if kind.is_floating_point or kind.is_complex else F32


# Element by element, of one tensor: numpy's function; whether integers become floating point.
def _erf(a):
    from math import erf

    return np.vectorize(erf, otypes=[np.float64])(a).astype(a.dtype) if a.size else a


def _sigmoid(a):
    return 1 / (1 + np.exp(-a))


_UNARY = {
    **{
        name: (getattr(np, name), True)
        for name in [
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "tanh",
            "sinh",
            "cosh",
        ]
    },
    **{
        name: (getattr(np, "arc" + name[1:]), True)
        for name in ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
    },
    **{name: (getattr(np, name), False) for name in ["floor", "ceil", "trunc", "sign"]},
    "rsqrt": (lambda a: 1 / np.sqrt(a), True),
    "reciprocal": (lambda a: 1 / a, True),
    "sigmoid": (_sigmoid, True),
    "erf": (_erf, True),
    "abs": (np.abs, False),
    "neg": (np.negative, False),
    "square": (np.square, False),
    "relu": (lambda a: np.maximum(a, a.dtype.type(0)), False),
    "positive": (np.positive, False),
    "bitwise_not": (np.invert, False),
}
_PREDICATES = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isneginf": lambda a: a == -np.inf,
    "isposinf": lambda a: a == np.inf,
    "logical_not": np.logical_not,
    "signbit": np.signbit,
}


def _unary(name, function, floating):
    def apply(input, *, out=None):
        a = widened(array_of(input))
        kind = _floating(input._t) if floating else input._t
        if floating and a.dtype.kind in "biu":
            a = a.astype(np.float32)
        return _out(wrap(_quiet(function, a), kind), out)

    apply.__name__ = name
    return apply


def _out(result, out):
    if out is None:
        return result
    out._a[...] = result._a.astype(out._a.dtype)
    return out


for _name, (_function, _floats) in _UNARY.items():
    globals()[_name] = _unary(_name, _function, _floats)
for _name, _function in _PREDICATES.items():
    globals()[_name] = lambda input, function=_function: wrap(
        _quiet(function, widened(input._a)), BOOL
    )
absolute, negative = globals()["abs"], globals()["neg"]


def round(input, *, decimals=0):
    """Nearest integers, ties to even."""
    return wrap(np.round(widened(input._a), decimals), input._t)


# Element by element, of two.
def _operands(kind, *values):
    held = np.float32 if kind.is_floating_point and kind.itemsize < 4 else kind.held
    return [_quiet(np.asarray, widened(np.asarray(array_of(v)))).astype(held) for v in values]


def _binary(function, result=None, floating=False):
    def apply(input, other, *, alpha=1, out=None):
        kind = promoted(input, other)
        if floating:
            kind = _floating(kind)
        a, b = _quiet(_operands, kind, input, other)
        if alpha != 1:
            b = b * b.dtype.type(alpha)
        return _out(wrap(_quiet(function, a, b), result or kind), out)

    return apply


add = _binary(np.add)
sub = subtract = _binary(np.subtract)
mul = multiply = _binary(np.multiply)
_true_div = _binary(np.true_divide, floating=True)
floor_divide = _binary(np.floor_divide)
remainder = _binary(np.mod)
fmod = _binary(np.fmod)
pow = _binary(np.power)
atan2 = _binary(np.arctan2, floating=True)
maximum, minimum = _binary(np.maximum), _binary(np.minimum)
fmax, fmin = _binary(np.fmax), _binary(np.fmin)
bitwise_and, bitwise_or, bitwise_xor = (
    _binary(np.bitwise_and),
    _binary(np.bitwise_or),
    _binary(np.bitwise_xor),
)
bitwise_left_shift, bitwise_right_shift = _binary(np.left_shift), _binary(np.right_shift)
eq, ne = _binary(np.equal, BOOL), _binary(np.not_equal, BOOL)
lt, le = _binary(np.less, BOOL), _binary(np.less_equal, BOOL)
gt, ge = _binary(np.greater, BOOL), _binary(np.greater_equal, BOOL)
logical_and, logical_or = _binary(np.logical_and, BOOL), _binary(np.logical_or, BOOL)
logical_xor = _binary(np.logical_xor, BOOL)


def div(input, other, *, rounding_mode=None, out=None):
    """Quotient; rounded to an integer where asked."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    result = _true_div(input, other, out=out)
    return globals()["trunc"](result) if rounding_mode == "trunc" else result


divide = true_divide = div


def addcmul(input, a, b, *, value=1):
    """input + value * a * b."""
    return add(input, mul(mul(a, b), value))


def lerp(input, end, weight):
    """input + weight * (end - input)."""
    return add(input, mul(sub(end, input), weight))


def clamp(input, min=None, max=None):
    """Limited from below and above."""
    result = input if min is None else maximum(input, min)
    return result if max is None else minimum(result, max)


clip = clamp


def where(condition, input=None, other=None):
    """input where the condition holds, else other."""
    if input is None:
        return tuple(wrap(i, I64) for i in np.nonzero(condition._a))
    kind = promoted(input, other)
    a, b = _operands(kind, input, other)
    return wrap(np.where(condition._a, a, b), kind)


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Finite values in place of what is none."""
    return wrap(np.nan_to_num(widened(input._a), nan=nan, posinf=posinf, neginf=neginf), input._t)


# Products of matrices.
def _product(function, *tensors, out=None):
    kind = promoted(*tensors)
    held = np.float64 if not kind.is_floating_point or kind.itemsize == 8 else np.float32
    if kind.is_complex:
        held = kind.held
    result = _quiet(function, *(widened(t._a).astype(held) for t in tensors))
    return _out(wrap(result if kind.is_floating_point else np.asarray(result), kind), out)


def matmul(input, other, *, out=None):
    """Product of matrices, in batches."""
    return _product(np.matmul, input, other, out=out)


mm = bmm = matmul


def dot(input, other):
    """Sum of products."""
    return _product(np.dot, input, other)


def outer(input, vec2):
    """All products of two vectors' elements."""
    return _product(np.outer, input, vec2)


def kron(input, other):
    """Kronecker's product."""
    return _product(np.kron, input, other)


def einsum(equation, *operands):
    """Sum of products in Einstein's notation."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    return _product(lambda *a: np.einsum(equation, *a, optimize=True), *operands)


def addmm(input, a, b, *, beta=1, alpha=1):
    """beta * input + alpha * a @ b."""
    return add(mul(input, beta), mul(matmul(a, b), alpha))


# Reductions.
def _axes(dim):
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def _reduction(function, result=None, integers=None):
    def apply(input, dim=None, keepdim=False, *, dtype=None):
        if dtype is not None:
            input = input.to(dtype)
        kind = result or input._t
        if integers and not (kind.is_floating_point or kind.is_complex):
            kind = integers
        value = _quiet(function, widened(input._a), axis=_axes(dim), keepdims=keepdim)
        return wrap(value, dtype or kind)

    return apply


sum, prod = _reduction(np.sum, integers=I64), _reduction(np.prod, integers=I64)
mean = _reduction(np.mean)
any, all = _reduction(np.any, BOOL), _reduction(np.all, BOOL)
amax, amin = _reduction(np.max), _reduction(np.min)
count_nonzero = _reduction(np.count_nonzero, I64)


class _Pair(tuple):
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


def _extreme(reduce, arg, pairwise):
    def apply(input, dim=None, keepdim=False):
        if isinstance(dim, Tensor):
            return pairwise(input, dim)
        a = widened(input._a)
        if dim is None:
            return wrap(reduce(a), input._t)
        indices = np.expand_dims(arg(a, axis=dim), dim)
        values = np.take_along_axis(input._a, indices, dim)
        if not keepdim:
            indices, values = np.squeeze(indices, dim), np.squeeze(values, dim)
        return _Pair((wrap(values, input._t), wrap(indices, I64)))

    return apply


max, min = _extreme(np.max, np.argmax, maximum), _extreme(np.min, np.argmin, minimum)


def argmax(input, dim=None, keepdim=False):
    """Where the largest element is."""
    return wrap(np.argmax(widened(input._a), axis=dim, keepdims=keepdim), I64)


def argmin(input, dim=None, keepdim=False):
    """Where the smallest element is."""
    return wrap(np.argmin(widened(input._a), axis=dim, keepdims=keepdim), I64)


def _spread(power):
    def apply(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        ddof = correction if correction is not None else int(unbiased)
        value = np.var(widened(input._a), axis=_axes(dim), ddof=ddof, keepdims=keepdim)
        return wrap(value**power, input._t)

    return apply


var, std = _spread(1.0), _spread(0.5)


def norm(input, p=2, dim=None, keepdim=False):
    """Length of vectors."""
    order = 2 if p == "fro" else p
    a = np.abs(widened(input._a)) ** order
    return wrap(np.sum(a, axis=_axes(dim), keepdims=keepdim) ** (1 / order), _floating(input._t))


def softmax(input, dim, *, dtype=None):
    """Exponentials over their sum."""
    input = input if dtype is None else input.to(dtype)
    a = widened(input._a)
    e = _quiet(lambda: np.exp(a - np.max(a, axis=dim, keepdims=True)))
    return wrap(_quiet(lambda: e / e.sum(axis=dim, keepdims=True)), _floating(input._t))


def logsumexp(input, dim, keepdim=False):
    """Logarithm of the sum of exponentials."""
    a = widened(input._a)
    top = np.max(a, axis=_axes(dim), keepdims=True)
    value = np.log(np.sum(np.exp(a - top), axis=_axes(dim), keepdims=True)) + top
    return wrap(value if keepdim else np.squeeze(value, _axes(dim)), _floating(input._t))


def log_softmax(input, dim, *, dtype=None):
    """Logarithm of `softmax`."""
    input = input if dtype is None else input.to(dtype)
    return sub(input, logsumexp(input, dim, keepdim=True))


def cumsum(input, dim, *, dtype=None):
    """Running sums."""
    kind = dtype or (input._t if input._t.is_floating_point else I64)
    return wrap(np.cumsum(widened(input._a), axis=dim), kind)


def cumprod(input, dim):
    """Running products."""
    return wrap(np.cumprod(widened(input._a), axis=dim), input._t)


def cummax(input, dim):
    """Running maxima and where they are."""
    a = widened(input._a)
    values = np.maximum.accumulate(a, axis=dim)
    places = np.arange(a.shape[dim]).reshape(
        [-1 if i == dim % a.ndim else 1 for i in range(a.ndim)]
    )
    indices = np.maximum.accumulate(np.where(a == values, places, 0), axis=dim)
    return _Pair((wrap(values, input._t), wrap(indices, I64)))


# Order.
def sort(input, dim=-1, descending=False, stable=False):
    """Sorted elements and where they were."""
    order = argsort(input, dim, descending)
    return _Pair((wrap(np.take_along_axis(input._a, order._a, dim), input._t), order))


def argsort(input, dim=-1, descending=False, stable=False):
    """Where the sorted elements are."""
    a = widened(input._a)
    if not descending:
        return wrap(np.argsort(a, axis=dim, kind="stable"), I64)
    reverse = np.flip(np.argsort(np.flip(a, dim), axis=dim, kind="stable"), dim)
    return wrap(a.shape[dim] - 1 - reverse, I64)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """The k largest (or smallest) elements and where they are."""
    values, indices = sort(input, dim, descending=largest)
    return _Pair((values.narrow(dim, 0, k), indices.narrow(dim, 0, k)))


def unique(input):
    """The different elements, sorted."""
    return wrap(np.unique(input._a), input._t)


def bincount(input, weights=None, minlength=0):
    """How often each number occurs."""
    return wrap(np.bincount(input._a, minlength=minlength), I64)


# Comparisons of whole tensors.
def isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Element by element: |input - other| <= atol + rtol * |other|."""
    a, b = widened(input._a), widened(array_of(other))
    return wrap(np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan), BOOL)


def allclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are close."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


def equal(input, other):
    """Whether shapes and all elements are equal."""
    return input.shape == other.shape and bool((input._a == other._a).all())


# Shapes.
def cat(tensors, dim=0):
    """Joined along a dimension."""
    kind = promoted(*tensors)
    return wrap(np.concatenate([t._a.astype(kind.held) for t in tensors], axis=dim), kind)


concat = concatenate = cat


def stack(tensors, dim=0):
    """Joined along a new dimension."""
    return wrap(np.stack([t._a for t in tensors], axis=dim), tensors[0]._t)


def split(input, size, dim=0):
    """Parts of `size` (or of the sizes) along a dimension."""
    total = input._a.shape[dim]
    sizes = [size] * -(-total // size) if isinstance(size, int) else list(size)
    starts = np.cumsum([0] + sizes[:-1])
    return tuple(
        input.narrow(dim, int(start), int(np.minimum(length, total - start)))
        for start, length in zip(starts, sizes, strict=True)
    )


def chunk(input, chunks, dim=0):
    """`chunks` parts along a dimension."""
    return split(input, -(-input._a.shape[dim] // chunks), dim)


def narrow(input, dim, start, length):
    """A part along a dimension, a view."""
    index = [slice(None)] * input._a.ndim
    index[dim] = slice(int(start), int(start) + int(length))
    return input[tuple(index)]


def transpose(input, dim0, dim1):
    """Two dimensions swapped, a view."""
    return Tensor._of(np.swapaxes(input._a, dim0, dim1), input._t)


def permute(input, *dims):
    """Dimensions in another order, a view."""
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    return Tensor._of(np.transpose(input._a, dims), input._t)


def squeeze(input, dim=None):
    """Without dimensions of size 1."""
    if dim is not None and input._a.shape[dim] != 1:
        return input
    return Tensor._of(np.squeeze(input._a, dim), input._t)


def unsqueeze(input, dim):
    """With a new dimension of size 1."""
    return Tensor._of(np.expand_dims(input._a, dim), input._t)


def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions joined into one."""
    end = end_dim % input._a.ndim
    shape = input._a.shape
    return input.reshape(*shape[:start_dim], -1, *shape[end + 1 :])


def expand(input, *sizes):
    """Dimensions of size 1 repeated, a view."""
    sizes = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    lead = len(sizes) - input._a.ndim
    shape = [input._a.shape[i - lead] if s == -1 else s for i, s in enumerate(sizes)]
    return Tensor._of(np.broadcast_to(input._a, shape), input._t)


def broadcast_to(input, shape):
    """Dimensions of size 1 repeated to `shape`, a view."""
    return expand(input, shape)


def repeat(input, *sizes):
    """Copied `sizes` times."""
    sizes = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    return Tensor._of(np.tile(input._a, sizes), input._t)


def repeat_interleave(input, repeats, dim=None):
    """Each element repeated."""
    return Tensor._of(np.repeat(input._a, array_of(repeats), axis=dim), input._t)


def flip(input, *axes, dims=None):
    """In reverse order."""
    axes = axes if dims is None else (dims,)
    axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    return Tensor._of(np.flip(input._a, axes).copy(), input._t)


def roll(input, shifts, dims=None):
    """Moved around."""
    return Tensor._of(np.roll(input._a, shifts, dims), input._t)


def tril(input, diagonal=0):
    """Zero above the diagonal."""
    return Tensor._of(np.tril(input._a, diagonal), input._t)


def triu(input, diagonal=0):
    """Zero below the diagonal."""
    return Tensor._of(np.triu(input._a, diagonal), input._t)


def diff(input, dim=-1, prepend=None):
    """Differences of neighbours."""
    extra = {} if prepend is None else {"prepend": prepend._a}
    return wrap(np.diff(input._a, axis=dim, **extra), input._t)


def as_strided(input, size, stride, storage_offset=0):
    """A view with stated sizes and strides (in elements)."""
    base, step = input._a.reshape(-1)[storage_offset:], input._a.itemsize
    strides = [s * step for s in stride]
    return Tensor._of(np.lib.stride_tricks.as_strided(base, size, strides), input._t)


def contiguous(input, **_):
    """In row-major order, a copy where it must be."""
    return Tensor._of(np.ascontiguousarray(input._a).reshape(input._a.shape), input._t)


def nonzero(input, as_tuple=False):
    """Where elements are not zero."""
    places = np.nonzero(input._a)
    return tuple(wrap(p, I64) for p in places) if as_tuple else wrap(np.stack(places, 1), I64)


# Elements by index.
def gather(input, dim, index):
    """Elements at `index` along a dimension."""
    part = [slice(None) if i == dim % index.ndim else slice(n) for i, n in enumerate(index.shape)]
    return Tensor._of(np.take_along_axis(input._a[tuple(part)], index._a, dim), input._t)


def index_select(input, dim, index):
    """Rows at `index` of a dimension."""
    return Tensor._of(np.take(input._a, index._a, axis=dim), input._t)


def masked_fill(input, mask, value):
    """`value` where the mask holds."""
    return where(mask, wrap(np.asarray(array_of(value)), input._t), input)


def scatter(input, dim, index, src):
    """A copy whose elements at `index` are those of `src`."""
    result = input.clone()
    values = array_of(src)
    np.put_along_axis(result._a, index._a, values, dim)
    return result


def scatter_add(input, dim, index, src):
    """A copy to whose elements at `index` those of `src` are added."""
    result = input.clone()
    places = list(np.indices(index.shape))
    places[dim] = index._a
    np.add.at(result._a, tuple(places), src._a[tuple(slice(n) for n in index.shape)])
    return result


def masked_select(input, mask):
    """The elements where the mask holds."""
    return input[mask]


def view_as_complex(input):
    """Pairs as complex numbers."""
    return wrap(input._a[..., 0] + 1j * input._a[..., 1])


def view_as_real(input):
    """Complex numbers as pairs."""
    return wrap(np.stack([input._a.real, input._a.imag], -1))


def polar(abs, angle):
    """Complex numbers of length and angle."""
    return wrap(abs._a * np.exp(1j * angle._a), TYPES["complex64"])


def result_type(a, b):
    """The element type of an operation on both."""
    return promoted(a, b)


def numel(input):
    """The number of elements."""
    return input.numel()


def is_tensor(value):
    """Whether `value` is a tensor."""
    return isinstance(value, Tensor)


_HIDDEN = {"Tensor", "array_of", "promoted", "widened", "wrap", "of_numpy", "TYPES", "np"}
FUNCTIONS = {
    name: value
    for name, value in list(globals().items())
    if callable(value) and not name.startswith("_") and name not in _HIDDEN
}
_NOT_METHODS = {"cat", "concat", "concatenate", "stack", "einsum", "is_tensor", "polar", "numel"}
METHODS = {name: f for name, f in FUNCTIONS.items() if name not in _NOT_METHODS}
