# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refusals of sane programs that docs/Limits.md explains: (expression over the message, the limit's name there)."""

LIMITS = (
    (r"bytes of shared memory", "shared memory"),
)
