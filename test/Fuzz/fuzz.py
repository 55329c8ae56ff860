#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs on many paths and compares with what numpy says they compute.

    fuzz.py --seeds 0:300 --bin build/release/bin [--paths source,scheduled:sm_90a,ptx:sm_90a] [--jobs 2] [--junit FILE]

A path is
    source                          the program as written, on the CPU
    layouts:ARCH copies:ARCH        after these phases
    scheduled:ARCH[:lazy][:roles][:blocks=N]
    lowered:ARCH                    the kernel as it is lowered for a GPU, on the CPU
    ptx:ARCH                        compiled to PTX and assembled by ptxas
    artifact:ARCH                   the same of both versions, for any arguments and for aligned ones
    cuda                            on this machine's GPU
Without ptxas on PATH there is no result, unless --without-ptxas says to skip what needs it. A folder `--keep DIR` keeps the files of programs that fail, with the command that shows it.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Matrix"))

import assembler  # noqa: E402
import outcomes  # noqa: E402
import ptx_faults  # noqa: E402
import table  # noqa: E402
from programs import generate  # noqa: E402
from limits import LIMITS  # noqa: E402
from outcomes import HANG, REFUSED, RIGHT, SKIPPED, WRONG, Outcome  # noqa: E402
from report import Skipped, report as junit_report  # noqa: E402

ARCHS = ("sm_80", "sm_90a", "sm_100a")
DEFAULT = ["source", *(f"scheduled:{arch}" for arch in ARCHS), "scheduled:sm_90a:lazy", *(f"ptx:{arch}" for arch in ARCHS),
           *(f"lowered:{arch}" for arch in ARCHS)]
CHUNK = 100  # programs that are generated and run together


def write(seed, folder):
    """The files of a program; for each run its name, its options for tile-run, the architectures that it is for."""
    program, expected = generate(seed)
    path = folder / f"p{seed}.mlir"
    path.write_text(program.text())
    found = []
    for number, (run, results) in enumerate(zip(program.runs, expected)):
        results_path = folder / f"p{seed}.{number}.table.mlir"
        results_path.write_text(table.text(program, run, results))
        found.append((f"{seed}.{number}", f"{path} --source={results_path} --args={program.options(run)} --check", program.archs))
    return found


def modes(path):
    """tile-run's options for a path."""
    kind, *rest = path.split(":")
    if kind in ("source", "cuda"):
        return ["--target=cuda"] if kind == "cuda" else []
    found = [f"--stage={kind}", f"--arch={rest[0]}"]
    for word in rest[1:]:
        found.append({"lazy": "--lazy-async", "roles": "--roles=on"}.get(word) or f"--{word}")
    return found


def run_batch(cases, options, folder):
    """Cases of tile-run: one process for all, which starts others, so that a crash or a hang is its own case's."""
    if not cases:
        return []
    lines = [f"--name={name} {text} {' '.join(modes(path))} --workers=1" for name, text, path in cases]
    listing = folder / "list"
    listing.write_text("\n".join(lines) + "\n")
    command = [options.bin / "tile-run", f"--batch={listing}", f"--jobs={options.jobs}", f"--timeout={options.timeout}", "--json"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    reports = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if len(reports) != len(cases):
        raise SystemExit(f"tile-run gave {len(reports)} reports for {len(cases)} cases: {done.stderr[:400]}")
    found = []
    for line, (name, text, path), said in zip(reports, cases, lines):
        outcome = outcomes.of_report(line, path, f"{options.bin}/tile-run {said.split(' ', 1)[1]}")
        outcome.name = name
        found.append(outcome)
    return found


def assemble(case, options, folder):
    """A program through the compiler and the assembler."""
    name, text, path = case
    kind, arch = path.split(":")
    source = text.split()[0]
    output = folder / f"{pathlib.Path(source).stem}.{arch}.{kind}"
    commands = [[options.bin / "tile-translate", source, f"--tile-to-{kind}", f"--arch={arch}", "-o", output]]
    if kind == "artifact" and options.ptxas:
        commands[0].append("--assembler=ptxas")
    if kind == "ptx" and options.ptxas:
        commands.append([options.ptxas, f"-arch={arch}", output, "-o", output.with_suffix(".cubin")])
    said = " && ".join(" ".join(map(str, command)) for command in commands)
    try:
        for command in commands:
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=options.timeout)
            result, message = outcomes.of_compiler(done.returncode, done.stderr)
            if result != RIGHT or message:
                if command is not commands[0]:
                    result = outcomes.FAULT if done.returncode else RIGHT
                return Outcome(name, path, result, message, said)
        if kind == "ptx" and (lines := ptx_faults.found(output.read_text())):
            return Outcome(name, path, WRONG, f"miscompiled by ptxas: {lines[0]}", said)
    except subprocess.TimeoutExpired:
        return Outcome(name, path, HANG, f"{command[0]} still running after {options.timeout} seconds", said)
    finally:
        for made in (output, output.with_suffix(".cubin")):
            made.unlink(missing_ok=True)
    return Outcome(name, path, RIGHT, "", said) if options.ptxas else Outcome(name, path, SKIPPED, assembler.NONE, said)


