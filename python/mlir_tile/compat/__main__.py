# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m mlir_tile.compat [--target T] [-m MODULE | script.py] arguments`: see the package."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from . import install


def main() -> None:
    """Runs a script or module of TileLang with this package in its place."""
    parser = argparse.ArgumentParser(
        prog="python -m mlir_tile.compat",
        description="Runs a script of TileLang, untouched, with mlir-tile.",
    )
    parser.add_argument(
        "--target",
        help="used wherever the script names no target or a GPU: cpu, lowered:sm_90a, cuda, ...",
    )
    parser.add_argument("-m", dest="module", action="store_true", help="script is a module's name")
    parser.add_argument("script", help="path of the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own arguments")
    options = parser.parse_args()
    install(options.target)
    sys.argv = [options.script, *options.arguments]
    if options.module:
        sys.path.insert(0, "")
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        return
    if not Path(options.script).is_file():
        parser.error(f"no file {options.script}")
    sys.path.insert(0, str(Path(options.script).resolve().parent))
    runpy.run_path(options.script, run_name="__main__")


if __name__ == "__main__":
    main()
