# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs TileLang's own example scripts and tests with this package, on the CPU target.

    python test/python/acceptance/run.py --repo PATH/TO/tilelang.git
        [--set examples|rows|tests|latencies] [--torch stub|real] [--limit SECONDS] [--jobs N]
        [--only PART] --out RESULTS.jsonl

The repository (a git directory or a checkout) is unpacked at a commit into a temporary folder;
nothing of it is kept. Each script or test runs in a process of its own (a fork of one that has
imported torch), with a time limit. "cuda" means the CPU, in the scripts and in torch. Writes a
JSON line that says what ran where, one for each case, and a summary: passed, failed (by first line
of the error), not run (why). Cases that ran beside others and lacked memory of the GPU run once
more alone: their last line counts.

The set "latencies" has the cases of TileLang's regression suite as its own runner calls them: with
their own sizes, one at a time, measured as they say (by CUPTI). Their lines have "milliseconds".
With --peer it is TileLang itself (on PYTHONPATH) that runs, not this package.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import classify  # noqa: E402
import scripts  # noqa: E402

COMMIT = "a35008a"
# Kinds of tests that are run, and the set that they are counted in.
KINDS = {"results": "tests", "runs only": "tests", "refusal": "refusals"}
SETS = ("examples", "rows", "tests", "latencies")
# In front of the line in which a script of the regression suite prints what it measured.
LATENCIES = "__TILELANG_PERF_RESULTS_JSON__="


@dataclass
class Case:
    """One thing to run."""

    set: str
    name: str
    path: Path
    function: str | None = None
    arguments: Any = None
    result: dict[str, Any] = field(default_factory=dict)


def unpack(repository: Path, commit: str, folder: Path) -> None:
    """The folders of TileLang that are run, as they are at `commit`."""
    git_dir = repository / ".git" if (repository / ".git").exists() else repository
    parts = ["examples", "testing", "benchmark"]
    archive = subprocess.run(
        ["git", f"--git-dir={git_dir}", "archive", commit, *parts],
        stdout=subprocess.PIPE,
        check=True,
    )
    subprocess.run(["tar", "x", "-C", str(folder)], input=archive.stdout, check=True)


def cases(sets: list[str], root: Path, small: bool) -> list[Case]:
    """What the sets contain."""
    folder = root / "examples"
    found = []
    if "examples" in sets:
        for path in scripts.examples(folder):
            name = str(path.relative_to(folder))
            found.append(
                Case("examples", name, path, None, scripts.SIZES.get(name) if small else [])
            )
    if "rows" in sets:
        for name, near in scripts.rows(folder):
            relative = str(near.relative_to(folder))
            sizes = scripts.SIZES.get(relative) if small else []
            found.append(Case("rows", name, near, None, sizes))
    if "latencies" in sets:
        for name, path in scripts.latencies(folder):
            found.append(Case("latencies", name, path, f"regression_{name}"))
    if "tests" in sets:
        for test in classify.tests(root / "testing" / "python"):
            if test.kind in KINDS:
                relative = test.path.relative_to(root / "testing" / "python")
                name = f"{relative}::{test.name}"
                found.append(Case(KINDS[test.kind], name, test.path, test.name))
    return found


def run_script(case: Case) -> None:
    """Runs an example in this process: as a script, or its `main` with smaller sizes."""
    sys.path.insert(0, str(case.path.parent))
    os.chdir(case.path.parent)
    if isinstance(case.arguments, (dict, scripts.Call)):
        sys.argv = [str(case.path)]
        import importlib

        call = case.arguments
        call = call if isinstance(call, scripts.Call) else scripts.Call(arguments=call)
        module = importlib.import_module(case.path.stem)
        vars(module).update(call.constants)
        for name in call.functions:
            getattr(module, name)(**call.arguments)
    else:
        sys.argv = [str(case.path), *(case.arguments or [])]
        runpy.run_path(str(case.path), run_name="__main__")


def run_latency(case: Case) -> None:
    """Measures one case of a script of the regression suite, in this process."""
    sys.path.insert(0, str(case.path.parent))
    os.chdir(case.path.parent)
    sys.argv = [str(case.path)]  # some of them read options
    os.environ["TL_PERF_REGRESSION_FORMAT"] = "json"
    import tilelang.testing

    function = runpy.run_path(str(case.path))[case.function]
    # Its runner takes the functions of the module that calls it.
    call = "tilelang.testing.regression(verbose=False)"
    exec(call, {"tilelang": tilelang, case.function: function})


