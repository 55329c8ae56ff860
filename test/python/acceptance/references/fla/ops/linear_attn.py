# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention by its definition: each query reads the sum of kᵀ v up to itself."""

import torch


def fused_chunk_linear_attn(
    q, k, v, scale=None, initial_state=None, output_final_state=False, normalize=True, **_
):
    """(result, last state) for q, k, v of shape (batch, length, heads, d), in float32."""
    if normalize or initial_state is not None:
        raise NotImplementedError("the stand-in for fla has no normalization and no first state")
    kind = q.dtype
    q, k, v = (x.float().transpose(1, 2) for x in (q, k, v))
    scores = torch.matmul(q, k.transpose(-1, -2)) * (
        q.shape[-1] ** -0.5 if scale is None else scale
    )
    result = torch.matmul(torch.tril(scores), v).transpose(1, 2).to(kind)
    return result, (torch.matmul(k.transpose(-1, -2), v) if output_final_state else None)
