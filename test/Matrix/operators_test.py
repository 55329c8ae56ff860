#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the memory-bound operators of benchmarks/tilebench at small sizes and compares with numpy in float64.

    operators_test.py --bin build/release/bin [--cases 'op_softmax*'] [--paths source,lowered] [--seed 1] [--jobs 1]

As attention_test.py does it, which says what the options mean. The last line counts.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Gallery"), str(HERE.parents[1] / "benchmarks")]

import attention_test  # noqa: E402
from operators_cases import CASES  # noqa: E402

if __name__ == "__main__":
    attention_test.CASES = CASES
    sys.exit(attention_test.main())
