# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-in for torch that the tests in TileLang's style use: types, rounding, memory."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "torch_stub"))
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402


def test_types_of_results():
    half, integers = torch.ones(4, dtype=torch.float16), torch.arange(4)
    assert (half + 1.5).dtype is torch.float16
    assert (integers * 1.5).dtype is torch.float32
    assert (integers + 1).dtype is torch.int64
    assert (half + torch.ones(4, dtype=torch.bfloat16)).dtype is torch.float32
    assert (half + torch.tensor(2.0)).dtype is torch.float16
    assert (half > 0).dtype is torch.bool
    assert half.sum().dtype is torch.float16 and integers.sum().dtype is torch.int64
    assert (half @ half.T).dtype is torch.float16


def test_low_precision_rounds_to_nearest_even():
    x = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8]).to(torch.bfloat16)
    assert x.float().tolist() == [1.0, 1 + 2**-6]
    assert torch.tensor([448.0, 17.0]).to(torch.float8_e4m3fn).float().tolist() == [448.0, 16.0]
    assert torch.tensor([2.7, -2.7]).to(torch.int8).tolist() == [2, -2]


def test_products_are_summed_in_float32():
    a, b = torch.ones(1, 4096, dtype=torch.float16), torch.ones(4096, 1, dtype=torch.float16)
    assert (a @ b).item() == 4096.0


def test_views_share_memory():
    x = torch.zeros(4, 6, device="cuda")
    x.view(24)[5] = 1
    x.T[0, 1] = 2
    assert x[0, 5].item() == 1 and x[1, 0].item() == 2
    assert x.T.stride() == (1, 6) and not x.T.is_contiguous()
    with pytest.raises((AttributeError, ValueError)):
        x.T.view(24)


def test_dlpack_hands_out_the_memory_itself():
    x = torch.zeros(3, 5)
    y = np.from_dlpack(x)
    y[1, 2] = 7
    assert x[1, 2].item() == 7 and y.ctypes.data == x.data_ptr()


def test_assert_close_says_where():
    x = torch.ones(4, 4)
    y = x.clone()
    y[2, 3] = 5
    with pytest.raises(
        AssertionError, match=r"1 of 16 elements differ.*\(2, 3\): 1.0 instead of 5.0"
    ):
        torch.testing.assert_close(x, y)
    with pytest.raises(AssertionError, match="dtype"):
        torch.testing.assert_close(x, x.half())
    with pytest.raises(AssertionError, match="shape"):
        torch.testing.assert_close(x, x[:2])


def test_attention_equals_its_definition():
    q, k, v = (torch.randn(2, 3, 8, 16) for _ in range(3))
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / 4
    mask = torch.tril(torch.ones(8, 8)) == 0
    expected = torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @ v
    actual = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


def test_memory_that_nobody_wrote_shows():
    assert torch.isnan(torch.empty(3, dtype=torch.float16)).all()


def test_types_of_python_and_views():
    assert torch.ones(2, dtype=bool).dtype == torch.bool
    assert torch.zeros(2).to(int).dtype == torch.int64
    assert torch.zeros(4, dtype=torch.int32).view(dtype=torch.int8).shape == (16,)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as record:
        torch.ones(2)
    assert record.key_averages().table(sort_by="cuda_time_total") == ""
