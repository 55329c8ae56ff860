# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page docs/TileLangCompatibility.md from what was run.

    python test/python/acceptance/compatibility.py --repo TILELANG.git --results RESULTS.jsonl
        [--gpu GPU.jsonl...] [--latencies OURS.jsonl --theirs THEIRS] --out PAGE.md

Results are what run.py wrote: on the CPU target, and on a GPU; those of each are of one commit. A name
works if a script or test that uses it passed; what differs on purpose is in `differences.py`; a
name that this package does not have is "not yet"; why cases did not pass is in `reasons.py`. The
exit status is 1 where a case did not pass and `reasons.py` does not say why: it is listed.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import latencies  # noqa: E402
import names  # noqa: E402
import run  # noqa: E402
from differences import DIFFERENCES, NOT_PLANNED, NOT_PLANNED_GROUPS  # noqa: E402
from reasons import reason_of  # noqa: E402

_HEAD = """# TileLang compatibility

This page is written by `test/python/acceptance/compatibility.py` from runs of TileLang's own
examples and tests (commit {commit}), unmodified, with `python -m mlir_tile.compat` on {where};
"cuda" in a script means the CPU on the CPU target. `import mlir_tile as tilelang` and
`import mlir_tile.language as T` give the same names.

A script that uses something this package does not have gets one error that names it and the line.

| State | Meaning |
|---|---|
| works | a script or test of TileLang that uses it ran here and passed its own checks |
| there | this package has it; nothing that was run and passed uses it |
| differs | it works, with the difference that is told |
| not yet | this package does not have it |
| no | it is not planned: it belongs to TileLang's compiler or to other devices |
"""


def _load(
    paths: list[Path], cases: list[run.Case]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The first lines of files of results, and the results of the cases. Of several for one case,
    that of a pass, else the last."""
    heads: list[dict[str, Any]] = []
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if "run" in row:
                heads.append(row["run"])
            elif found.get(row["name"], {}).get("status") != "passed":
                found[row["name"]] = row
    rows = [{**found[case.name], "set": case.set} for case in cases if case.name in found]
    return heads, rows


def _label(heads: list[dict[str, Any]]) -> str:
    """The commit that the results of a device are of."""
    commits = sorted({head["commit"] for head in heads})
    if len(commits) > 1:
        sys.exit(f"expected results of one commit, got {', '.join(commits)}")
    return commits[0] if commits else "unknown"


def _uses(cases: list[run.Case], results: dict[Any, str]) -> tuple[Any, Any]:
    """For each name: in how many scripts it is, and one that passed."""
    count: collections.Counter[str] = collections.Counter()
    passed: dict[str, str] = {}
    texts: dict[Path, set[str]] = {}
    for case in cases:
        if case.function is not None:
            used = set(names.used_names(run.classify.source_of(case.path, case.function)))
        else:
            used = texts.setdefault(case.path, set(names.used_names(case.path.read_text())))
        count.update(used)
        if results.get((case.set, case.name)) == "passed":
            for name in used:
                passed.setdefault(name, case.name)
    return count, passed


def _refused(rows: list[dict[str, Any]]) -> set[str]:
    """Names whose use is an error that says so: the language knows them, and cannot do them."""
    found = set()
    for row in rows:
        found.update(re.findall(r"\b(T\.\w+) is not supported yet", row.get("error", "")))
    return found


def _state(full: str, has: bool, passed: dict[str, str]) -> tuple[str, str]:
    if full in NOT_PLANNED:
        return "no", NOT_PLANNED[full]
    if not has:
        for pattern, why in NOT_PLANNED_GROUPS.items():
            if re.match(pattern, full):
                return "no", why
        return "not yet", ""
    if full in DIFFERENCES:
        return "differs", DIFFERENCES[full]
    return ("works", passed[full]) if full in passed else ("there", "")


def _has(module: Any, name: str) -> bool:
    try:
        return getattr(module, name, None) is not None
    except (ImportError, AttributeError):
        return False


def _table(
    title: str, prefix: str, found: set[str], module: Any, uses: tuple[Any, Any, set[str]]
) -> list[str]:
    count, passed, refused = uses
    rows = []
    for name in sorted(found, key=lambda n: (-count[f"{prefix}.{n}"], n)):
        full = f"{prefix}.{name}"
        has = _has(module, name) and (full not in refused or full in passed)
        state, note = _state(full, has, passed)
        rows.append((full, count[full], state, note))
    totals = collections.Counter(row[2] for row in rows)
    text = ", ".join(f"{n} {state}" for state, n in totals.most_common())
    lines = [f"## {title}", "", f"{len(rows)} names: {text}.", ""]
    lines += [
        "| Name | Scripts and tests | State | Passed in, or difference |",
        "|---|---|---|---|",
    ]
    lines += [f"| `{full}` | {n} | {state} | {note} |" for full, n, state, note in rows]
    return [*lines, ""]


_SETS = {
    "examples": "Example scripts that must run",
    "rows": "Cases of TileLang's regression suite (their scripts)",
    "tests": "TileLang's tests of public kernels that need a GPU there",
    "refusals": "Its tests that expect an error of TileLang's and nothing else",
}


def _counts(key: str, rows: list[dict[str, Any]]) -> str:
    """What became of a set's cases, for a cell."""
    states = collections.Counter(row["status"] for row in rows if row["set"] == key)
    if not states:
        return "not run"
    others = {"failed": "failed", "timeout": "time limit", "skipped": "skipped"}
    rest = [f"{states[name]} {text}" for name, text in others.items() if states[name]]
    passed = f"{states['passed']} of {sum(states.values())}"
    return f"{passed} ({', '.join(rest)})" if rest else passed


def _results(commits: dict[str, str], runs: dict[str, list[dict[str, Any]]]) -> list[str]:
    """What was run, by device: rows of results."""
    at = ", ".join(f"{commit} ({device})" for device, commit in commits.items())
    if len(set(commits.values())) == 1:
        at = next(iter(commits.values()))
    lines = [
        "## What was run",
        "",
        f"Passed, at commit {at} of this repository:",
        "",
        f"| Set | {' | '.join(runs)} |",
        f"|---|{'---|' * len(runs)}",
    ]
    for key, title in _SETS.items():
        cells = (_counts(key, rows) for rows in runs.values())
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "On the CPU, sizes are smaller than the scripts' defaults where those take minutes"
        " (`test/python/acceptance/scripts.py`); on a GPU they are the scripts' own. Where a script"
        " compares with `flash_attn` or `fla`, or only measures a kernel of Triton's beside its"
        " own, `test/python/acceptance/references` stands in for that package. This compiler takes"
        " more"
        " kernels than TileLang: tests that expect an error of TileLang's mostly find none.",
        "",
    ]


