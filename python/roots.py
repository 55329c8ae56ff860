#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes linker options that keep what the Python extension needs of MLIR's C interface.

    roots.py --nm PATH --out FILE OBJECTS...

Archives are searched for undefined names only, so each name becomes an `--undefined`.
"""

import argparse
import pathlib
import re
import subprocess

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--nm", required=True)
parser.add_argument("--out", type=pathlib.Path, required=True)
parser.add_argument("objects", nargs="+")
options = parser.parse_args()

listed = subprocess.run(
    [options.nm, "--undefined-only", "--no-demangle", "--format=just-symbols", *options.objects],
    check=True, stdout=subprocess.PIPE, text=True,
).stdout  # fmt: skip
names = sorted(set(re.findall(r"^mlir[A-Z]\w*$", listed, re.MULTILINE)))
text = "".join(f"-Wl,--undefined={name}\n" for name in names)
if not options.out.exists() or options.out.read_text() != text:
    options.out.write_text(text)