def run_test(case: Case) -> int:
    """Runs a test function with pytest in this process."""
    import pytest

    os.chdir(case.path.parent)
    options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=short", "-rs", "--color=no"]
    return pytest.main([*options, f"{case.path}::{case.function}"])


def child(case: Case, log: int) -> None:
    """The forked process: runs the case; never returns."""
    os.setsid()
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    code = 0
    try:
        if case.set == "latencies":
            run_latency(case)
        elif case.function is None:
            run_script(case)
        else:
            code = int(run_test(case))
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


_ERROR = re.compile(
    r"^(?:E   +)?((?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failed: DID NOT)\b.*)"
)


def first_error(text: str) -> str:
    """The line of a log that says what went wrong: the last exception's first line."""
    found = [m.group(1) for line in text.splitlines() if (m := _ERROR.match(line))]
    if found:
        return found[-1][:300]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no output"


def reason(error: str) -> str:
    """An error without the numbers and names that differ between scripts."""
    error = re.sub(r"/\S+/", "", error)
    error = re.sub(r"^(\w+\.)*(\w+): (\S+\.py:\d+:\d+: )?(error: )?", r"\2: ", error)
    error = re.sub(r"0x[0-9a-f]+|\b\d+(\.\d+)?(e-?\d+)?\b", "N", error)
    return error[:120]


def measured(text: str) -> dict[str, Any]:
    """What a log says of a case's latency."""
    found = [line for line in text.splitlines() if line.startswith(LATENCIES)]
    rows = json.loads(found[-1].removeprefix(LATENCIES)) if found else []
    if len(rows) != 1:
        return {"status": "failed", "error": f"expected one latency, got {len(rows)}"}
    result = {"milliseconds": rows[0]["latency"], "row": rows[0]["name"]}
    return {**result, "by": "events"} if "measured by events" in text else result


def finish(case: Case, status: int | None, text: str, seconds: float) -> None:
    """Fills in the case's result."""
    case.result = {"set": case.set, "name": case.name, "seconds": round(seconds, 2)}
    if status is None:
        case.result |= {"status": "timeout", "error": "time limit"}
    elif os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        case.result |= {"status": "failed", "error": f"crashed: {name}; {first_error(text)}"}
    elif os.WEXITSTATUS(status) == 0 and re.search(r"^\d+ skipped", text, re.MULTILINE):
        why = re.findall(r"^SKIPPED \[\d+\] \S+: (.*)$", text, re.MULTILINE)
        case.result |= {"status": "skipped", "error": why[0] if why else "skipped"}
    elif os.WEXITSTATUS(status) == 0:
        case.result |= {"status": "passed"}
        if case.set == "latencies":
            case.result |= measured(text)
    else:
        case.result |= {"status": "failed", "error": first_error(text)}


def run_all(todo: list[Case], jobs: int, limit: float, logs: Path, out: Any) -> None:
    """Runs the cases in forks of this process."""
    running: dict[int, tuple[Case, int, float, Path]] = {}
    waiting = list(reversed(todo))
    while waiting or running:
        while waiting and len(running) < jobs:
            case = waiting.pop()
            log = logs / (re.sub(r"[^\w.]+", "_", f"{case.set}_{case.name}") + ".log")
            handle = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_RDWR)
            pid = os.fork()
            if pid == 0:
                child(case, handle)
            os.close(handle)
            running[pid] = (case, os.pidfd_open(pid), time.monotonic(), log)
        ready, _, _ = select.select([entry[1] for entry in running.values()], [], [], 0.5)
        for pid, (case, handle, start, log) in list(running.items()):
            seconds, status = time.monotonic() - start, None
            if handle in ready:
                _, status = os.waitpid(pid, 0)
            elif seconds < limit:
                continue
            else:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            os.close(handle)
            del running[pid]
            finish(case, status, log.read_text(errors="replace"), seconds)
            out.write(json.dumps(case.result) + "\n")
            out.flush()
            print(
                f"{case.result['status']:8}{case.result['seconds']:7.1f} s  {case.name}", flush=True
            )


def head(options: argparse.Namespace) -> dict[str, Any]:
    """What ran where: the first line of the results."""
    git = ["git", "-C", str(HERE), "rev-parse", "--short=10", "HEAD"]
    own = subprocess.run(git, capture_output=True, text=True)
    commit = options.label or own.stdout.strip() or "unknown"
    device = "CPU"
    if options.target.startswith("cuda"):
        # In another process: a fork of one that has used the GPU cannot use it.
        ask = "import torch; print(torch.cuda.get_device_name(0))"
        said = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True)
        device = said.stdout.strip() or "no GPU"
    return {
        "run": {
            "of": "tilelang" if options.peer else "mlir_tile",
            "commit": commit,
            "tilelang": options.commit,
            "target": options.target,
            "device": device,
            "torch": options.torch,
            "own sizes": bool(options.own_sizes),
        }
    }


