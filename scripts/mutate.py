#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds mutated test inputs to the tools: none may crash, hang or fail silently.

Each mutant is one module of the test suite with a few bytes or tokens changed, drawn
from a fixed seed. tile-opt parses, verifies and runs each pipeline over batches of
mutants (--split-input-file); a batch that dies is run again mutant by mutant.
tile-translate gets them one at a time, and must explain each refusal. Prints a summary,
and the mutants that broke something with the commands that show it.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

SEPARATOR = "// -----"
TOKEN = re.compile(
    r"[%@#!^][\w.$]+|(?<![0-9])[A-Za-z_][\w.$]*|x|-?\d+(?:\.\d+)?|->|::|\s+|.", re.DOTALL
)
NUMBERS = ["0", "1", "-1", "7", "2147483648", "-9223372036854775808", "9223372036854775807",
           "18446744073709551616", "4294967296", "3", "33", "100", "64"]  # fmt: skip
MEMORY = 8 << 30
BATCH = 25
# What a tool prints when it is not whole, whatever its exit status.
SIGNS = ("Assertion `", "PLEASE submit a bug report", "LLVM ERROR", "AddressSanitizer",
         "LeakSanitizer", ": runtime error: ")  # fmt: skip
# A machine that does other things too gives a process a small part of the time.
WALL_PER_CPU = 30


def seeds(root: pathlib.Path) -> tuple[list[str], list[str]]:
    """The modules of the suite, in a fixed order: those that compile, and the others."""
    valid, invalid = [], []
    for directory in ("test", "examples"):
        for path in sorted((root / directory).rglob("*.mlir")):
            for chunk in path.read_text().split(SEPARATOR):
                if "tile." in chunk and len(chunk) < 20000:
                    (invalid if "expected-error" in chunk else valid).append(chunk)
    return valid, invalid


def mutate_bytes(text: str, rng: random.Random) -> str:
    """Flips, drops, doubles or inserts a few bytes."""
    data = bytearray(text.encode())
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(7)
        elif kind == 1:
            del data[at : at + rng.randint(1, 8)]
        elif kind == 2:
            data[at:at] = data[at : at + rng.randint(1, 40)]
        else:
            data.insert(at, rng.choice(b'{}()[]<>,:=%#!@"\\\0-*x'))
        if not data:
            data = bytearray(b"\n")
    return data.decode("utf-8", errors="surrogateescape")


def mutate_tokens(text: str, other: str, rng: random.Random) -> str:
    """Drops, doubles, swaps or replaces tokens; numbers become extreme ones."""
    tokens = TOKEN.findall(text)
    solid = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.choice(solid)
        kind = rng.choice((0, 1, 2, 3, 4, 4, 4, 4))
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at] += " " + tokens[at]
        elif kind == 2:
            to = rng.choice(solid)
            tokens[at], tokens[to] = tokens[to], tokens[at]
        elif kind == 3:
            tokens[at] = rng.choice([t for t in TOKEN.findall(other) if not t.isspace()])
        else:
            numbers = [i for i in solid if tokens[i].lstrip("-").isdigit()]
            if numbers:
                tokens[rng.choice(numbers)] = rng.choice(NUMBERS)
    return "".join(tokens)


