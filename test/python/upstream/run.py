#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs MLIR's own tests of its Python bindings with `mlir_tile` in the place of `mlir`.

    PYTHONPATH=build/release/python test/python/upstream/run.py LLVM/mlir/test/python [NAMES...]

The tests are not part of this repository: the folder is that of a checkout of LLVM 22. Each is
run as it is but for the package's name, and its output goes to FileCheck with the test as the
list of what is expected. By default those are run whose dialects this package ships. The exit
status is zero when all pass.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FILECHECK = "/usr/lib/llvm-22/bin/FileCheck"
# What LLVM 22 has for the core and the dialects of this package.
NAMES = [
    "ir/affine_expr.py",
    "ir/affine_map.py",
    "ir/array_attributes.py",
    "ir/attributes.py",
    "ir/auto_location.py",
    "ir/blocks.py",
    "ir/builtin_types.py",
    "ir/context_lifecycle.py",
    "ir/context_managers.py",
    "ir/debug.py",
    "ir/diagnostic_handler.py",
    "ir/dialects.py",
    "ir/exception.py",
    "ir/insertion_point.py",
    "ir/integer_set.py",
    "ir/location.py",
    "ir/module.py",
    "ir/operation.py",
    "ir/symbol_table.py",
    "ir/value.py",
    "pass_manager.py",
    "rewrite.py",
    "dialects/affine.py",
    "dialects/arith_dialect.py",
    "dialects/builtin.py",
    "dialects/func.py",
    "dialects/gpu/dialect.py",
    "dialects/index_dialect.py",
    "dialects/llvm.py",
    "dialects/math_dialect.py",
    "dialects/memref.py",
    "dialects/nvgpu.py",
    "dialects/nvvm.py",
    "dialects/scf.py",
    "dialects/vector.py",
]


def translated(text):
    """The program with this package's name; comments (what FileCheck reads) may change too."""
    return re.sub(
        r"\bmlir(?=\.(?:ir|dialects|passmanager|rewrite|_mlir_libs|extras)\b)", "mlir_tile", text
    )


def run_one(path, folder):
    """The reason why a test failed; "" where it passed."""
    program = folder / path.parent.name / path.stem / path.name  # beside no other, to import none
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(translated(path.read_text(encoding="utf-8")), encoding="utf-8")
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    if run.returncode:
        return "\n".join(run.stderr.splitlines()[-4:]) or f"exit status {run.returncode}"
    if not re.search(r"#\s*CHECK", path.read_text(encoding="utf-8")):
        return ""
    check = subprocess.run(
        [FILECHECK, str(program), "--dump-input=never"],
        input=run.stdout,
        capture_output=True,
        text=True,
    )
    return check.stderr.strip() if check.returncode else ""


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="mlir/test/python of LLVM's sources")
    parser.add_argument("names", nargs="*", default=NAMES)
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"expected a folder, got {options.folder}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names:
            path = options.folder / name
            reason = (
                run_one(path, pathlib.Path(folder)) if path.is_file() else "there is no such file"
            )
            failed += bool(reason)
            print(f"{'FAIL' if reason else 'pass'} {name}" + (f"\n{reason}" if reason else ""))
    print(f"{len(options.names) - failed} of {len(options.names)} pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
