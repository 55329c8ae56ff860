#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs random programs, what they compute and a runner for a machine with a GPU, where nothing is installed.

    pack.py --seeds 0:3000 --bin build/release/bin -o pack.tar.xz
    tar xf pack.tar.xz && python3 pack/run_pack.py            (there)

The archive holds tile-run with the libraries it links, stripped of its symbols.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import table  # noqa: E402
from programs import generate  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def files(seed):
    """The names and texts of a program's files, and its lines of the list."""
    program, expected = generate(seed)
    found, lines = [(f"p{seed}.mlir", program.text())], []
    for number, (run, results) in enumerate(zip(program.runs, expected)):
        found.append((f"p{seed}.{number}.table.mlir", table.text(program, run, results)))
        lines.append(f"--name={seed}.{number} p/p{seed}.mlir --source=p/p{seed}.{number}.table.mlir --args={program.options(run)} --check")
    return found, lines


def libraries(program):
    """The shared libraries of a program beside those of every Linux."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [path for name, path in re.findall(r"(\S+) => (/\S+)", text) if not re.match(r"lib(c|m|dl|pthread|rt|gcc_s)\.so", name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:3000", help="FIRST:END")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-tool", action="store_true", help="leave tile-run out: the runner is given one by --tile-run")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    first, end = (int(n) for n in options.seeds.split(":"))
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "pack"
        (root / "p").mkdir(parents=True)
        listing = []
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            for texts, lines in pool.map(files, range(first, end), chunksize=8):
                listing += lines
                for name, text in texts:
                    (root / "p" / name).write_text(text)
        (root / "list.txt").write_text("\n".join(listing) + "\n")
        for name in ("run_pack.py", "outcomes.py"):
            shutil.copy(HERE / name, root)
        if not options.no_tool:
            (root / "lib").mkdir()
            subprocess.run(["strip", "-o", root / "tile-run", options.bin / "tile-run"], check=True)
            for library in libraries(options.bin / "tile-run"):
                shutil.copy(library, root / "lib")
        subprocess.run(["tar", "-C", folder, "--sort=name", "-cJf", options.output.resolve(), "pack"], check=True)
    print(f"{end - first} programs, {len(listing)} runs, {options.output.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
