# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.random of the stand-in."""

import contextlib

from ._random import default_generator, manual_seed


@contextlib.contextmanager
def fork_rng(*_, **__):
    """The generator's state is as before afterwards."""
    kept = default_generator.source.bit_generator.state
    yield
    default_generator.source.bit_generator.state = kept


__all__ = ["fork_rng", "manual_seed"]
