# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention programs (benchmarks/tilebench/attention.py) on the CPU against a reference written here, in doubles.

usage: attention_reference.py SOURCE_DIR TILE_RUN WORK_FILE [tile-run options]

The inputs are tile-run's `normal` data, generated here by the same formula; the results are printed by the kernel itself,
block by block, before they are stored.
"""

import math
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "benchmarks"))
from tilebench.attention import Attention  # noqa: E402

MASK = (1 << 64) - 1
# element, D, causal, queries a block, keys a step, stages, heads, S
CASES = [
    ("f16", 64, False, 64, 64, 2, 2, 64),
    ("f16", 64, True, 64, 64, 2, 2, 101),
    ("bf16", 64, False, 64, 32, 3, 1, 77),
    ("bf16", 128, True, 64, 64, 2, 1, 130),
    ("f16", 128, False, 64, 128, 1, 1, 65),
    ("bf16", 64, True, 64, 64, 2, 3, 1),
]
# Units of the weights and of the result: weights are rounded to the element type before the second product.
UNIT = {"f16": 2.0**-10, "bf16": 2.0**-7}


def mix(seed, counter):
    x = (seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def rounded(value, element):
    if element == "f16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def normal(seed, count, element):
    found = []
    for i in range(count):
        total = 0
        for n in range(3):
            bits = mix(seed, 3 * i + n)
            total += (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
        found.append(rounded((total + 6.0) / 65536.0 - 6.0, element))
    return found


def attention(q, k, v, heads, s, d, causal):
    """Rows of the result, and of its magnitude: the weighted absolute values."""
    out, size = {}, {}
    for h in range(heads):
        rows = [[x[(h * s + i) * d : (h * s + i + 1) * d] for i in range(s)] for x in (q, k, v)]
        for i in range(s):
            keys = i + 1 if causal else s
            scores = [sum(map(float.__mul__, rows[0][i], rows[1][j])) / math.sqrt(d) for j in range(keys)]
            top = max(scores)
            weights = [math.exp(x - top) for x in scores]
            total = math.fsum(weights)
            out[h, i] = [math.fsum(w * rows[2][j][e] for j, w in enumerate(weights)) / total for e in range(d)]
            size[h, i] = [math.fsum(w * abs(rows[2][j][e]) for j, w in enumerate(weights)) / total for e in range(d)]
    return out, size


def instrumented(program):
    text = program.text()
    at = text.rindex("  tile.copy %acc to %O")
    kind = f"memref<{program.rows}x{program.d}xf32, #tile.fragment>"
    return (
        text[:at]
        + f'  tile.print "h" %h : index\n  tile.print "m" %m : index\n  tile.print "acc" %acc : {kind}\n'
        + text[at:]
    )


def check(case, runner, path, options):
    element, d, causal, rows, keys, stages, heads, s = case
    program = Attention(
        element=element, d=d, causal=causal, rows=rows, keys=keys, stages=stages, threads=128, accurate=True
    )
    path.write_text(instrumented(program))
    shape = f"{heads}x{s}x{d}"
    args = ",".join(f"{name}={shape}:normal:{seed}" for seed, name in enumerate("QKV", 1))
    command = [runner, path, "--workers=1", f"--args={args},O={shape}", *options]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        return f"tile-run: {done.stderr.splitlines()[:1]}"
    got, h, m = {}, 0, 0
    for line in (done.stdout + done.stderr).splitlines():
        if found := re.match(r"(h|m): (\d+)", line):
            h, m = (int(found[2]), m) if found[1] == "h" else (h, int(found[2]))
        elif found := re.match(r"acc\[(\d+), (\d+)\]: (\S+)", line):
            if m + int(found[1]) < s:
                got[h, m + int(found[1]), int(found[2])] = float(found[3])
    data = [normal(seed, heads * s * d, element) for seed in (1, 2, 3)]
    want, size = attention(*data, heads, s, d, causal)
    if len(got) != heads * s * d:
        return f"expected {heads * s * d} results, got {len(got)}"
    for (h, i, e), value in got.items():
        if not abs(value - want[h, i][e]) <= UNIT[element] * size[h, i][e] + 1e-5:
            return f"at {h, i, e}: expected {want[h, i][e]:.6g}, got {value:.6g}"
    return None


def main():
    runner, path, failed = sys.argv[2], pathlib.Path(sys.argv[3]), 0
    for case in CASES:
        wrong = check(case, runner, path, sys.argv[4:])
        failed += bool(wrong)
        if wrong:
            print(f"FAIL {case}: {wrong}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
