# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `mlir-tile`: compile, run, bench, explain, layout, cache.

A kernel is a file of tile IR (`gemm.mlir`) or a function of a Python script
(`gemm.py:matmul`, with `--arg M=1024` for its arguments). Errors are one line and exit
status 1; a wrong command line is exit status 2.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import pathlib
import runpy
import sys


class UserError(Exception):
    """What the user can mend: its text is all that is shown."""


def main(argv: list[str] | None = None) -> int:
    """Runs one command; returns the process's exit status."""
    parser = _parser()
    options, rest = parser.parse_known_args(argv)
    if rest and not getattr(options, "takes_rest", False):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    from .errors import Error

    try:
        return options.command(options) or 0
    except (UserError, Error, OSError) as error:
        print(f"mlir-tile: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mlir-tile", description="A tile compiler for NVIDIA GPUs.")
    from . import __version__

    parser.add_argument("--version", action="version", version=f"mlir-tile {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name, function, text, *, kernel=True, rest=False):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=function, takes_rest=rest)
        if kernel:
            sub.add_argument("kernel", help="FILE.mlir, or FILE.py:FUNCTION")
            sub.add_argument(
                "--arg", action="append", default=[], metavar="NAME=VALUE",
                help="an argument of the Python function (a Python literal, else a string)",
            )  # fmt: skip
        return sub

    sub = command("compile", _compile, "compiles a kernel to PTX, machine code or an artifact")
    sub.add_argument("--arch", default="", help="sm_80, sm_90a, ...; default: the module's, else sm_80")
    sub.add_argument("--device", default="", help="the GPU that choices are made for (H100-PCIe, ...)")
    sub.add_argument("--emit", default="ptx", choices=["ptx", "cubin", "artifact", "llvmir", "nvvm", "tile"],
                     help="tile: the kernel's tile IR")  # fmt: skip
    sub.add_argument("--remarks", action="store_true", help="decisions and their reasons, on standard error")
    sub.add_argument("-o", "--output", default="-", help="a file; default: standard output")

    command("run", _run, "runs a kernel with made-up data and checks it (options of tile-run), or a script "
            "in TileLang's language as `python -m mlir_tile.compat` does", kernel=False, rest=True
            ).add_argument("file", help="FILE.mlir, an artifact, or FILE.py")  # fmt: skip
    command("bench", _bench, "times a kernel (options of tile-run)", kernel=False, rest=True).add_argument(
        "file", help="FILE.mlir or an artifact"
    )

    sub = command("explain", _explain, "explains what the compiler decided, line by line")
    sub.add_argument("--arch", default="sm_90a")
    sub.add_argument("--html", metavar="FILE", help="write HTML there")

    sub = command("layout", _layout, "shows who holds which element, and where it lies")
    sub.add_argument("--arch", default="sm_90a")
    sub.add_argument("--buffer", help="only this one")
    sub.add_argument("--svg", metavar="FOLDER", help="write a drawing of each there")

    sub = command("cache", _cache, "shows or empties the cache of compiled kernels", kernel=False)
    sub.add_argument("action", choices=["info", "path", "clear"])
    return parser


def _arguments(pairs: list[str]) -> dict[str, object]:
    """The values of --arg."""
    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise UserError(f"expected --arg NAME=VALUE, got '{pair}'")
        try:
            values[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            values[name] = text
    return values


def _source(options) -> tuple[str, str]:
    """Tile IR as text, and the name that diagnostics use for it."""
    path, colon, function = options.kernel.rpartition(":")
    if not colon or not path.endswith(".py"):
        if options.arg:
            raise UserError("--arg is for functions of Python scripts (FILE.py:FUNCTION)")
        if options.kernel.endswith(".py"):
            raise UserError(f"expected FILE.py:FUNCTION, got '{options.kernel}'")
        file = pathlib.Path(options.kernel)
        try:
            return file.read_text(), str(file)
        except UnicodeDecodeError as error:
            raise UserError(f"{file}: expected text, got bytes that are none ({error.reason})") from None
    if not pathlib.Path(path).is_file():
        raise UserError(f"no file {path}")
    from .compat import install

    install()  # a script may say `import tilelang`
    sys.path.insert(0, str(pathlib.Path(path).resolve().parent))
    made = runpy.run_path(path, run_name="__mlir_tile__").get(function)
    if made is None:
        raise UserError(f"{path} has no function '{function}'")
    return _ir_of(made, _arguments(options.arg), options.kernel), path


def _ir_of(made: object, arguments: dict[str, object], name: str) -> str:
    """The tile IR of a prim_func, or of the one that a function makes from `arguments`."""
    make = getattr(made, "get_prim_func", made)  # of what @jit returns
    if not hasattr(made, "script"):
        if not callable(make):
            raise UserError(f"{name}: expected a kernel or a function that makes one, got {type(made).__name__}")
        function = getattr(made, "function", made)
        if made is not make and _is_eager(function):
            # Its arguments are the sizes of T.const, too, which tracing finds.
            try:
                return make(**arguments).script()
            except TypeError as error:
                raise UserError(f"{name}: {error}") from None
        try:
            inspect.signature(function).bind_partial(**arguments)
        except TypeError as error:
            raise UserError(f"{name}: {error}; its arguments: {inspect.signature(function)}") from None
        made = make(**arguments)
    script = getattr(made, "script", None)
    if not callable(script):
        raise UserError(f"{name}: expected a function that returns a T.prim_func, got {type(made).__name__}")
    return script()


def _is_eager(function: object) -> bool:
    """Whether a function under @jit is a kernel itself, not one that returns a T.prim_func."""
    from .language.rewrite import rewritten

    return not rewritten(function).inner_prim_func


def _compile(options) -> int:
    text, name = _source(options)
    if options.emit == "tile":
        return _write(options.output, text.encode())
    from ._mlir_libs import _tile

    data, diagnostics = _tile.compile(
        text, arch=options.arch, device=options.device, output=options.emit,
        remarks=options.remarks, source_name=name,
    )  # fmt: skip
    sys.stderr.write(diagnostics)
    if data is None:
        return 1
    return _write(options.output, data)


def _write(place: str, data: bytes) -> int:
    """A file is replaced as a whole, or not at all."""
    if place == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return 0
    temporary = f"{place}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return 0


def _run(options, *more: str) -> int:
    if options.file.endswith(".py"):
        from .compat.__main__ import main as run_script

        sys.argv = ["mlir-tile run", options.file, *options.rest]
        run_script()
        return 0
    from . import _tools

    sys.argv = ["tile-run", options.file, *more, *options.rest]
    _tools.tile_run()
    return 0


def _bench(options) -> int:
    if options.file.endswith(".py"):
        raise UserError("a script times its own kernels (kernel.get_profiler().do_bench()); "
                        "`mlir-tile compile FILE.py:FUNCTION --emit=tile` writes one that bench takes")  # fmt: skip
    return _run(options, "--bench")


def _explain(options) -> int:
    text, _ = _source(options)
    from .explain import explain

    found = explain(text, arch=options.arch)
    if options.html:
        return _write(options.html, found._repr_html_().encode())
    print(found)
    return 0


def _layout(options) -> int:
    text, _ = _source(options)
    from .layout import layouts

    found = layouts(text, arch=options.arch)
    if options.buffer:
        if options.buffer not in found:
            raise UserError(f"no buffer '{options.buffer}'; there are {', '.join(found)}")
        found = {options.buffer: found[options.buffer]}
    for name, layout in found.items():
        print(f"{name}: {layout}")
        if options.svg:
            pathlib.Path(options.svg).mkdir(parents=True, exist_ok=True)
            _write(os.path.join(options.svg, f"{name}.svg"), layout.draw().encode())
    return 0


def _cache(options) -> int:
    from . import cache

    if options.action == "path":
        print(cache.directory())
        return 0
    found = cache.statistics()
    if options.action == "clear":
        cache.clear()
        print(f"removed {found['files']} kernels ({found['bytes'] / 1e6:.1f} MB)")
    else:
        print(f"{found['files']} kernels, {found['bytes'] / 1e6:.1f} MB in {cache.directory()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
