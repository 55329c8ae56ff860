# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn of the stand-in: functions, parameters and the shell of a module."""

from .._tensor import Tensor
from . import functional

__all__ = ["Module", "Parameter", "functional"]


def Parameter(data, requires_grad=True):
    """The tensor itself."""
    return data


class Module:
    """Calls `forward`."""

    training = False

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def parameters(self):
        """The tensors among the attributes."""
        return [v for v in vars(self).values() if isinstance(v, Tensor)]

    def to(self, *_, **__):
        """The module itself."""
        return self

    cuda = half = eval = train = to
