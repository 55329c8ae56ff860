# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.utils of the stand-in."""

from types import SimpleNamespace

from ._tensor import wrap


def _from_dlpack(capsule):
    import numpy as np

    return wrap(np.from_dlpack(capsule))


dlpack = SimpleNamespace(from_dlpack=_from_dlpack)
