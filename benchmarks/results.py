#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes benchmarks/RESULTS.md from benchmarks/results.jsonl: one row for each set of problems, its newest measurement.

usage: results.py [--check] [--history SET]

results.jsonl has one measurement a line, the newest last; lines are only ever added. A line names its `set` (one of
tilebench/sets.py, which has title, peer, command and bar), the `date` and the `commit` that was measured, and any of

  ours, peer        the figure and the peer's, in the set's unit
  all               how many were tried, where `ours` counts those that passed
  ratio, low, high  peer's time over ours: the median (of problems: geometric mean), and its range
  low_at, high_at   the problems with the lowest and the highest ratio
  problems          the same fields for each problem; ratio, range and where they lie follow from these
  note              what the figure does not say

The benchmark scripts add such lines: `gemm_hopper.py run FOLDER headline --jsonl results.jsonl`. `--history` prints all
lines of one set as a table. `--check` fails when RESULTS.md is not what would be written.
"""

import argparse
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tilebench.sets import SETS, TABLES  # noqa: E402

FIELDS = {"set", "date", "commit", "ours", "peer", "all", "ratio", "low", "high", "low_at", "high_at", "problems", "note"}
HEAD = """<!-- Written by benchmarks/results.py from benchmarks/results.jsonl; don't edit. -->

# Measured results

The newest measurement of each set of problems.
Earlier ones are in [results.jsonl](results.jsonl); `benchmarks/results.py --history SET` prints them.
What a decision of the compiler is worth, and what was tried without gain, is in the [Rationale](../docs/Rationale/README.md) of its pass.

- A ratio is the peer's time over ours, above 1 is faster than the peer: the median of alternating pairs in one process, of a set of several problems the geometric mean.
- The range is that of the pairs; of a set of several problems, or of several runs, that of their medians.
- Every result is first compared with float32 on fresh random inputs, the output poisoned.
- The date is the day of the measurement, the commit what was measured.
"""


def read(path):
    """All measurements, oldest first; an error names the line."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{number}"
        row = json.loads(line)
        unknown = set(row) - FIELDS
        if unknown:
            raise ValueError(f"{where}: unknown field {sorted(unknown)[0]!r}; expected {', '.join(sorted(FIELDS))}")
        if row.get("set") not in SETS:
            raise ValueError(f"{where}: unknown set {row.get('set')!r}; tilebench/sets.py has the sets")
        for field in ("date", "commit"):
            if not row.get(field):
                raise ValueError(f"{where}: {field!r} is missing")
        found.append(complete(row))
    return found


def complete(row):
    """The measurement with what follows from its problems."""
    problems = [p for p in row.get("problems", ()) if "ratio" in p]
    if not problems:
        return row
    if len(problems) == 1:
        return {**row, **{k: v for k, v in problems[0].items() if k != "problem"}}
    lowest, highest = (pick(problems, key=lambda p: p["ratio"]) for pick in (min, max))
    geomean = math.exp(sum(math.log(p["ratio"]) for p in problems) / len(problems))
    ends = dict(low=lowest["ratio"], low_at=lowest["problem"], high=highest["ratio"], high_at=highest["problem"])
    return {**ends, "ratio": geomean, **row}


def verdict(chosen, row):
    """Whether a measurement meets the bar of its set; None where there is no bar."""
    if not chosen.bar:
        return None
    values = {"ratio": row.get("ratio"), "each": row.get("low"), "ours": row.get("ours"), "all": row.get("all")}
    if values["ratio"] is None and values["all"]:
        values["ratio"] = row["ours"] / row["all"]
    met = True
    for condition in chosen.bar:
        what, operator, bound = condition.split()
        value, bound = values[what], values["all"] if bound == "all" else float(bound)
        if value is None or bound is None:
            raise ValueError(f"{chosen.name}: {condition!r} cannot be decided, the measurement of {row['date']} lacks a figure")
        reached = {">=": value >= bound - chosen.tolerance, "<=": value <= bound + chosen.tolerance, "==": value == bound}
        met = met and reached[operator]
    return met


def number(value):
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def bar_text(chosen):
    words = {"ratio": "", "each": "each ", "ours": ""}
    text = []
    for condition in chosen.bar:
        what, operator, bound = condition.split()
        text.append("all" if bound == "all" else f"{words[what]}{ {'>=': '≥', '<=': '≤'}[operator] } {bound}")
    return ", ".join(text) + (f" (tolerance {chosen.tolerance})" if chosen.tolerance and text else "")


def full_title(chosen):
    return f"{chosen.title}{', ' + chosen.type if chosen.type else ''}"


def row_of(chosen, row):
    ours = number(row.get("ours"))
    if row.get("all") is not None:
        ours += f" of {number(row['all'])}"
    at = lambda end: f"{row[end]:.3f}" + (f" ({row[end + '_at']})" if row.get(f"{end}_at") else "")
    ratio = f"{row['ratio']:.3f}" if "ratio" in row else ""
    span = f"{at('low')} to {at('high')}" if "low" in row and "high" in row else at("low") if "low" in row else ""
    met = {None: "", True: "met", False: "**missed**"}[verdict(chosen, row)]
    peer = " ".join(filter(None, (chosen.peer, number(row.get("peer")))))
    cells = [full_title(chosen), f"{ours} {chosen.unit}" if ours else "", peer, ratio, span, bar_text(chosen), met, row["date"], row["commit"]]
    return cells + [f"`{chosen.command}`"]


COLUMNS = ["Set", "Ours", "Peer", "Ratio", "Range", "Bar", "Met", "Date", "Commit", "Command"]


def table(cells):
    lines = [COLUMNS, ["---"] * len(COLUMNS), *cells]
    used = [i for i in range(len(COLUMNS)) if any(line[i] for line in cells)]
    return "".join("| " + " | ".join(line[i] for i in used) + " |\n" for line in lines)


def page(rows):
    newest = {row["set"]: row for row in rows}
    text = [HEAD]
    for part in TABLES:
        present = [(s, newest[s.name]) for s in part.sets if s.name in newest]
        text.append(f"\n## {part.title}\n\n{part.text}\n\n{table([row_of(s, row) for s, row in present])}")
        notes = [f"- *{full_title(s)}*: {row['note']}\n" for s, row in present if row.get("note")]
        text.append("\n" + "".join(notes) if notes else "")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, fail when the page is out of date")
    parser.add_argument("--history", metavar="SET", choices=list(SETS), help="print all measurements of a set")
    options = parser.parse_args()
    try:
        rows = read(HERE / "results.jsonl")
        text = page(rows)
    except ValueError as error:
        return str(error)
    path = HERE / "RESULTS.md"
    if options.history:
        chosen = SETS[options.history]
        print(table([row_of(chosen, row) for row in rows if row["set"] == chosen.name]), end="")
    elif not options.check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        return f"{path.name} is not what results.jsonl says: run benchmarks/results.py"
    else:
        print(f"{path.name}: {len({row['set'] for row in rows})} sets, {len(rows)} measurements, as in results.jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
