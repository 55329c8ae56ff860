#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the matrix of test kernels: tile IR files and kernels.json, which describes them.

Deterministic; needs Python 3.11 and nothing else. A kernel without a reference, or without a run that has whole
tiles and parts of them, is an error. Each entry of kernels.json has
  name, file        the kernel and its file
  group             core (compiled for every architecture), gemm, shape, epilogue, move, ...
  args              name, type, shape (expressions in the run's extents), access, strided;
                    a scalar has `scalar`, its value
  runs              extents by name, and `pad`: elements that strided rows are longer by
                    `fill`, what the argument is filled with (FILLS of references.py where not stated), or
                    `data`, an expression in the run's extents
  tile, even, fixed the extents that are cut into tiles, and why some cannot have a part of one (shapes.py)
  ref               statements over float64 numpy arrays named like the arguments, which set the outputs
                    (`C = ...`), in the names of references.py. Of exact kernels `size` is the largest sum of
                    magnitudes, which `exact_to` bounds; of others `bound_C` is the error that C may have. For
                    random data on a GPU `mag_C` scales the bound, and `u` is the unit that multiplies it
  expect            instructions that must (true) or must not (false) be in the PTX
  registers         accumulator and operand registers of one thread, estimated
  min_arch          oldest architecture that has the types
  archs             the architectures the kernel is for, absent: all from min_arch on
  not_on_gpu        why run_gpu_matrix.py does not run the kernel, else absent
Gemms are in matrix_gemm.py and matrix_warpgroups.py, kernels on elements of half a byte in matrix_packed.py, convolutions
and rows by index in matrix_rows.py, gemms with a sparse A in matrix_sparse.py, the rest in matrix_misc.py.
"""

import argparse
import ast
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def kernels():
    import matrix_gemm
    import matrix_misc
    import matrix_packed
    import matrix_rows
    import matrix_sparse
    import matrix_warpgroups

    # At the end: the others keep the architectures that they are compiled for by turns.
    found = matrix_warpgroups.wgmma_kernels() + matrix_gemm.kernels() + matrix_misc.kernels()
    found += matrix_warpgroups.tcgen05_kernels() + matrix_warpgroups.split_kernels()
    found += matrix_packed.kernels() + matrix_gemm.byte_kernels() + matrix_rows.kernels() + matrix_gemm.role_kernels()
    found += matrix_warpgroups.unaligned_kernels() + matrix_warpgroups.square_kernels()
    found += matrix_sparse.kernels() + matrix_warpgroups.stream_kernels()
    names = [kernel["name"] for kernel in found]
    assert len(names) == len(set(names)), [n for n in names if names.count(n) > 1]
    return found


def check(kernel):
    """Raises ValueError where a kernel cannot be compared with a reference, or not at shapes that say something."""
    from shapes import is_whole

    def demand(holds, what):
        if not holds:
            raise ValueError(f"kernel '{kernel['name']}': expected {what}")

    outputs = {arg["name"] for arg in kernel["args"] if "w" in arg.get("access", "")}
    assigned = {node.id for node in ast.walk(ast.parse(kernel["ref"])) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    demand(outputs, "arguments, one of them written")
    demand(outputs <= assigned, f"a reference that assigns {', '.join(sorted(outputs))}, got {', '.join(sorted(assigned)) or 'nothing'}")
    demand(kernel["runs"], "a run")
    demand("fixed" in kernel or any(is_whole(kernel, run) for run in kernel["runs"]),
           f"a run with a whole tile and a part of one in each extent of {kernel['tile']}, got {kernel['runs']}")


def write(directory: pathlib.Path):
    """Writes every kernel below `directory` and returns their descriptions."""
    directory.mkdir(parents=True, exist_ok=True)
    found = kernels()
    for kernel in found:
        check(kernel)
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