def is_for(path, archs):
    """Whether a program for these architectures (none: all) has the path."""
    found = [word for word in path.split(":") if word.startswith("sm_")]
    return not archs or not found or found[0] in archs


def chosen(name, options):
    """The paths of a program: all, or so many, which its seed decides."""
    paths = options.paths.split(",")
    return random.Random(f"paths of {name.split('.')[0]}").sample(paths, options.turns) if options.turns else paths


def run(seeds, options, folder):
    """The outcomes of the programs of some seeds."""
    written = [case for seed in seeds for case in write(seed, folder)]
    cases = [(name, text, path) for name, text, archs in written for path in chosen(name, options) if is_for(path, archs)]
    compiled = [case for case in cases if case[2].split(":")[0] in ("ptx", "artifact")]
    found = run_batch([case for case in cases if case not in compiled], options, folder)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        once = [case for case in compiled if case[0].endswith(".0")]
        found += pool.map(lambda case: assemble(case, options, folder), once)
    # What was asked for in so many words and cannot be is no refusal of the program.
    return [o for o in found if not (o.kind == REFUSED and outcomes.ASKED.search(o.text))]


def keep(found, folder, options):
    """Copies the files of what failed, and writes the commands that show it."""
    options.keep.mkdir(parents=True, exist_ok=True)
    with open(options.keep / "findings.jsonl", "a") as listing:
        for o in found:
            if o.kind in (RIGHT, SKIPPED):
                continue
            for path in folder.glob(f"p{o.name.split('.')[0]}.*mlir"):
                shutil.copy(path, options.keep)
            line = dict(name=o.name, path=o.path, kind=o.kind, text=o.text, command=o.command.replace(str(folder), str(options.keep)))
            listing.write(json.dumps(line) + "\n")


def failures(found):
    """For JUnit: programs and what is wrong with them. A refusal that docs/Limits.md does not explain is a failure; a
    program without a decided case is skipped."""
    by_program = {}
    for o in found:
        by_program.setdefault(f"seed {o.name.split('.')[0]}", []).append(o)

    def wrong(o):
        explained = o.kind == REFUSED and any(re.search(pattern, o.text) for pattern, _ in LIMITS)
        return o.kind not in (RIGHT, SKIPPED) and not explained

    return [(name, [f"{o.path}: {o.kind}: {o.text[:300]}" for o in cases if wrong(o)]
             if any(o.kind != SKIPPED for o in cases) else Skipped(cases[0].text)) for name, cases in by_program.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:300", help="FIRST:END, or several, separated by commas")
    parser.add_argument("--paths", default=",".join(DEFAULT))
    parser.add_argument("--turns", type=int, default=0, help="give each program only so many of the paths")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-run and tile-translate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=180, help="seconds that a case may take")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for what fails")
    parser.add_argument("--junit", type=pathlib.Path, help="write the results here, too")
    assembler.add_options(parser)
    options = parser.parse_args()
    needed = any(path.split(":")[0] in ("ptx", "artifact") for path in options.paths.split(","))
    options.ptxas = assembler.find(options, "fuzz") if needed else None
    seeds = [seed for part in options.seeds.split(",") for seed in range(*map(int, part.split(":")))]
    found = []
    for start in range(0, len(seeds), CHUNK):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            part = run(seeds[start : start + CHUNK], options, folder)
            if options.keep:
                keep(part, folder, options)
            found += part
        if len(seeds) > CHUNK:
            bad = sum(o.kind not in (RIGHT, REFUSED, SKIPPED) for o in found)
            print(f"{min(len(seeds), start + CHUNK)} programs, {len(found)} cases, {bad} findings", flush=True)
    outcomes.report(found, LIMITS)
    sys.exit(junit_report("fuzz", failures(found), options.junit))


if __name__ == "__main__":
    main()
