# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each operator of operators.py computes, in PyTorch: inputs, a reference in float32, and the peers.

The expression of a kind is the reference where its inputs are float32, and the peer where torch.compile makes a kernel of
it (mode max-autotune, no graphs). operator_triton.py has kernels written by hand in Triton.
"""

import functools

import torch
import torch.nn.functional as F

TYPES = {"f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "f8E4M3FN": torch.float8_e4m3fn}
VOCABULARY = 50000
SCALARS = {"s": 0.7, "eps": 1e-5, "p": 0.3, "seed": 1234, "g": 256.0}


def extents(problem):
    n = problem.columns
    return {"R": problem.rows, "N": n, "2N": 2 * n, "G": n // 128, "H": n // 128, "L": problem.rows * n // 64, "V": VOCABULARY}


def tensors(problem, operator, device="cuda"):
    """The arguments of a kind by name: inputs random normal, outputs empty."""
    known, found = extents(problem), {}
    for name, element, shape, access, _ in operator.arguments():
        if shape is None:
            continue
        dims = [known.get(s) or int(s) for s in shape]
        if element == "i32":
            most = VOCABULARY if problem.kind == "embedding" else problem.columns
            found[name] = torch.randint(0, most, dims, device=device, dtype=torch.int32)
        elif access == "w":
            found[name] = torch.empty(dims, device=device, dtype=TYPES[element])
        else:
            found[name] = torch.randn(dims, device=device, dtype=torch.float32 if element == "f32" else torch.float16).to(TYPES[element])
    if problem.kind in ("layernorm_backward", "layernorm_weights"):
        x = found["X"].float()
        found["M"] = x.mean(-1)
        found["S"] = torch.rsqrt(x.var(-1, correction=0) + SCALARS["eps"])
    if problem.kind == "rmsnorm_backward":
        found["S"] = torch.rsqrt(found["X"].float().square().mean(-1) + SCALARS["eps"])
    if problem.kind == "cross_entropy_backward":
        found["L"] = torch.logsumexp(found["X"].float(), -1)
    return found


def outputs(operator):
    return [name for name, _, shape, access, _ in operator.arguments() if shape is not None and access == "w"]


def moved(problem, operator, found):
    """Bytes that are read or written at least once."""
    total = 0
    for name, element, shape, _, _ in operator.arguments():
        if shape is not None:
            total += problem.rows * problem.columns * 2 if name == "E" else found[name].nbytes
    return total


def poison(tensor):
    if tensor.element_size() == 1:
        tensor.view(torch.uint8).fill_(0x7F)
    elif tensor.dtype == torch.int32:
        tensor.fill_(-(2**31))
    else:
        tensor.fill_(float("nan"))


# --- expressions: inputs in, outputs as a tuple of float32 (or the type of an exact result)


def _norm(x, w, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * w


def _cast(x, top):
    scale = torch.clamp(top, min=1e-4) / 448.0
    return torch.clamp(x / scale, -448.0, 448.0), scale


def _cast_group(x):
    groups = x.unflatten(-1, (-1, 128))
    y, s = _cast(groups, groups.abs().amax(-1, keepdim=True))
    return y.flatten(-2), s.squeeze(-1)


def _cast_token(x):
    y, s = _cast(x, x.abs().amax(-1, keepdim=True))
    return y, s.squeeze(-1)


def _rope(x, c, s):
    a, b = x[..., :64], x[..., 64:]
    c, s = c[:, None, :], s[:, None, :]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def _hadamard(x):
    """The fast transform of rows, over the root of their length: sums and differences of halves, of halves of halves, ..."""
    n, half = x.shape[-1], 1
    y = x
    while half < n:
        y = y.view(-1, n // (2 * half), 2, half)
        a, b = y[:, :, 0], y[:, :, 1]
        y = torch.stack((a + b, a - b), 2)
        half *= 2
    return y.reshape(x.shape) * n**-0.5


@functools.cache
def _matrix(n, kind):
    """The Hadamard matrix of n x n, over the root of n."""
    h = torch.ones(1, 1)
    while len(h) < n:
        h = torch.cat((torch.cat((h, h), 1), torch.cat((h, -h), 1)), 0)
    return (h * n**-0.5).to("cuda", kind)


def _hadamard_products(x):
    """The same by two products of matrices: a row of n elements is n / 64 lines of 64."""
    lines = x.view(len(x), -1, 64)
    return (_matrix(lines.shape[1], x.dtype) @ (lines @ _matrix(64, x.dtype))).view(x.shape)


def _maxpool(x):
    """Rows of pairs of pixels, [R, 2, W, 2, C], as square images, or as one where rows do not divide into those."""
    rows, _, width, _, channels = x.shape
    height = width if rows % width == 0 else rows
    images = x.view(-1, 2 * height, 2 * width, channels).permute(0, 3, 1, 2)  # channels last, as F.max_pool2d's results are
    return F.max_pool2d(images, 2).permute(0, 2, 3, 1).reshape(rows, width, channels)


def _conv(x, w, b):
    padded = F.pad(x, (0, 0, 3, 0))
    z = b + sum(padded[k : k + x.shape[0]] * w[:, k] for k in range(4))
    return F.silu(z)


def _backward(x, w, dy, m, s):
    n = (x - m[:, None]) * s[:, None]
    g = dy * w
    return (g - g.mean(-1, keepdim=True) - n * (n * g).mean(-1, keepdim=True)) * s[:, None]


def _weights(x, dy, m, s):
    return ((x - m[:, None]) * s[:, None] * dy).sum(0), dy.sum(0)


def _rms_backward(x, w, dy, s):
    n, g = x * s[:, None], dy * w
    return (g - n * (n * g).mean(-1, keepdim=True)) * s[:, None]


def _entropy_backward(x, t, lse):
    columns = torch.arange(x.shape[1], device=x.device)
    return (torch.exp(x - lse[:, None]) - (columns == t[:, None]).float()) * SCALARS["g"]


def _residual(x, r, w, eps):
    h = x + r
    return h, _norm(h, w, eps)


def _layernorm(x, w, b, eps):
    d = x - x.mean(-1, keepdim=True)
    return d * torch.rsqrt((d * d).mean(-1, keepdim=True) + eps) * w + b


EPS = SCALARS["eps"]
EXPRESSIONS = {
    "scale": lambda X: (X.clamp(min=0) * SCALARS["s"],),
    "add": lambda X, Y: (X + Y,),
    "swiglu": lambda X: (F.silu(X[:, : X.shape[1] // 2]) * X[:, X.shape[1] // 2 :],),
    "gelu": lambda X: (F.gelu(X),),
    "cast_token": lambda X: _cast_token(X),
    "cast_group": lambda X: _cast_group(X),
    "rmsnorm": lambda X, W: (_norm(X, W, EPS),),
    "rmsnorm_residual": lambda X, R, W: _residual(X, R, W, EPS),
    "layernorm": lambda X, W, B: (_layernorm(X, W, B, EPS),),
    "layernorm_backward": lambda X, W, DY, M, S: (_backward(X, W, DY, M, S),),
    "layernorm_weights": lambda X, DY, M, S: _weights(X, DY, M, S),
    "rmsnorm_backward": lambda X, W, DY, S: (_rms_backward(X, W, DY, S),),
    "softmax": lambda X: (torch.softmax(X, -1),),
    "cross_entropy_backward": lambda X, T, L: (_entropy_backward(X, T, L),),
    "rowmax": lambda X: (X.amax(-1),),
    "permute": lambda X: (X.transpose(0, 1).contiguous(),),
    "cross_entropy": lambda X, T: (torch.logsumexp(X, -1) - X.gather(1, T.long()[:, None])[:, 0],),
    "rowsum": lambda X: (X.sum(-1),),
    "colsum": lambda X: (X.sum(0),),
    "argmax": lambda X: (X.argmax(-1).to(torch.int32),),
    "cumsum": lambda X: (X.cumsum(-1),),
    "sort": lambda X: torch.sort(X, dim=-1, stable=True),
    "top8": lambda X: tuple(t[:, :8] for t in torch.sort(X, dim=-1, descending=True, stable=True)),
    "top64": lambda X: tuple(t[:, :64] for t in torch.sort(X, dim=-1, descending=True, stable=True)),
    "rope": lambda X, COS, SIN: (_rope(X, COS, SIN),),
    "transpose": lambda X: (X.t().contiguous(),),
    "conv1d": lambda X, W, B: (_conv(X, W, B),),
    "dropout": lambda X: (F.dropout(X, SCALARS["p"]),),
    "gemv": lambda W, x: ((W * x).sum(-1),),
    "gemv_batch": lambda W, x: ((W * x[:, None, :]).sum(-1),),
    "hadamard": lambda X: (_hadamard(X),),
    "maxpool": lambda X: (_maxpool(X),),
    "embedding": lambda E, I: (E[I.long()],),
}
# Plain PyTorch calls a library that is likely the faster peer.
LIBRARY = {
    "transpose": lambda X: (X.t().contiguous(),),
    "permute": lambda X: (X.transpose(0, 1).contiguous(),),
    "gemv": lambda W, x: (W @ x,),
    "gemv_batch": lambda W, x: (torch.bmm(W, x[:, :, None])[:, :, 0],),
    "hadamard": lambda X: (_hadamard_products(X),),
    "maxpool": lambda X: (_maxpool(X),),
    "colsum": lambda X: (X.sum(0, dtype=torch.float32),),
    "cumsum": lambda X: (X.cumsum(-1),),
    "sort": lambda X: torch.sort(X, dim=-1, stable=True),
    "top8": lambda X: torch.topk(X, 8),
    "top64": lambda X: torch.topk(X, 64),
    "embedding": lambda E, I: (F.embedding(I, E),),
    "softmax": lambda X: (torch.softmax(X, -1),),
}


def inputs(operator, found):
    """In the order of the arguments; what programs see as lines of 64 elements (L,64) as the rows that those are."""
    given = [(found[name], shape) for name, _, shape, access, _ in operator.arguments() if shape is not None and access != "w"]
    return [value.view(-1, operator.columns) if shape[0] == "L" else value for value, shape in given]


def types_of(operator):
    return [TYPES[element] for _, element, shape, access, _ in operator.arguments() if shape is not None and access == "w"]


def compiled(problem, operator, found):
    """The function of torch.compile on these inputs: arithmetic in float32, results in the outputs' types."""
    expression, types, given = EXPRESSIONS[problem.kind], types_of(operator), inputs(operator, found)

    def run(*arguments):
        wide = [a.float() if a.is_floating_point() else a for a in arguments]
        return tuple(r.to(t) for r, t in zip(expression(*wide), types))

    function = torch.compile(run, mode="max-autotune-no-cudagraphs", dynamic=False)
    return lambda: function(*given)


