#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks for more stages than kernels have: none may be refused for shared memory that fewer stages fit.

    more_stages.py --bin build/release/bin [--more 1,2,3,4] [--archs sm_80,sm_90a,sm_100a,sm_120a] [--seeds 0:300] [--every N] [FILE...]

The kernels are the matrix, the examples, the random programs of the seeds and the files; `--every N` takes each Nth of them.
Every `stages(n)` of a kernel becomes `stages(n + more)`. Where the kernel is refused for shared memory, it is compiled with
fewer and fewer stages; one that fits then is a failure. The last line counts, the exit status is zero where nothing failed.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = re.compile(r"\bstages\((\d+)\)")
REFUSAL = re.compile(r"expected at most \d+ bytes of shared memory")


def with_more(text, more):
    return STAGES.sub(lambda found: f"stages({max(1, int(found[1]) + more)})", text)


def compile_text(tool, text, arch):
    """Nothing where the kernel is placed; else the first error."""
    done = subprocess.run([tool, "-", f"--tile-to-barriers=arch={arch} verify-rings=false", "-o", "/dev/null"], input=text,
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[-200:] or "no message")


def judge(tool, file, arch, mores):
    """A pair for each number of stages more: what became of the kernel, and the message."""
    text = file.read_text()
    if not STAGES.search(text):
        return
    most = max(int(found) for found in STAGES.findall(text))
    for more in mores:
        error = compile_text(tool, with_more(text, more), arch)
        if error is None or not REFUSAL.search(error):
            yield "placed" if error is None else "refused for something else", f"{file.name} {arch} +{more}: {error}"
            continue
        fits = next((less for less in range(more - 1, -most, -1) if compile_text(tool, with_more(text, less), arch) is None), None)
        what = "refused with one stage, too" if fits is None else "FAILED"
        yield what, f"{file.name} {arch} +{more}: {error}; fits with {fits:+d}" if fits is not None else f"{file.name} {arch}: {error}"


def kernels(folder, seeds, files):
    generate.write(folder / "matrix")
    found = sorted((folder / "matrix").glob("*.mlir")) + sorted((ROOT / "examples").rglob("*.mlir"))
    if seeds:
        sys.path.insert(0, str(ROOT / "test" / "Fuzz"))
        from programs import generate as program

        for seed in seeds:
            path = folder / f"p{seed}.mlir"
            path.write_text(program(seed)[0].text())
            found.append(path)
    return found + files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--more", default="1,2,3,4")
    parser.add_argument("--archs", default="sm_80,sm_90a,sm_100a,sm_120a")
    parser.add_argument("--seeds", default="0:0")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    first, end = map(int, options.seeds.split(":"))
    mores = [int(more) for more in options.more.split(",")]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        files = kernels(pathlib.Path(folder), range(first, end), options.files)[:: options.every]
        jobs = [(file, arch) for arch in options.archs.split(",") for file in files]
        for results in pool.map(lambda job: list(judge(options.bin / "tile-opt", *job, mores)), jobs):
            for what, message in results:
                counts[what] += 1
                if what == "FAILED":
                    print(what, message, flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "no kernel has stages")
    return 1 if counts["FAILED"] or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