def _failures(runs: dict[str, list[dict[str, Any]]]) -> tuple[list[str], list[str]]:
    """The table of what did not pass, by reason, and the cases that have none."""
    groups: dict[str, dict[str, list[str]]] = collections.defaultdict(dict)
    unexplained = []
    for device, rows in runs.items():
        for row in rows:
            if row["status"] == "passed":
                continue
            why = reason_of(row["name"], row["error"])
            if why is None:
                why = run.reason(row["error"])
                unexplained.append(f"{device}: {row['name']}: {row['error']}")
            groups[why].setdefault(row["name"], []).append(device)
    lines = [
        "### Why the others did not pass",
        "",
        "| Reason | Scripts or tests |",
        "|---|---|",
    ]
    for why, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        text = why.replace("|", "\\|").replace("<", "&lt;")
        which = (
            f"`{name}`" + ("" if len(devices) == len(runs) else f" ({', '.join(devices)})")
            for name, devices in members.items()
        )
        lines.append(f"| {text} | {', '.join(which)} |")
    return [*lines, ""], unexplained


def main() -> None:
    """Reads the results, writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commit", default=run.COMMIT)
    parser.add_argument("--results", type=Path, nargs="+", required=True, help="on the CPU")
    parser.add_argument("--gpu", type=Path, nargs="+", default=[], help="on a GPU")
    parser.add_argument("--latencies", type=Path, help="of the regression suite, on a GPU")
    parser.add_argument("--theirs", type=Path, help="TileLang's latencies")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if (options.latencies is None) != (options.theirs is None):
        parser.error("expected --latencies and --theirs together")
    git_dir = options.repo / ".git" if (options.repo / ".git").exists() else options.repo
    with tempfile.TemporaryDirectory() as folder:
        run.unpack(options.repo, options.commit, Path(folder))
        cases = run.cases(["examples", "rows", "tests"], Path(folder), True)
        heads, on_cpu = _load(options.results, cases)
        runs, commits = {"CPU": on_cpu}, {"CPU": _label(heads)}
        if options.gpu:
            gpu_heads, on_gpu = _load(options.gpu, cases)
            if options.latencies:
                gpu_heads.append(latencies.read(options.latencies)[0])
            device = gpu_heads[0]["device"] if gpu_heads else "GPU"
            runs[device], commits[device] = on_gpu, _label(gpu_heads)
        rows = [row for found in runs.values() for row in found]
        results: dict[Any, str] = {}
        for row in rows:
            if results.get((row["set"], row["name"])) != "passed":
                results[row["set"], row["name"]] = row["status"]
        uses = (*_uses(cases, results), _refused(rows))
    language = importlib.import_module("mlir_tile.language")
    package = importlib.import_module("mlir_tile")
    found = names.language_names(git_dir, options.commit)
    where = " and on ".join("the CPU target" if name == "CPU" else f"an {name}" for name in runs)
    lines = [_HEAD.format(commit=options.commit, where=where), *_results(commits, runs)]
    table, unexplained = _failures(runs)
    lines += table
    if options.latencies:
        lines += ["### Latencies of the regression suite", ""]
        lines += latencies.table(options.latencies, options.theirs)
    lines += _table(
        "`tilelang`", "tilelang", names.package_names(git_dir, options.commit), package, uses
    )
    lines += _table("`tilelang.language` (`T`)", "T", found, language, uses)
    lines += ["## `pass_configs`", "", "All keys of `PassConfigKey` are accepted."]
    passes = importlib.import_module("mlir_tile.compat.passes")
    mapped = ", ".join(f"`{key}` (`{value[0]}`)" for key, value in passes._MAPPED.items())
    lines += [f"These steer this compiler: {mapped}. The others have no meaning here.", ""]
    options.out.write_text("\n".join(lines))
    for line in unexplained:
        print(f"no reason in reasons.py: {line}", file=sys.stderr)
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