def library(problem, operator, found):
    given = inputs(operator, found)
    return lambda: LIBRARY[problem.kind](*given)


# --- checks


def check(problem, operator, found, results=None):
    """None, or what is wrong with the outputs (or `results` in their place): every element against float32."""
    names = outputs(operator)
    got = results if results is not None else [found[name] for name in names]
    if problem.kind == "dropout":
        return _check_dropout(found["X"], got[0])
    given, rows = inputs(operator, found), problem.rows
    if problem.kind == "hadamard":
        got = [value.view(rows, -1) for value in got]
    whole = problem.kind in ("colsum", "layernorm_weights", "transpose", "permute", "conv1d", "gemv_batch")
    step = rows if whole else max(1, (1 << 26) // problem.columns)
    for start in range(0, rows, step):
        part = slice(start, min(rows, start + step))
        cut = [g[part] if g.shape[0] == rows and g.dim() and not whole else g for g in given]
        if problem.kind in ("rmsnorm", "rmsnorm_residual", "layernorm", "layernorm_backward", "rmsnorm_backward"):
            cut = [g if n in ("W", "B") else g[part] for n, g in zip(_names(operator), given)]
        if problem.kind == "gemv":
            cut = [given[0][part], given[1]]
        if problem.kind == "embedding":
            cut = [given[0], given[1][part]]
        wide = [g.float() if g.is_floating_point() and problem.kind not in ("transpose", "permute", "embedding") else g for g in cut]
        for name, value, want in zip(names, got, EXPRESSIONS[problem.kind](*wide)):
            value = value if whole else value[part]
            if name == "I" and problem.kind in ("top8", "top64") and results is not None:
                # Of equal elements a peer may take any.
                value, want = (wide[0].gather(1, places.long()) for places in (value, want))
            problem_found = _compare(problem, name, value, want)
            if problem_found:
                return f"{name}: {problem_found}"
    return None


def _names(operator):
    return [name for name, _, shape, access, _ in operator.arguments() if shape is not None and access != "w"]


def _compare(problem, name, got, want):
    if got.dtype in (torch.int32, torch.int64):
        bad = int((got != want).sum())
        return f"{bad} of {got.numel()} differ" if bad else None
    if got.dtype == torch.float8_e4m3fn:
        want = want.to(torch.float8_e4m3fn)
        # Codes of one sign are in order: neighbours differ by one.
        codes = [t.view(torch.uint8).to(torch.int16) for t in (got, want)]
        apart = (codes[0] - codes[1]).abs()
        off, many = int((apart > 1).sum()), float((apart > 0).float().mean())
        return f"{off} more than a step away, {many:.2%} one step" if off or many > 1e-3 else None
    if got.shape != want.shape:
        want = want.reshape(got.shape)
    exact = problem.kind in ("transpose", "permute", "embedding", "rowmax", "maxpool", "sort", "top8", "top64")
    rounding = 0 if exact else 2.0**-10 if got.dtype == torch.float16 else 1e-5
    size = problem.columns if problem.kind not in ("colsum", "layernorm_weights") else problem.rows
    small = {"rowsum": 1e-6 * size, "colsum": 1e-6 * size, "layernorm_weights": 2e-6 * size, "cross_entropy_backward": 2.0**-16, "cumsum": 1e-6 * size, "gemv": 2e-3 * size**0.5, "gemv_batch": 2e-3 * size**0.5, "cross_entropy": 1e-3}
    absolute = 0 if exact else small.get(problem.kind, 2e-3 if problem.kind != "softmax" else 2.0**-24)
    error = (got.float() - want.float()).abs()
    bad = ~(error <= rounding * want.float().abs() + absolute)
    count = int(bad.sum())
    return f"{count} of {got.numel()} wrong, largest error {float(error.nan_to_num(1e30).max()):g}" if count else None


def _check_dropout(x, y):
    p = SCALARS["p"]
    kept = y != 0
    want = torch.where(kept, x.float() / (1 - p), 0.0)
    bad = int((~((y.float() - want).abs() <= 2.0**-10 * want.abs() + 1e-6)).sum())
    share = float((kept | (x == 0)).float().mean())
    if bad or abs(share - (1 - p)) > 0.01:
        return f"{bad} wrong, {share:.4f} kept of {1 - p}"
    return None
