# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tile programs to artifacts and packs them with the scripts that run them: where the compiler is."""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PTXAS_WARNING = re.compile(r"C75\d\d")
INSTRUCTIONS = ("wgmma.mma_async", "mma.sync", "cp.async.bulk.tensor", "cp.async.cg", "setmaxnreg", "stmatrix")


PATIENCE = 300  # seconds; an artifact of 160 kernels takes 40 of a quiet core


def execute(command):
    """The finished process, or None where it twice had no answer in time (machines stall)."""
    for _ in range(2):
        try:
            return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            pass
    return None


def compile_program(program, folder, bin_dir, arch, info=False):
    """Writes the artifact; returns its entry of the index, with `failed` where there is none.

    info: compile once more, to PTX and by ptxas, for what they tell: registers, spills, warnings, instructions.
    """
    name = program.ident()
    entry = dict(name=name)
    source = folder / f"{name}.mlir"
    source.write_text(program.text())
    # nvJitLink links relocatable code, for which setmaxnreg is ignored (C7504): registers would not be divided.
    command = [f"{bin_dir}/tile-translate", source, f"--arch={arch}", "--assembler=ptxas"]
    start = time.time()
    done = execute(command + ["--tile-to-artifact", "-o", folder / f"{name}.tile"])
    told = execute(command + ["--tile-to-ptx", "--dump-ptxas-info"]) if info else None
    if not done:
        return dict(entry, failed=f"no answer in {PATIENCE} s, twice")
    entry["seconds"] = round(time.time() - start, 2)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line] or lines or [f"exit status {done.returncode}"]
        return dict(entry, failed=errors[0][-400:])
    warnings = [line.strip() for line in done.stderr.splitlines() if PTXAS_WARNING.search(line)]
    if warnings:
        entry["warning"] = warnings[0][:300]
    if told:
        entry["info"] = [line.split(": ", 1)[-1] for line in told.stderr.splitlines() if " registers" in line][:1]
        entry["instructions"] = {what: told.stdout.count(what) for what in INSTRUCTIONS}
    return entry


def pack(programs, script, options, extra=(), choices=()):
    """One .tar.xz of artifacts, their index, the script and this package. Returns the number of failures.

    options: those of `add_options`. choices: what the compiler chose for which problem, for the index.
    """
    unique = {}
    for program in programs:
        unique.setdefault(program.ident(), program)
    runtime, output, arch = options.runtime or find_runtime(options.bin), options.output, options.arch
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            index = list(
                pool.map(lambda p: compile_program(p, folder, options.bin, arch, options.info), unique.values())
            )
        (folder / "index.json").write_text(json.dumps(dict(arch=arch, commit=commit(), kernels=index, choices=list(choices)), indent=0))
        with tarfile.open(output, "w:xz") as tar:
            tar.add(script, pathlib.Path(script).name)
            for module in sorted(HERE.glob("*.py")):
                tar.add(module, f"tilebench/{module.name}")
            for path in extra:
                tar.add(path, pathlib.Path(path).name)
            if runtime:
                tar.add(runtime, "libtile_runtime.so")
            tar.add(folder / "index.json", "index.json")
            for entry in index:
                if "failed" not in entry:
                    tar.add(folder / f"{entry['name']}.tile", f"artifacts/{entry['name']}.tile")
    failed = [entry for entry in index if "failed" in entry]
    for entry in failed:
        print(f"FAIL {entry['name']}: {entry['failed']}")
    for entry in index:
        if "warning" in entry:
            print(f"WARNING {entry['name']}: {entry['warning']}")
        spills = re.search(r"([1-9]\d*) bytes (spill stores|stack frame)", " ".join(entry.get("info", [])))
        if spills:
            print(f"SPILLS {entry['name']}: {spills[0]}")
        if options.verbose and "info" in entry:
            counts = " ".join(f"{what}={count}" for what, count in entry["instructions"].items() if count)
            print(f"{entry['name']}: {' '.join(entry['info'])}; {counts}")
    if not runtime:
        print("WARNING no libtile_runtime.so found: build the target TileRuntimeShared")
    print(
        f"{output}: {pathlib.Path(output).stat().st_size >> 10} KiB, {len(index) - len(failed)} artifacts, "
        f"{len(failed)} not compiled"
    )
    return len(failed)


def commit():
    """The commit of this checkout, with `-dirty` where files differ from it; None where there is no git."""
    try:
        command = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--exclude=*"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def find_runtime(bin_dir):
    bin_dir = pathlib.Path(bin_dir)
    for place in (bin_dir.parent / "lib" / "libtile_runtime.so", bin_dir / "libtile_runtime.so"):
        if place.exists():
            return place
    return None


def add_options(parser, output):
    parser.add_argument("--bin", default="build/release/bin", help="folder of tile-translate")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--runtime", help="libtile_runtime.so (default: ../lib of --bin)")
    parser.add_argument(
        "--info", action="store_true", help="also ask ptxas for registers, spills and warnings: twice the time"
    )
    parser.add_argument("--verbose", action="store_true", help="with --info: print it for every kernel")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", default=output)


def add_run_options(parser):
    """Of the command that measures: what a Bench and its reports read."""
    parser.add_argument("--tune-rep", type=float, default=12, help="milliseconds of a tuning measurement")
    parser.add_argument("--patience", type=float, default=45, help="seconds without progress after which to give up")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--rep", type=float, default=40, help="milliseconds of a measurement")
    parser.add_argument("--only", help="only configurations whose names contain this")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the inputs; fresh by default")
    parser.add_argument("--json", help="write the rows to this file as they come")
    parser.add_argument("--jsonl", help="add the measured sets to this file, as lines of benchmarks/results.jsonl")
    parser.add_argument("--commit", help="what --jsonl says was measured (default: the commit that was packed)")
