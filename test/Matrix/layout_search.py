#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Free layouts against the best of all combinations, by the cost of the model: 40 small kernels.

The kernels are memory-bound operators of benchmarks/tilebench/operators.py, of few rows and columns. For each,
`--tile-infer-layouts=exhaustive` tries every combination of its free choices; what inference chose may cost 10 % more.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
from tilebench.operators import Operator  # noqa: E402

BOUND = 1.10
CASES = [Operator(kind, n, rows, cols, threads) for kind in ("scale", "add", "swiglu") for n, rows, cols, threads in ((1024, 1, 512, 128), (384, 4, 96, 64))]
CASES += [Operator(kind, n, rows, 0, threads) for kind in ("softmax", "rmsnorm", "layernorm", "rmsnorm_residual", "layernorm_backward", "cast_token", "argmax", "rowsum")
          for n, rows, threads in ((512, 1, 64), (1000, 2, 128), (512, 4, 64) if "layernorm" in kind else (768, 4, 256))]
CASES += [Operator("transpose", 256, rows, cols, threads) for rows, cols, threads in ((32, 32, 64), (64, 64, 256), (64, 32, 128), (16, 64, 128))]
CASES += [Operator("cast_group", 512, rows, cols, threads) for rows, cols, threads in ((1, 512, 128), (1, 256, 64), (1, 512, 64))]
CASES += [Operator("colsum", 256, rows, cols, threads, "pieces") for rows, cols, threads in ((32, 64, 128), (64, 32, 256))]
CASES += [Operator("rope", 512, 4, 0, 64)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default="sm_90a")
    options = parser.parse_args()
    failed, compared = [], 0
    for case in CASES:
        command = [options.bin / "tile-opt", "-", f"--tile-set-target=arch={options.arch}",
                   "--tile-infer-layouts=print-analysis-only exhaustive", "-o", "/dev/null"]
        done = subprocess.run(command, input=case.text(), capture_output=True, text=True, timeout=120)
        found = re.findall(r"free choices: ([\d.]+) cycles, the best of (\d+) combinations ([\d.]+)", done.stdout)
        if done.returncode or not found:
            failed.append(f"{case.ident()}: {done.stderr.strip() or 'no choice was free'}")
            continue
        chosen, best = (sum(float(f[i]) for f in found) for i in (0, 2))
        compared += 1
        print(f"{case.ident():44} {chosen:9.1f} {best:9.1f} {chosen / best:.3f} of {sum(int(f[1]) for f in found)}")
        if chosen > BOUND * best:
            failed.append(f"{case.ident()}: {chosen} cycles, the best combination {best}")
    print("\n".join(failed))
    print(f"{compared - len([f for f in failed if 'cycles' in f])} passed, {len(failed)} failed")
    sys.exit(bool(failed) or compared < 40)


if __name__ == "__main__":
    main()
