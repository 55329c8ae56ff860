# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counting generator of examples/gallery/dropout.mlir and of the operator `dropout`."""

import numpy as np


def words(index, seed, rounds=7):
    """Word index mod 4 of Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3") with the counter
    (index / 4, 0, 0, 0) and the key (seed, 0)."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    words = [(index // 4).astype(np.uint64)] + [np.zeros(len(index), np.uint64)] * 3
    keys = [np.uint64(seed), np.uint64(0)]
    for _ in range(rounds):
        p0, p1 = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = [(p1 >> half) ^ words[1] ^ keys[0], p1 & low, (p0 >> half) ^ words[3] ^ keys[1], p0 & low]
        keys = [(keys[0] + np.uint64(0x9E3779B9)) & low, (keys[1] + np.uint64(0xBB67AE85)) & low]
    return np.choose(index % 4, words)