def lacked_memory(case: Case) -> bool:
    """Whether a case may have failed only because others used the GPU's memory beside it."""
    return "out of memory" in case.result.get("error", "")


def summary(done: list[Case]) -> str:
    """Counts by set, and the failures by reason, most frequent first."""
    lines = []
    for name in dict.fromkeys(case.set for case in done):
        mine = [case for case in done if case.set == name]
        counts = collections.Counter(case.result["status"] for case in mine)
        text = ", ".join(f"{n} {status}" for status, n in counts.most_common())
        lines.append(f"{name}: {counts['passed']} of {len(mine)} passed ({text})")
    groups: dict[str, list[Case]] = collections.defaultdict(list)
    for case in done:
        if case.result["status"] != "passed":
            groups[reason(case.result["error"])].append(case)
    for why, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(members):4}  {why}   (e.g. {members[0].name})")
    return "\n".join(lines)


def passed_in(results: list[Path]) -> set[tuple[str, str]]:
    """Set and name of what passed in files that this script wrote."""
    rows = (json.loads(line) for path in results for line in path.read_text().splitlines())
    return {(row["set"], row["name"]) for row in rows if row.get("status") == "passed"}


def prepare(torch: str, target: str, peer: bool) -> None:
    """Imports what every case needs, once, before the forks."""
    sys.path.append(str(HERE / "references"))  # behind the packages that are installed
    if peer:  # TileLang asks for the GPU when it is imported: each case does that for itself
        import torch as _  # noqa: F401

        return
    if torch == "stub":
        sys.path.insert(0, str(HERE.parent / "torch_stub"))
        import torch as _  # noqa: F401
    elif target.startswith("cuda"):
        import torch as _  # noqa: F401 (imports only: forks must not share a CUDA context)
    else:
        import torch_on_cpu

        torch_on_cpu.install()
    import pytest  # noqa: F401

    from mlir_tile import compat

    compat.install(None if target == "cuda" else target)
    import tilelang.language  # noqa: F401
    import tilelang.testing  # noqa: F401


def main() -> None:
    """Reads the command line, runs, prints the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, required=True, help="TileLang's git directory")
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--set", action="append", choices=SETS, help="default: all but latencies")
    parser.add_argument("--torch", choices=("stub", "real"), default="stub")
    parser.add_argument("--target", default="cpu", help="cuda: the GPU that is there")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one case")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument(
        "--again", type=Path, nargs="+", default=[], help="what did not pass in these results only"
    )
    parser.add_argument("--peer", action="store_true", help="runs TileLang itself (latencies)")
    parser.add_argument("--label", help="what ran, where this is no checkout; default: its commit")
    parser.add_argument("--own-sizes", action="store_true", help="the scripts' default sizes")
    parser.add_argument("--out", type=Path, default=Path("acceptance.jsonl"))
    parser.add_argument("--logs", type=Path, help="keeps the cases' output in this folder")
    options = parser.parse_args()
    options.out = options.out.resolve()
    if options.peer and options.set != ["latencies"]:
        parser.error("expected --set latencies with --peer")
    with tempfile.TemporaryDirectory(prefix="acceptance-") as folder:
        root = Path(folder)
        unpack(options.repo, options.commit, root)
        todo = cases(options.set or list(SETS[:3]), root, not options.own_sizes)
        passed = passed_in(options.again)
        todo = [c for c in todo if options.only in c.name and (c.set, c.name) not in passed]
        os.environ["TILELANG_CACHE_DIR"] = str(root / "cache")
        logs = (options.logs or root / "logs").resolve()
        logs.mkdir(parents=True, exist_ok=True)
        sys.path.append(str(root))
        first = head(options)
        prepare(options.torch, options.target, options.peer)
        timed = [case for case in todo if case.set == "latencies"]
        try:
            with options.out.open("w") as out:
                out.write(json.dumps(first) + "\n")
                together = [case for case in todo if case.set != "latencies"]
                run_all(together, options.jobs, options.limit, logs, out)
                run_all(timed, 1, options.limit, logs, out)
                alone = [case for case in todo if options.jobs > 1 and lacked_memory(case)]
                run_all(alone, 1, options.limit, logs, out)
        finally:
            print(summary([case for case in todo if case.result]))


if __name__ == "__main__":
    main()
