# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that annotations of Triton's kernels use."""


class constexpr:
    """A parameter that is known when the kernel is compiled."""
