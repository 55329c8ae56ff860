# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Triton peer: a persistent GEMM over tensor descriptors, a few configurations of it."""

import triton
import triton.language as tl

# tile M, N, K, stages, warps
CONFIGS = (
    (128, 256, 64, 3, 8),
    (256, 128, 64, 3, 8),
    (128, 128, 64, 4, 4),
    (128, 128, 64, 4, 8),
    (128, 128, 64, 3, 4),
    (128, 256, 32, 4, 8),
)


@triton.jit
def persistent_gemm(
    a_map,
    b_map,
    c_map,
    M,
    N,
    K,
    TM: tl.constexpr,
    TN: tl.constexpr,
    TK: tl.constexpr,
    PANEL: tl.constexpr,
    BLOCKS: tl.constexpr,
    NK: tl.constexpr,
    WS: tl.constexpr,
):
    rows, columns = tl.cdiv(M, TM), tl.cdiv(N, TN)
    steps = tl.cdiv(K, TK)
    for tile in tl.range(tl.program_id(0), rows * columns, BLOCKS, flatten=not WS, warp_specialize=WS):
        panel = tile // (PANEL * columns)
        first = panel * PANEL
        height = min(rows - first, PANEL)
        inside = tile % (PANEL * columns)
        m = (first + inside % height) * TM
        n = (inside // height) * TN
        acc = tl.zeros((TM, TN), dtype=tl.float32)
        for step in range(steps):
            k = step * TK
            a = a_map.load([m, k])
            if NK:
                acc = tl.dot(a, b_map.load([n, k]).T, acc)
            else:
                acc = tl.dot(a, b_map.load([k, n]), acc)
        c_map.store([m, n], acc.to(tl.float16))


def launcher(a, b, c, tb, config, blocks=132, panel=8):
    """A function that computes c = a b, b being N x K where tb."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    tm, tn, tk, stages, warps = config
    a_map = TensorDescriptor.from_tensor(a, [tm, tk])
    b_map = TensorDescriptor.from_tensor(b, [tn, tk] if tb else [tk, tn])
    c_map = TensorDescriptor.from_tensor(c, [tm, tn])
    m, k = a.shape
    n = c.shape[1]
    grid = (min(blocks, -(-m // tm) * -(-n // tn)),)

    def launch():
        persistent_gemm[grid](
            a_map, b_map, c_map, m, n, k, tm, tn, tk, panel, blocks, tb, False, num_stages=stages, num_warps=warps
        )

    return launch
