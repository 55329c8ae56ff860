#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each of examples/attention, or of another folder there, is what its "Printed by" line prints: attention_printed.py FOLDER [NAME]."""

import pathlib
import re
import subprocess
import sys

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "attention"
examples = sorted((folder / "examples" / kind).glob("*.mlir"))
differ = 0
for example in examples:
    text = example.read_text()
    command = re.search(r"^// Printed by: (benchmarks/program\.py .*)$", text, re.M).group(1).split()
    printed = subprocess.run([sys.executable, folder / command[0], *command[1:]], capture_output=True, text=True, check=True).stdout
    if not text.endswith(printed):
        differ += 1
        print(example)
print(f"{len(examples) - differ} examples are as printed, {differ} are not")
