# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.autograd of the stand-in: forward functions only."""


class _Context:
    def save_for_backward(self, *tensors):
        """Keeps them for the one who asks."""
        self.saved_tensors = tensors


class Function:
    """A function with a gradient; `apply` runs its forward half."""

    @classmethod
    def apply(cls, *args):
        """Runs `forward`."""
        return cls.forward(_Context(), *args)
