# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.backends of the stand-in: switches that nothing reads."""

from types import SimpleNamespace

cuda = SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False))
cudnn = SimpleNamespace(allow_tf32=False, benchmark=False, deterministic=True)
mps = SimpleNamespace(is_available=lambda: False)
