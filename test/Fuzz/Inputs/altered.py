# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""altered.py BIN FOLDER: what the runner says of a program whose expected results are off by one in one element."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import fuzz  # noqa: E402
import table  # noqa: E402
from programs import generate  # noqa: E402

folder = pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
options = argparse.Namespace(bin=pathlib.Path(sys.argv[1]), jobs=1, timeout=120)
program, (expected, *_) = generate(1)
(folder / "p.mlir").write_text(program.text())
cases = []
for name in ("as it is", "altered"):
    results = folder / f"{name.split()[0]}.table.mlir"
    results.write_text(table.text(program, program.runs[0], expected))
    cases.append((name, f"{folder / 'p.mlir'} --source={results} --args={program.options(program.runs[0])} --check", "source"))
    expected[program.outputs[0]].flat[0] += 1
for outcome in fuzz.run_batch([(f"{i}.0", text, path) for i, (_, text, path) in enumerate(cases)], options, folder):
    print(f"{cases[int(outcome.name[0])][0]}: {outcome.kind} {outcome.text}")
