# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refusals of sane programs that docs/Limits.md explains: (expression over the message, the limit's name there)."""

LIMITS = (
    (r"expected at most \d+ bytes of shared memory", "Shared memory"),
    (r"expected a fragment of at most \d+ registers in each thread for a gemm", "Registers of a gemm"),
    (r"expected (at most \d+ bytes of local memory|a fragment of at most \d+ elements) in each thread", "Local memory"),
    (r"expected elements of whole bytes in rows at places of their own", "Half bytes by rows"),
    (r"expected each iteration to change an element of its own, got one element that several", "Updates of one element"),
)
