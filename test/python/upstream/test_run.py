# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runner of upstream's tests, on programs in their style."""

import importlib.util
import pathlib

import pytest

spec = importlib.util.spec_from_file_location(
    "run_upstream", pathlib.Path(__file__).with_name("run.py")
)
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)

PROGRAM = """# RUN: %PYTHON %s | FileCheck %s
from mlir.ir import *
import mlir.dialects.func as func

# CHECK-LABEL: TEST: empty
print("TEST: empty")
with Context(), Location.unknown():
    module = Module.create()
    # CHECK: module {
    print(module)
"""


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda text: text, ""),
        (
            lambda text: text.replace("CHECK: module", "CHECK: func"),
            "CHECK: expected string not found",
        ),
        (lambda text: text + "raise KeyError('wrong')", "KeyError: 'wrong'"),
    ],
)
def test_programs_run_and_are_checked(tmp_path, capsys, change, reason):
    (tmp_path / "empty.py").write_text(change(PROGRAM))
    status = runner.main([str(tmp_path), "empty.py"])
    said = capsys.readouterr().out
    assert status == (1 if reason else 0)
    assert reason in said and ("0 of 1" if reason else "1 of 1") in said


def test_names_are_translated_and_nothing_else():
    assert (
        runner.translated("from mlir.ir import x  # mlirFoo")
        == "from mlir_tile.ir import x  # mlirFoo"
    )
    assert runner.translated("mlir._mlir_libs._mlir") == "mlir_tile._mlir_libs._mlir"
    assert runner.translated('"a.mlir":1') == '"a.mlir":1'


def test_what_is_missing_is_a_failure(tmp_path, capsys):
    assert runner.main([str(tmp_path), "none.py"]) == 1
    assert "there is no such file" in capsys.readouterr().out
    assert len(runner.NAMES) >= 30
