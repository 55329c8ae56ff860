# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the acceptance's page says of results: counts by device, reasons, latencies."""

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent / "acceptance"))
import compatibility  # noqa: E402
import latencies  # noqa: E402
import reasons  # noqa: E402
import run  # noqa: E402
import scripts  # noqa: E402


def lines(path, head, *rows):
    path.write_text("\n".join(json.dumps(row) for row in ({"run": head}, *rows)))
    return path


def test_latencies_stand_beside_those_of_tilelang(tmp_path):
    ours = lines(
        tmp_path / "ours.jsonl",
        {"device": "NVIDIA H200", "commit": "abc"},
        {"set": "latencies", "name": "a", "row": "A", "milliseconds": 0.002},
        {"set": "latencies", "name": "b", "row": "B", "milliseconds": 0.004, "by": "events"},
        {"set": "latencies", "name": "c", "status": "failed", "error": "Error: no\nmore"},
        {"set": "latencies", "name": "d", "milliseconds": 0.001},
        {"set": "rows", "name": "a", "status": "passed"},
    )
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps({"A": 0.004, "B": 0.002, "c": 1.0}))
    text = "\n".join(latencies.table(ours, theirs))
    assert "on NVIDIA H200 (commit abc); TileLang's were taken on another" in text
    assert "| `A` | 2.0 | 4.0 | 2.00 |" in text and "| `B` | 4.0 (by events) | 2.0 | 0.50 |" in text
    assert text.index("`B`") < text.index("`A`")
    assert "2 cases have both times: 1 are not slower here" in text and "is 1.00." in text
    assert "`c` (Error: no)" in text and "`d` (1.0 µs here" in text


def test_tilelang_may_have_run_beside_it(tmp_path):
    case = {"set": "latencies", "name": "a", "row": "A", "milliseconds": 0.002}
    ours = lines(tmp_path / "ours.jsonl", {"device": "X", "commit": "1"}, case)
    theirs = lines(tmp_path / "theirs.jsonl", {"of": "tilelang"}, case)
    assert "TileLang in the same run" in latencies.table(ours, theirs)[0]


@pytest.mark.parametrize(
    "name, error, reason",
    [
        ("x", "Failed: DID NOT RAISE <class 'Exception'>", "expects an error"),
        ("x", "ImportError: cannot import name 'get_backend' from 'tilelang.backend'", "own"),
        (
            "x",
            "UnsupportedError: /a/b.py:1:2: T.foo of 3 is not supported yet by mlir-tile; do",
            "",
        ),
        ("x", "AssertionError: 3 of 4 elements differ", None),
    ],
)
def test_failures_have_reasons(name, error, reason):
    found = reasons.reason_of(name, error)
    assert found is None if reason is None else reason in found
    assert reason != "" or found == "T.foo of 3 is not there yet"


def test_failures_are_grouped_by_reason_and_named_where_there_is_none():
    failed = {"set": "tests", "name": "t", "status": "failed", "error": "DID NOT RAISE"}
    odd = {**failed, "name": "odd", "error": "AssertionError: 7"}
    good = {**failed, "status": "passed"}
    table, unexplained = compatibility._failures({"CPU": [failed, odd], "H200": [good, odd]})
    text = "\n".join(table)
    assert "for what this compiler takes | `t` (CPU) |" in text
    assert "| AssertionError: N | `odd` |" in text
    assert unexplained == ["CPU: odd: AssertionError: 7", "H200: odd: AssertionError: 7"]
    counts = compatibility._results({"CPU": "abc", "H200": "abc"}, {"CPU": [failed, odd], "H200": [good, odd]})
    assert any("| 0 of 2 (2 failed) | 1 of 2 (1 failed) |" in line for line in counts)


def test_results_are_of_one_commit(tmp_path):
    case = run.Case("tests", "t", tmp_path)
    rows = [{"set": "tests", "name": "t", "status": s, "error": ""} for s in ("passed", "failed")]
    files = [
        lines(tmp_path / f"{n}.jsonl", {"commit": n}, row)
        for n, row in zip("ab", rows, strict=True)
    ]
    heads, found = compatibility._load(files, [case])
    assert [row["status"] for row in found] == ["passed"]
    with pytest.raises(SystemExit, match="one commit, got a, b"):
        compatibility._label(heads)
    assert run.passed_in(files) == {("tests", "t")}


def test_a_case_of_the_suite_has_one_latency(tmp_path):
    mark = run.LATENCIES + json.dumps([{"name": "row", "latency": 0.5, "case": "case"}])
    assert run.measured(f"noise\n{mark}\n") == {"milliseconds": 0.5, "row": "row"}
    by_events = run.measured(f"UserWarning: this time is measured by events\n{mark}")
    assert by_events["by"] == "events"
    assert run.measured("nothing")["status"] == "failed"
    script = tmp_path / "a/regression_a.py"
    script.parent.mkdir()
    script.write_text("def regression_one():\n    process_func(mine.run)\n\ndef other(): pass\n")
    assert scripts.latencies(tmp_path) == [("one", script)]
    (tmp_path / "a/mine.py").write_text("")
    assert scripts.rows(tmp_path) == [("one", tmp_path / "a/mine.py")]


def test_a_case_is_called_as_the_suites_runner_calls_it(tmp_path, monkeypatch, capsys):
    from mlir_tile import compat

    script = tmp_path / "regression_a.py"
    script.write_text(
        "import tilelang.testing\nimport near\n"
        "def regression_a(): tilelang.testing.process_func(near.perf, size=3)\n"
        "def regression_b(): raise AssertionError\n"
        "if __name__ == '__main__': raise AssertionError\n"
    )
    (tmp_path / "near.py").write_text("def perf(size): return size / 4")
    for name in ("TL_PERF_REGRESSION_FORMAT",):
        monkeypatch.setenv(name, "text")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.chdir(tmp_path)
    compat.install()
    run.run_latency(run.Case("latencies", "a", script, "regression_a"))
    assert run.measured(capsys.readouterr().out) == {"milliseconds": 0.75, "row": "near"}
