# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for the package flash_attn where scripts compare with it: attention by its definition.

Products and the softmax are in float32; the result has the type of the queries. A row without any
key is zero. A causal mask is aligned at the last query and the last key.
"""

import torch

__version__ = "2.8.0+reference"


def _attention(q, k, v, scale, causal):
    """softmax(scale q kᵀ) v for q (n, heads, d) and k, v (m, kv heads, d)."""
    heads, kv_heads = q.shape[1], k.shape[1]
    q, k, v = (x.float().transpose(0, 1) for x in (q, k, v))
    if heads != kv_heads:
        k = k.repeat_interleave(heads // kv_heads, dim=0)
        v = v.repeat_interleave(heads // kv_heads, dim=0)
    scores = torch.matmul(q, k.transpose(1, 2)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        n, m = scores.shape[1], scores.shape[2]
        hidden = torch.triu(torch.ones(n, m, dtype=torch.bool), diagonal=m - n + 1)
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return torch.matmul(weights, v).transpose(0, 1)


def flash_attn_varlen_func(
    q,
    k,
    v,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    dropout_p=0.0,
    softmax_scale=None,
    causal=False,
    **_,
):
    """Attention of sequences that lie one behind the other; `cu_seqlens`: where each begins."""
    if dropout_p:
        raise NotImplementedError("the stand-in for flash_attn has no dropout")
    starts_q, starts_k = cu_seqlens_q.tolist(), cu_seqlens_k.tolist()
    parts = []
    for i in range(len(starts_q) - 1):
        queries = q[starts_q[i] : starts_q[i + 1]]
        keys, values = (x[starts_k[i] : starts_k[i + 1]] for x in (k, v))
        parts.append(_attention(queries, keys, values, softmax_scale, causal))
    return torch.cat(parts, dim=0).to(q.dtype)


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, **_):
    """Attention of a batch of sequences (batch, length, heads, d)."""
    if dropout_p:
        raise NotImplementedError("the stand-in for flash_attn has no dropout")
    parts = [_attention(q[b], k[b], v[b], softmax_scale, causal) for b in range(q.shape[0])]
    return torch.stack(parts, dim=0).to(q.dtype)


def flash_attn_with_kvcache(
    q, k_cache, v_cache, cache_seqlens=None, softmax_scale=None, causal=False, **_
):
    """Attention to the first `cache_seqlens` keys of a cache (batch, length, heads, d)."""
    parts = []
    for b in range(q.shape[0]):
        length = k_cache.shape[1] if cache_seqlens is None else int(cache_seqlens[b].item())
        keys, values = k_cache[b, :length], v_cache[b, :length]
        parts.append(_attention(q[b], keys, values, softmax_scale, causal))
    return torch.stack(parts, dim=0).to(q.dtype)
