# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of benchmarks/tilebench on the CPU against references in doubles: what attention_reference.py and conv_reference.py share.

usage of both: SCRIPT SOURCE_DIR TILE_RUN WORK_FILE [tile-run options]

The inputs are tile-run's `normal` data, generated here by the same formula; the results are printed by the kernel itself,
block by block, before they are stored.
"""

import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "benchmarks"))

MASK = (1 << 64) - 1


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


def results(program, offsets, shape, args):
    """What the accumulator `%acc` of `shape` holds, in each block, when it is copied out: (block's offsets, i, j, value).

    offsets: names of two values of the program that tell blocks apart. A string where tile-run fails.
    """
    text = program.text()
    at = text.rindex("  tile.copy %acc to ")
    kind = f"memref<{'x'.join(map(str, shape))}xf32, #tile.fragment>"
    prints = "".join(f'  tile.print "{name}" %{name} : index\n' for name in offsets)
    path = pathlib.Path(sys.argv[3])
    path.write_text(text[:at] + prints + f'  tile.print "acc" %acc : {kind}\n' + text[at:])
    command = [sys.argv[2], path, "--workers=1", f"--args={args}", *sys.argv[4:]]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        return f"tile-run: {done.stderr.splitlines()[:1]}"
    found, block = [], dict.fromkeys(offsets, 0)
    for line in (done.stdout + done.stderr).splitlines():
        if match := re.match(rf"({'|'.join(offsets)}): (-?\d+)", line):
            block[match[1]] = int(match[2])
        elif match := re.match(r"acc\[(\d+), (\d+)\]: (\S+)", line):
            found.append(([block[name] for name in offsets], int(match[1]), int(match[2]), float(match[3])))
    return found


def compare(got, want, bound):
    """None, or what is wrong of results by place; `bound` gives the largest error at a place."""
    if got.keys() != want.keys():
        return f"expected {len(want)} results, got {len(got)}"
    for at, value in got.items():
        if not abs(value - want[at]) <= bound(at):
            return f"at {at}: expected {want[at]:.6g}, got {value:.6g}"
    return None


def main(cases, check):
    """`check` returns None for a case, or what is wrong."""
    failed = 0
    for case in cases:
        wrong = check(*case)
        failed += bool(wrong)
        if wrong:
            print(f"FAIL {case}: {wrong}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
