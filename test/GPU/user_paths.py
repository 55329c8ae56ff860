#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every path that a user has on this machine's GPU, each in a process of its own, none with PyTorch.

Every example by tile-run (from the file, and from an artifact), README's commands, --tune, --batch, clusters by hand, and a C program over
libtile_runtime.so. Needs the folder of the tools, a C compiler for the last, Python's standard library and nothing else.
A path that fails prints what it printed; the last line counts.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Paths:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.passed = self.failed = 0

    def run(self, name, *command, expect="PASS"):
        """One path: the status must be 0 and the output must have `expect`."""
        try:
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=self.options.timeout)
            text, ok = done.stdout + done.stderr, done.returncode == 0 and expect in done.stdout + done.stderr
        except (subprocess.TimeoutExpired, OSError) as failure:
            text, ok = str(failure), False
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}: {' '.join(str(c) for c in command)}\n{text[-1500:]}", flush=True)
        return ok

    def tool(self, name):
        return self.options.bin / name

    def examples(self):
        for example in sorted((ROOT / "examples").glob("*.mlir")):
            self.run(example.stem, self.tool("tile-run"), example, "--target=cuda", "--check")
            if "tunable" in example.stem:
                continue  # an artifact has no tunables left
            artifact = self.folder / f"{example.stem}.tile"
            if self.run(f"{example.stem} artifact", self.tool("tile-translate"), example, "--tile-to-artifact",
                        f"--arch={self.options.arch}", "-o", artifact, expect=""):
                self.run(f"{example.stem} from its artifact", self.tool("tile-run"), artifact, f"--source={example}",
                         "--target=cuda", "--check")

    def commands(self):
        gemm = ROOT / "examples" / "gemm.mlir"
        args = "--args=A=1024x1024,B=1024x1024,C=1024x1024"
        run = self.tool("tile-run")
        self.run("bench", run, gemm, args, "--check", "--bench", "--target=cuda")
        self.run("json", run, gemm, args, "--check", "--json", "--target=cuda", expect='"passed":true')
        self.run("tune", run, ROOT / "examples" / "gemm_tunable.mlir", args, "--tune", "--candidates=3", "--target=cuda")
        batch = self.folder / "list"
        batch.write_text("".join(f"--name=g{k} {gemm} {args}:smallint:{k}\n" for k in range(3)))
        self.run("batch", run, f"--batch={batch}", "--target=cuda", "--check", "--jobs=2")
        for arch in ("sm_80", "sm_90", "sm_90a"):
            self.run(f"gemm for {arch}", run, gemm, args, "--check", "--target=cuda", f"--arch={arch}")

    def clusters(self):
        """Blocks of a cluster that meet by hand; again and again, since what they wait for comes from other blocks."""
        program = ROOT / "test" / "Lowered" / "cluster-copy.mlir"
        sizes = {"count": "--args=Y=8x32", "flags": "--args=X=12x32,Y=12x32,Z=12x32"}
        for kernel in ("rotate", "gather", "multiply", "count", "flags", "copies"):
            for _ in range(3):
                self.run(f"{kernel} of a cluster", self.tool("tile-run"), program, f"--kernel={kernel}",
                         *([sizes[kernel]] if kernel in sizes else []), "--target=cuda", "--check")

    def c_program(self):
        artifact, program = self.folder / "scale.tile", self.folder / "scale"
        library = self.options.lib / "libtile_runtime.so"
        compiled = self.run("artifact for C", self.tool("tile-translate"), ROOT / "examples" / "scale.mlir",
                            "--tile-to-artifact", f"--arch={self.options.arch}", "-o", artifact, expect="")
        compiled &= self.run("C compiler", "cc", "-std=c11", "-Wall", "-Werror", f"-I{ROOT / 'include'}",
                             ROOT / "test" / "GPU" / "Inputs" / "scale.c", library, f"-Wl,-rpath,{library.parent}", "-o", program, expect="")
        if compiled:
            self.run("C program", program, artifact)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the tools")
    parser.add_argument("--lib", type=pathlib.Path, default=ROOT / "build/release/lib", help="folder of libtile_runtime.so")
    parser.add_argument("--arch", default="sm_90a", help="what artifacts are compiled for")
    parser.add_argument("--timeout", type=int, default=120)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = Paths(options, pathlib.Path(folder))
        paths.examples()
        paths.commands()
        paths.clusters()
        paths.c_program()
    print(f"{paths.passed} passed, {paths.failed} failed")
    sys.exit(1 if paths.failed else 0)


if __name__ == "__main__":
    main()
