# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of length one."""

import torch


def l2norm_fwd(x, eps=1e-6, output_dtype=None):
    """(x / |x|, 1 / |x|) along the last dimension; no gradients follow it, as in fla."""
    with torch.no_grad():
        wide = x.float()
        inverse = 1.0 / torch.sqrt((wide * wide).sum(dim=-1, keepdim=True) + eps)
        return (wide * inverse).to(output_dtype or x.dtype), inverse.squeeze(-1)
