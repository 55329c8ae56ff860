# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latencies of TileLang's regression suite, ours beside TileLang's, as a table of a page.

    python latencies.py --ours LATENCIES.jsonl --theirs THEIRS

LATENCIES.jsonl is what `run.py --set latencies` wrote on a GPU; THEIRS the same with --peer, or a
JSON object of milliseconds by name. Prints the table; compatibility.py puts it into its page.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any


def read(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """A file's first line, and its cases by the name that TileLang's suite gives their result."""
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else []
    if not lines:
        return {}, {name: {"milliseconds": x} for name, x in json.loads(text).items()}
    head = lines[0].get("run", {})
    cases = (line for line in lines if line.get("set") == "latencies")
    return head, {case.get("row", case["name"]): case for case in cases}


def table(ours: Path, theirs: Path) -> list[str]:
    """Lines of Markdown: each case with both times, the slower ones first, and their mean."""
    head, mine = read(ours)
    other, peer = read(theirs)
    rows, missing = [], []
    for name in sorted({*mine, *peer}):
        a = mine.get(name, {}).get("milliseconds")
        b = peer.get(name, {}).get("milliseconds")
        if a and b:
            noted = " (by events)" if mine[name].get("by") == "events" else ""
            rows.append((b / a, name, f"{a * 1e3:.1f}{noted}", f"{b * 1e3:.1f}"))
        elif a:
            missing.append(f"`{name}` ({a * 1e3:.1f} µs here; TileLang has no time for it)")
        else:
            error = mine.get(name, {}).get("error", "was not run")
            missing.append(f"`{name}` ({error.splitlines()[0][:100].replace('|', ' ')})")
    rows.sort()
    where = head.get("device", "a GPU")
    lines = [
        f"Microseconds by CUPTI as TileLang's suite measures them, cold L2 cache, on {where}"
        f" (commit {head.get('commit', 'unknown')})"
        + (", TileLang in the same run." if other else "; TileLang's were taken on another H200.")
        + " Above 1.0, this compiler's kernel is faster.",
        "",
        "| Case | Here, µs | TileLang, µs | TileLang's time over ours |",
        "|---|---|---|---|",
    ]
    lines += [f"| `{name}` | {a} | {b} | {ratio:.2f} |" for ratio, name, a, b in rows]
    if rows:
        mean = math.exp(sum(math.log(row[0]) for row in rows) / len(rows))
        not_slower = sum(row[0] >= 1 for row in rows)
        lines += [
            "",
            f"{len(rows)} cases have both times: {not_slower} are not slower here; the geometric"
            f" mean of the ratios is {mean:.2f}.",
        ]
    if missing:
        lines += ["", "Without a time of both: " + "; ".join(missing) + "."]
    return [*lines, ""]


def main() -> None:
    """Reads both files, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", type=Path, required=True)
    parser.add_argument("--theirs", type=Path, required=True)
    options = parser.parse_args()
    print("\n".join(table(options.ours, options.theirs)))


if __name__ == "__main__":
    main()
