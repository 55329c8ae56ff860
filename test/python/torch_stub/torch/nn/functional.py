# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional of the stand-in."""

import math

import numpy as np

from .. import _ops
from .._ops import FUNCTIONS, log_softmax, softmax
from .._tensor import Tensor, array_of, widened, wrap

__all__ = ["log_softmax", "softmax"]
relu, sigmoid, tanh = FUNCTIONS["relu"], FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """softmax(query @ key^T * scale + mask) @ value."""
    if enable_gqa and key.shape[-3] != query.shape[-3]:
        groups = query.shape[-3] // key.shape[-3]
        key, value = (t.repeat_interleave(groups, -3) for t in (key, value))
    q, k, v = (widened(t._a).astype(np.float32) for t in (query, key, value))
    scores = q @ np.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    if attn_mask is not None:
        mask = attn_mask._a
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + widened(mask)
    return wrap(softmax(wrap(scores), -1)._a @ v, query._t)


def linear(input, weight, bias=None):
    """input @ weight^T + bias."""
    result = _ops.matmul(input, weight.T)
    return result if bias is None else result + bias


def silu(input):
    """input * sigmoid(input)."""
    a = widened(input._a)
    return wrap(a / (1 + np.exp(-a)), input._t)


def gelu(input, approximate="none"):
    """Gaussian error linear unit."""
    a = widened(input._a)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)
        return wrap(0.5 * a * (1 + np.tanh(inner)), input._t)
    return wrap(0.5 * a * (1 + FUNCTIONS["erf"](wrap(a / math.sqrt(2)))._a), input._t)


def softplus(input, beta=1, threshold=20):
    """log(1 + exp(beta * input)) / beta."""
    return wrap(np.logaddexp(0, widened(input._a) * beta) / beta, input._t)


def logsigmoid(input):
    """log(sigmoid(input))."""
    return wrap(-np.logaddexp(0, -widened(input._a)), input._t)


def pad(input, pad, mode="constant", value=0):
    """With more elements around; the last dimension's first."""
    pairs = list(zip(pad[0::2], pad[1::2], strict=True))[::-1]
    widths = [(0, 0)] * (input._a.ndim - len(pairs)) + pairs
    inner = tuple(
        slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(widths, input.shape, strict=True)
    )
    widths = [(max(a, 0), max(b, 0)) for a, b in widths]
    fill = np.asarray(value or 0).astype(input._a.dtype)
    return Tensor._of(np.pad(input._a[inner], widths, constant_values=fill), input._t)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """Divided by its length."""
    return input / _ops.clamp(_ops.norm(input, p, dim, keepdim=True), min=eps)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Mean 0 and variance 1 along the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    a = widened(input._a)
    a = (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + eps)
    a = a if weight is None else a * widened(weight._a)
    return wrap(a if bias is None else a + widened(bias._a), input._t)


def rms_norm(input, normalized_shape, weight=None, eps=1e-6):
    """Divided by the root of the mean square of the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    a = widened(input._a)
    a = a / np.sqrt(np.square(a).mean(axes, keepdims=True) + eps)
    return wrap(a if weight is None else a * widened(weight._a), input._t)


def one_hot(input, num_classes):
    """Ones at the given places."""
    return wrap(np.eye(num_classes, dtype=np.int64)[input._a])


def embedding(input, weight):
    """Rows of `weight`."""
    return weight[input]


def mse_loss(input, target):
    """Mean squared difference."""
    return _ops.mean(_ops.FUNCTIONS["square"](input - target))


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Convolution of images (N, C, H, W) with filters (F, C, KH, KW)."""
    pairs = [(v, v) if isinstance(v, int) else tuple(v) for v in (stride, padding, dilation)]
    (sh, sw), (ph, pw), (dh, dw) = pairs
    a = np.pad(widened(input._a).astype(np.float32), [(0, 0), (0, 0), (ph, ph), (pw, pw)])
    w = widened(weight._a).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(
        a, ((w.shape[2] - 1) * dh + 1, (w.shape[3] - 1) * dw + 1), axis=(2, 3)
    )[:, :, ::sh, ::sw, ::dh, ::dw]
    result = np.einsum("nchwij,fcij->nfhw", windows, w, optimize=True)
    if bias is not None:
        result = result + widened(array_of(bias))[:, None, None]
    return wrap(result, input._t)
