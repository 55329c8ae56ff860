#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the matrix of test kernels: tile IR files and kernels.json, which describes them.

Deterministic; needs Python 3.11 and nothing else. Each entry of kernels.json has
  name, file        the kernel and its file
  group             core (compiled for every architecture), gemm, shape, epilogue, move, ...
  args              name, type, shape (expressions in the run's extents), access, strided;
                    a scalar has `scalar`, its value
  runs              extents by name, and `pad`: elements that strided rows are longer by
  ref               Python statements over float64 torch tensors named like the arguments, which
                    set the outputs (`C = ...`); `mag_C` scales the bound on the error of C, and
                    `u` is the unit that multiplies it
  expect            instructions that must (true) or must not (false) be in the PTX
  registers         accumulator and operand registers of one thread, estimated
  min_arch          oldest architecture that has the types
  archs             the architectures the kernel is for, absent: all from min_arch on
  compile_only      why the kernel is not run, else absent
Gemms are in matrix_gemm.py and matrix_warpgroups.py, kernels on elements of half a byte in matrix_packed.py, convolutions
and rows by index in matrix_rows.py, the rest in matrix_misc.py.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def kernels():
    import matrix_gemm
    import matrix_misc
    import matrix_packed
    import matrix_rows
    import matrix_warpgroups

    # At the end: the others keep the architectures that they are compiled for by turns.
    found = matrix_warpgroups.wgmma_kernels() + matrix_gemm.kernels() + matrix_misc.kernels()
    found += matrix_warpgroups.tcgen05_kernels() + matrix_warpgroups.split_kernels()
    found += matrix_packed.kernels() + matrix_gemm.byte_kernels() + matrix_rows.kernels() + matrix_gemm.role_kernels()
    found += matrix_warpgroups.unaligned_kernels() + matrix_warpgroups.square_kernels()
    names = [kernel["name"] for kernel in found]
    assert len(names) == len(set(names)), [n for n in names if names.count(n) > 1]
    return found


def write(directory: pathlib.Path):
    """Writes every kernel below `directory` and returns their descriptions."""
    directory.mkdir(parents=True, exist_ok=True)
    found = kernels()
    for kernel in found:
        kernel["file"] = kernel["name"] + ".mlir"
        (directory / kernel["file"]).write_text(kernel.pop("text"))
    (directory / "kernels.json").write_text(json.dumps(found, indent=1) + "\n")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path, help="folder to write into")
    options = parser.parse_args()
    print(f"{len(write(options.directory))} kernels in {options.directory}")


if __name__ == "__main__":
    main()
