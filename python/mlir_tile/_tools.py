# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line tools (tile-opt, tile-run, ...) as entry points of the package.

They are functions of libtile_compiler.so, which the package has anyway, instead of five
programs with LLVM in each of them.
"""

import ctypes
import pathlib
import sys


def _run(name: str) -> None:
    """Runs the tool `name` with this process's arguments and ends the process."""
    path = pathlib.Path(__file__).parent / "_mlir_libs" / "libtile_compiler.so"
    library = ctypes.CDLL(str(path))
    words = [name, *sys.argv[1:]]
    argv = (ctypes.c_char_p * (len(words) + 1))(*[os_bytes(word) for word in words], None)
    sys.exit(library.tileToolMain(name.encode(), len(words), argv))


def os_bytes(word: str) -> bytes:
    """The bytes that the system handed over; names of files need not be UTF-8."""
    return word.encode(sys.getfilesystemencoding(), "surrogateescape")


def tile_opt() -> None:
    """Runs passes on tile IR."""
    _run("tile-opt")


def tile_translate() -> None:
    """Compiles tile IR to LLVM IR, PTX, machine code or an artifact."""
    _run("tile-translate")


def tile_run() -> None:
    """Runs a kernel and checks its results."""
    _run("tile-run")


def tile_reduce() -> None:
    """Shrinks a file that shows a fault."""
    _run("tile-reduce")


def tile_lsp_server() -> None:
    """Serves editors."""
    _run("tile-lsp-server")
