# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.version of the stand-in."""

cuda, hip = "13.0", None
