#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each of examples/experts is what its "Printed by" line prints, and runs on what its line "Data for tile-run" names:

experts_printed.py FOLDER TILE_RUN
"""

import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
examples = sorted((folder / "examples" / "experts").glob("*.mlir"))
wrong = 0
for example in examples:
    text = example.read_text()
    command = re.search(r"^// Printed by: (benchmarks/program\.py .*)$", text, re.M).group(1).split()
    printed = subprocess.run([sys.executable, folder / command[0], *command[1:]], capture_output=True, text=True, check=True).stdout
    data = re.findall(r"^// Data for tile-run: (.*)\.$", text, re.M)
    ran = subprocess.run([sys.argv[2], example, "--check", *data], capture_output=True, text=True)
    if not text.endswith(printed) or not ran.stdout.endswith("PASS\n"):
        wrong += 1
        print(example, "" if text.endswith(printed) else "is not what is printed", ran.stderr, ran.stdout)
print(f"{len(examples) - wrong} examples are as printed and run, {wrong} are not")
