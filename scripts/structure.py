#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts how far passes and lowerings know each other: a table of figures.

How each figure is counted (comments are left out everywhere):

copy        Source files (.cpp; a header counts with it) of the compiler's pipeline that
            name a `tile.copy` or its use of a ring: they mention CopyOp,
            TileMoveOpInterface, CopyFacts, decideCopy, TmaGeometry, RingAcquireOp or
            RingCommitOp. Such a file reads or rewrites the copy that stands in a
            pipelined loop. Left out: other paths (CPU, execution, C interface,
            language server, runtime) and tensor memory (Tcgen05, Pairs), which a
            copy for sm_90a does not meet. Files that only carry operations on
            (the parser's, upstream's) name nothing and are not counted.
mma, copy   Files that name a case of MmaInstruction or of CopyInstruction in code
instruction (`MmaInstruction::Wgmma`): to compare, to switch or to choose. A default
            argument in a declaration is none.
casts       isa, cast, dyn_cast and their kin, getDefiningOp and getParentOfType, with a
            concrete operation of the tile dialect among their types, in each of three
            folders. Interfaces are counted beside them.

With --list, says where each of them is.
"""

import argparse
import collections
import pathlib
import re

PIPELINE = ["lib/Dialect", "lib/Analysis", "lib/Conversion/TileToNVVM", "lib/Pipelines", "lib/Target"]
COPY = re.compile(
    r"\b(CopyOp|TileMoveOpInterface|CopyFacts|decideCopy|TmaGeometry|RingAcquireOp|RingCommitOp)\b")
ELSEWHERE = re.compile(r"Tcgen05|Pair|Lsp")
CASTS = re.compile(
    r"\b(?:isa|cast|dyn_cast|isa_and_nonnull|isa_and_present|dyn_cast_or_null|dyn_cast_if_present"
    r"|cast_or_null|getDefiningOp|getParentOfType)<([^<>()]*)>")
FOLDERS = {
    "Transforms": "lib/Dialect/Tile/Transforms",
    "TileToNVVM": "lib/Conversion/TileToNVVM",
    "Analysis": "lib/Analysis",
}
BARS = {"copy": 30, "mma instruction": 5, "copy instruction": 4, "casts: Transforms": 45,
        "casts: TileToNVVM": 60, "casts: Analysis": 25}


def code(path: pathlib.Path) -> str:
    return re.sub(r"//.*", "", path.read_text())


def sources(root: pathlib.Path, folder: str, suffixes: tuple[str, ...]) -> list[pathlib.Path]:
    return [path for path in sorted((root / folder).rglob("*")) if path.suffix in suffixes]


def names(root: pathlib.Path) -> tuple[set[str], set[str]]:
    """C++ classes of the dialect's operations, and of its interfaces."""
    operations, interfaces = set(), set()
    for path in sorted((root / "include/tile/Dialect/Tile/IR").glob("*.td")):
        text = path.read_text()
        operations.update(re.findall(r"^def Tile_(\w+Op)\s*:\s*Tile_\w*Op<", text, re.MULTILINE))
        interfaces.update(re.findall(r"^def (\w+Interface)\b", text, re.MULTILINE))
    return operations, interfaces


def copy_files(root: pathlib.Path) -> list[str]:
    return [str(path.relative_to(root)) for folder in PIPELINE
            for path in sources(root, folder, (".cpp",))
            if not ELSEWHERE.search(str(path.relative_to(root))) and COPY.search(code(path))]


def instruction_files(root: pathlib.Path, kind: str) -> list[str]:
    case = re.compile(rf"(?<![^=!<>]= )\b{kind}Instruction::[A-Z]")
    return [str(path.relative_to(root)) for folder in ("include", "lib", "tools")
            for path in sources(root, folder, (".cpp", ".h"))
            if case.search(" ".join(code(path).split()))]


def casts(root: pathlib.Path, folder: str, wanted: set[str]) -> collections.Counter[str]:
    found: collections.Counter[str] = collections.Counter()
    for path in sources(root, folder, (".cpp", ".h")):
        for types in CASTS.findall(code(path)):
            if {one.strip().split("::")[-1] for one in types.split(",")
                    if not re.match(r"\s*(scf|arith|memref|NVVM|LLVM|func|gpu)::", one)} & wanted:
                found[str(path.relative_to(root))] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path, nargs="?",
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="root of the repository")
    parser.add_argument("--list", action="store_true", help="say where each of them is")
    arguments = parser.parse_args()
    root = arguments.root
    operations, interfaces = names(root)
    figures: dict[str, dict[str, int]] = {"copy": dict.fromkeys(copy_files(root), 1)}
    for kind in ("Mma", "Copy"):
        figures[f"{kind.lower()} instruction"] = dict.fromkeys(instruction_files(root, kind), 1)
    for name, folder in FOLDERS.items():
        figures[f"casts: {name}"] = casts(root, folder, operations)
        figures[f"casts to interfaces: {name}"] = casts(root, folder, interfaces)
    print(f"{'figure':32}{'now':>5}{'bar':>5}")
    for name, places in figures.items():
        print(f"{name:32}{sum(places.values()):5}{BARS.get(name, ''):>5}")
        if arguments.list:
            for place, count in sorted(places.items(), key=lambda item: (-item[1], item[0])):
                print(f"  {count:3} {place}")


if __name__ == "__main__":
    main()
