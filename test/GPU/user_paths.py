#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every path that a user has on this machine's GPU, each in a process of its own, none with PyTorch.

Every example by tile-run (from the file, and from an artifact), the kernels of examples/gallery, what README.md shows (its kernels on the
GPU), demo.sh's step on a GPU, --tune, --batch, clusters by hand, and two C programs over libtile_runtime.so, examples/c/launch.c and one of
this folder. Python's paths are python_launch.py's. Needs the folder of the tools, a C compiler for the last, Python's standard library and nothing else.
A path that fails prints what it printed; the last line counts.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_readme  # noqa: E402


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

    def gallery(self):
        for kernel in sorted((ROOT / "examples/gallery").glob("*.mlir")):
            self.run(f"gallery {kernel.stem}", self.tool("tile-run"), kernel, "--target=cuda", "--check")

    def readme(self):
        """What README.md shows; its kernels run on the GPU."""
        for name, text in check_readme.FILES.items():
            (self.folder / name).write_text(text)
        for command, shown in check_readme.blocks((ROOT / "README.md").read_text()):
            tool, *words = shlex.split(command)
            if any(" error: " in line for line in shown):
                continue  # what a wrong kernel is told: the same on every machine
            place = lambda word: ROOT / word if word.startswith("examples/") else self.folder / word if word.endswith(".ptx") else word
            words = [place(word) for word in words]
            runs = ["--target=cuda"] if tool == "tile-run" else []
            self.run(f"README: {command}", self.tool(tool), *words, *runs, expect="PASS" if runs else "")

    def commands(self):
        gemm = ROOT / "examples" / "gemm.mlir"
        args = "--args=A=1024x1024,B=1024x1024,C=1024x1024"
        run = self.tool("tile-run")
        large = "--args=A=4096x4096,B=4096x4096,C=4096x4096"  # demo.sh's
        self.run("demo", run, gemm, "--target=cuda", "--arch=sm_90", large, "--check", "--bench")
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

    def c_programs(self):
        artifact = self.folder / "scale.tile"
        library = self.options.lib / "libtile_runtime.so"
        if not self.run("artifact for C", self.tool("tile-translate"), ROOT / "examples/scale.mlir",
                        "--tile-to-artifact", f"--arch={self.options.arch}", "-o", artifact, expect=""):
            return
        for source in ("test/GPU/Inputs/scale.c", "examples/c/launch.c"):
            program = self.folder / pathlib.Path(source).stem
            if self.run(f"C compiler: {source}", "cc", "-std=c11", "-Wall", "-Werror", f"-I{ROOT / 'include'}",
                        ROOT / source, library, f"-Wl,-rpath,{library.parent}", "-o", program, expect=""):
                self.run(f"C program: {source}", program, artifact, expect="0 of" if "launch" in source else "PASS")


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
        paths.gallery()
        paths.readme()
        paths.commands()
        paths.clusters()
        paths.c_programs()
    print(f"{paths.passed} passed, {paths.failed} failed")
    sys.exit(1 if paths.failed else 0)


if __name__ == "__main__":
    main()
