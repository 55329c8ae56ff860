# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Right PTX of which ptxas makes wrong machine code (lib/Target/AssemblerFaults.h): no generated kernel may have it."""

import pathlib
import re
import sys

REGISTER = r"%r[a-z]*\d+"


def differences(text):
    """64-bit differences whose minuend is the zero-extended upper half of a 32-bit product."""
    halves = set(re.findall(r"mul\.hi\.[us]32\s+(%r\d+),", text))
    extended = {wide for wide, narrow in re.findall(r"cvt\.u64\.u32\s+(%rd\d+), (%r\d+);", text) if narrow in halves}
    return [line for line, minuend in re.findall(r"(sub\.s64\s+%rd\d+, (%rd\d+), %rd\d+);", text) if minuend in extended]


def negations(text):
    """Minima and maxima of a minimum or maximum whose operand is a negation."""
    negated = set(re.findall(rf"neg\.s(?:16|32)\s+({REGISTER}),", text))
    negated |= set(re.findall(rf"sub\.s(?:16|32)\s+({REGISTER}), 0,", text))
    negated |= set(re.findall(rf"mul\.lo\.s(?:16|32)\s+({REGISTER}), {REGISTER}, -1;", text))
    extrema = re.findall(rf"((?:min|max)\.s(?:16|32)\s+({REGISTER}), ({REGISTER}), ({REGISTER}|-?\d+);)", text)
    inner = {result: line for line, result, *operands in extrema if negated & set(operands)}
    return [inner[operand] for _, _, *operands in extrema for operand in operands if operand in inner]


def packed_additions(text):
    """Additions of two 16-bit integers at a time and a constant that is not the same for both."""
    constants = dict(re.findall(rf"mov\.b32\s+({REGISTER}), (-?\d+);", text))
    different = []
    for line, *operands in re.findall(rf"(add\.s16x2\s+{REGISTER}, ({REGISTER}|-?\d+), ({REGISTER}|-?\d+);)", text):
        values = [int(constants.get(operand, operand)) for operand in operands if not constants.get(operand, operand).startswith("%")]
        different += [line] * any((value ^ (value >> 16)) & 0xFFFF for value in values)
    return different


def packed_extrema(text):
    """Minima and maxima of two 16-bit integers at a time that read sums of two at a time."""
    sums = set(re.findall(rf"(?:add|sub)\.[su]16x2\s+({REGISTER}),", text))
    extrema = re.findall(rf"((?:min|max)\.[su]16x2\s+{REGISTER}, ({REGISTER}|-?\d+), ({REGISTER}|-?\d+);)", text)
    return [line for line, *operands in extrema if sums & set(operands)]


def found(text):
    """The lines of a PTX file that ptxas would get wrong; registers are numbered a function."""
    return [line for entry in text.split(".entry")[1:] for line in differences(entry) + negations(entry) + packed_additions(entry) + packed_extrema(entry)]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print("\n".join(found(pathlib.Path(name).read_text())))
