# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks and the GPU checks share: generators of tile programs, packing, launching, timing.

gemm, attention   generate tile programs from parameters; need nothing but Python 3.11
pack              compiles programs to artifacts and packs them: where the compiler is
artifact          reads artifacts (docs/Artifact.md) without a GPU
launch            the C runtime through ctypes: where the GPU is
timing            checks and alternating measurements; needs torch
"""