def mutants(root: pathlib.Path, count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    valid, invalid = seeds(root)
    if not valid or not invalid:
        sys.exit(f"no test inputs below {root}")
    made = []
    for _ in range(count):
        # One change to what compiles gets furthest; tokens further than bytes.
        text = rng.choice(valid if rng.randrange(5) else invalid)
        if rng.randrange(4):
            text = mutate_tokens(text, rng.choice(valid), rng)
        else:
            text = mutate_bytes(text, rng)
        # Expectations and RUN lines are not what is tested; a separator would split it.
        made.append(text.replace(SEPARATOR, "// ---"))
    return made


def encode(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogateescape")


class Runner:
    """Runs one tool on mutants and keeps what broke."""

    def __init__(self, timeout: float, keep: pathlib.Path, memory: int = MEMORY,
                 suffix: str = ".mlir"):  # fmt: skip
        self.timeout = timeout
        self.keep = keep
        self.memory = memory
        self.suffix = suffix
        self.broken = []
        self.accepted = 0
        self.refused = 0

    def run(self, command: list[str], text: str | bytes, timeout: float) -> tuple[str, int]:
        """What went wrong ("" when nothing did), and the exit status."""

        def limit():
            if self.memory:
                resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            seconds = math.ceil(timeout)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

        with tempfile.NamedTemporaryFile(suffix=self.suffix) as source:
            source.write(encode(text))
            source.flush()
            try:
                result = subprocess.run(
                    command + [source.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    timeout=timeout * WALL_PER_CPU, preexec_fn=limit, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return f"no end within {timeout * WALL_PER_CPU:g} s", -1
        stderr = result.stderr.decode(errors="replace")
        if result.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"no end within {timeout:g} s of a processor", result.returncode
        if result.returncode < 0:
            return f"killed by signal {-result.returncode}", result.returncode
        for sign in SIGNS:
            if sign in stderr:
                return f"printed '{sign}'", result.returncode
        if result.returncode and "error" not in stderr:
            return f"status {result.returncode} without a diagnostic", result.returncode
        return "", result.returncode

    def report(self, command: list[str], text: str | bytes, problem: str):
        path = self.keep / f"mutant-{len(self.broken):03}{self.suffix}"
        path.write_bytes(encode(text))
        self.broken.append(f"{problem}: {' '.join(command)} {path}")

    def batch(self, command: list[str], texts: list[str]):
        joined = f"\n{SEPARATOR}\n".join(texts)
        problem, _ = self.run(command, joined, self.timeout * 3)
        if not problem:
            return
        alone = [(text, self.run(command, text, self.timeout)[0]) for text in texts]
        found = [(text, what) for text, what in alone if what]
        for text, what in found:
            self.report(command, text, what)
        if not found and not problem.startswith("no end"):
            self.report(command, joined, problem + " (only together)")

    def single(self, command: list[str], text: str | bytes):
        problem, status = self.run(command, text, self.timeout)
        if problem:
            self.report(command, text, problem)
        elif status:
            self.refused += 1
        else:
            self.accepted += 1


def options(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the tools lie")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="root of the repository (default: this script's)")  # fmt: skip
    parser.add_argument("--count", type=int, default=2000, help="mutants (default 2000)")
    parser.add_argument("--seed", type=int, default=20251121, help="of the mutations")
    parser.add_argument("--timeout", type=float, default=10,
                        help="seconds of a processor for one mutant")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    parser.add_argument("--keep", type=pathlib.Path, help="directory for mutants that broke a tool")
    parser.add_argument("--no-memory-limit", action="store_true",
                        help="for tools built with AddressSanitizer")  # fmt: skip
    arguments = parser.parse_args()
    arguments.keep = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="tile-mutants-"))
    arguments.keep.mkdir(parents=True, exist_ok=True)
    arguments.memory = 0 if arguments.no_memory_limit else MEMORY
    return arguments


def main() -> int:
    arguments = options(__doc__.splitlines()[0])
    texts = mutants(arguments.root, arguments.count, arguments.seed)
    opt = str(arguments.bin / "tile-opt")
    # Unregistered operations are for tests of the parser; upstream's conversions do
    # not expect them.
    common = [opt, "--split-input-file"]
    unregistered = "--allow-unregistered-dialect"
    known = subprocess.run([opt, "--help"], capture_output=True, text=True, check=True).stdout
    pipelines = [
        [unregistered],
        [unregistered, "--mlir-print-op-generic"],
        [unregistered, "--canonicalize", "--cse"],
    ]
    pipelines += [
        [flag] for flag in ("--tile-to-nvvm", "--tile-to-cpu", "--tile-infer-layouts",
                            "--tile-pipeline")
        if re.search(rf"^\s+{flag}\b", known, re.MULTILINE)
    ]  # fmt: skip

    runner = Runner(arguments.timeout, arguments.keep, arguments.memory)
    batches = [texts[i : i + BATCH] for i in range(0, len(texts), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        work = [
            pool.submit(runner.batch, common + flags, b) for flags in pipelines for b in batches
        ]
        translate = arguments.bin / "tile-translate"
        if os.access(translate, os.X_OK):
            command = [str(translate), "--tile-to-ptx", "--arch=sm_80", "-o", os.devnull]
            work += [pool.submit(runner.single, command, text) for text in texts]
        for item in work:
            item.result()

    print(f"{len(texts)} mutants through tile-opt ({len(pipelines)} ways) and tile-translate "
          f"({runner.accepted} compiled, {runner.refused} refused): "
          f"{len(runner.broken)} crashes, hangs or silent failures")  # fmt: skip
    for line in runner.broken:
        print(line)
    return 1 if runner.broken else 0


if __name__ == "__main__":
    sys.exit(main())
