# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every example as its reader would first: `tile-run FILE`, with --check.

run_examples.py TILE_RUN FOLDER
"""

import subprocess
import sys
from pathlib import Path

tool, folder = sys.argv[1:]
examples = sorted(Path(folder).glob("*.mlir"))
failed = 0
for example in examples:
    ran = subprocess.run([tool, example, "--check"], capture_output=True, text=True)
    if ran.returncode or not ran.stdout.endswith("PASS\n"):
        failed += 1
        print(example, ran.stdout, ran.stderr)
print(f"{len(examples) - failed} examples run, {failed} do not")
