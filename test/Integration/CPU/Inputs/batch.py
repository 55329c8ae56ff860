# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs many cases in one process of tile-run."""

import subprocess


def run_batch(tile_run, folder, lines):
    """The report of `lines`, command lines of tile-run: one line a case, PASS or FAIL and its name."""
    batch = folder / "cases"
    batch.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run([tile_run, f"--batch={batch}", "--jobs=0"], capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


def count(report, lines):
    """Prints what did not pass; "N runs, N failures"."""
    print("\n".join(line for line in report if not line.startswith("PASS ")))
    passed = sum(line.startswith("PASS ") for line in report)
    return f"{len(lines)} runs, {len(lines) - passed} failures"
