# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-ins for packages that scripts compare with compute what those packages compute."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = """
import numpy as np
import torch
from fla.modules.l2norm import l2norm_fwd
from fla.ops.linear_attn import fused_chunk_linear_attn
from flash_attn import flash_attn_varlen_func, flash_attn_with_kvcache

rng = np.random.default_rng(0)
rand = lambda *shape: rng.standard_normal(shape).astype(np.float32)
tensor = lambda array: torch.tensor(array)


def attention(q, k, v, hidden=None):
    s = q @ k.T / np.sqrt(q.shape[-1])
    s = s if hidden is None else np.where(hidden, -np.inf, s)
    p = np.exp(s - s.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True) @ v


q, k, v = rand(5, 2, 8), rand(7, 1, 8), rand(7, 1, 8)
starts_q, starts_k = [0, 2, 5], [0, 3, 7]
for causal in (False, True):
    out = flash_attn_varlen_func(
        tensor(q), tensor(k), tensor(v), torch.tensor(starts_q), torch.tensor(starts_k), 3, 4,
        causal=causal,
    ).numpy()
    for (a, b), (c, d) in zip([(0, 2), (2, 5)], [(0, 3), (3, 7)]):
        n, m = b - a, d - c
        hidden = np.arange(m)[None] > np.arange(n)[:, None] + (m - n) if causal else None
        for h in range(2):
            want = attention(q[a:b, h], k[c:d, 0], v[c:d, 0], hidden)
            np.testing.assert_allclose(out[a:b, h], want, rtol=1e-5, atol=1e-6)

cache_k, cache_v = rand(1, 6, 1, 8), rand(1, 6, 1, 8)
out = flash_attn_with_kvcache(
    tensor(q[None, :1]), tensor(cache_k), tensor(cache_v), cache_seqlens=torch.tensor([4])
).numpy()
want = attention(q[:1, 1], cache_k[0, :4, 0], cache_v[0, :4, 0])
np.testing.assert_allclose(out[0, :, 1], want, rtol=1e-5, atol=1e-6)

x = rand(1, 4, 1, 8)
y, inverse = l2norm_fwd(tensor(x))
np.testing.assert_allclose((y.numpy() ** 2).sum(-1), 1, rtol=1e-5)
np.testing.assert_allclose(inverse.numpy() * np.sqrt((x**2).sum(-1)), 1, rtol=1e-5)
out, state = fused_chunk_linear_attn(
    tensor(x), tensor(x), tensor(x), output_final_state=True, normalize=False
)
a = x[0, :, 0]
np.testing.assert_allclose(out.numpy()[0, :, 0], np.tril(a @ a.T) @ a / np.sqrt(8), rtol=1e-4)
np.testing.assert_allclose(state.numpy()[0, 0], a.T @ a, rtol=1e-4)
"""


def test_references():
    folders = [str(HERE / "acceptance" / "references"), str(HERE / "torch_stub")]
    program = f"import sys\nsys.path[:0] = {folders!r}\n{PROGRAM}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
