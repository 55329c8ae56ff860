#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each of examples/attention is what its "Printed by" line prints: attention_printed.py FOLDER."""

import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
examples = sorted((folder / "examples" / "attention").glob("*.mlir"))
differ = 0
for example in examples:
    text = example.read_text()
    command = re.search(r"^// Printed by: (benchmarks/program\.py .*)$", text, re.M).group(1).split()
    printed = subprocess.run([sys.executable, folder / command[0], *command[1:]], capture_output=True, text=True, check=True).stdout
    if not text.endswith(printed):
        differ += 1
        print(example)
print(f"{len(examples) - differ} examples are as printed, {differ} are not")
