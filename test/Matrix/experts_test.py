#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of mixtures of experts and of scales of blocks (benchmarks/tilebench) at small sizes against numpy in float64.

    experts_test.py --bin build/release/bin [--cases 'grouped*'] [--paths source,lowered] [--seed 1] [--jobs 1]

As attention_test.py does it, which says what the options mean. The last line counts.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "benchmarks"))

import attention_test  # noqa: E402
from experts_cases import CASES  # noqa: E402

if __name__ == "__main__":
    attention_test.CASES = CASES
    sys.exit(attention_test.main())
