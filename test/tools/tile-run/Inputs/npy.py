# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of NumPy's format for npy.mlir, good and bad, written by the format's description alone.

npy.py make DIR                   writes the good files
npy.py show FILE                  prints a file's header and elements
npy.py holds FILE FILL LOW HIGH   asserts what the fills for indices promise
npy.py refused TILE_RUN IR DIR    runs tile-run on bad files: each is one error and exit status 1, within seconds
"""

import random
import struct
import subprocess
import sys
from pathlib import Path

CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q"}


def header(descr, shape, fortran=False, version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    preamble = 10 if version == 1 else 12
    text += b" " * (-(preamble + len(text) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text


def array(descr, shape, values, **options):
    return header(descr, shape, **options) + struct.pack(f"<{len(values)}{CODES.get(descr[1:], 'H')}", *values)


def make(folder):
    rows, columns = 3, 4
    values = [10 * i + j for i in range(rows) for j in range(columns)]
    by_column = [10 * i + j for j in range(columns) for i in range(rows)]
    good = {
        "c": array("<f4", (rows, columns), values),
        "f": array("<f4", (rows, columns), by_column, fortran=True),
        "v2": array("<f4", (rows, columns), values, version=2),
        "v3": array("<f4", (rows, columns), values, version=3),
        "half": array("<f2", (rows, columns), values),
        "double": array("<f8", (rows, columns), values),
        "big": array(">f4", (rows, columns), values),
        # 1, -2 and so on in bf16; the same bits as ml_dtypes saves them.
        "bf16": array("<u2", (4,), [0x3F80, 0xC000, 0x3F00, 0x0000]),
        "bf16_void": array("|V2", (4,), [0x3F80, 0xC000, 0x3F00, 0x0000]),
        "i4": array("|u1", (4,), [1, 15, 8, 7]),
        "i4_large": array("|u1", (4,), [1, 15, 16, 7]),
        "one": array("<f4", (4,), [1, 2, 3, 4]),
    }
    for name, data in good.items():
        (folder / f"{name}.npy").write_bytes(data)


def read(path):
    """The header's fields and the elements of a file that tile-run wrote."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length = struct.unpack("<H", data[8:10])[0]
    text = data[10 : 10 + length]
    assert text.endswith(b"\n") and (10 + length) % 64 == 0
    fields = eval(text)
    code = {"b1": "?"}.get(fields["descr"][1:]) or CODES[fields["descr"][1:]]
    body = data[10 + length :]
    return fields, struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)


def show(path):
    fields, values = read(path)
    print(fields["descr"], fields["fortran_order"], fields["shape"])
    print(*values)


def holds(path, fill, low, high):
    values = list(read(path)[1])
    assert all(low <= value < high for value in values), values
    if fill == "sorted":
        assert values == sorted(values) and values[0] < values[-1], values
    if fill == "permutation":
        assert sorted(values) == list(range(low, high)) and values != sorted(values), values
    if fill == "range":
        assert len(set(values)) > (high - low) // 2, values
    if fill in ("places", "halves"):
        bits = 8 if high == 128 else 32
        nibbles = {value >> first & 15 for value in values for first in range(0, bits, 4)}
        pairs = {first | second << 2 for second in range(4) for first in range(second)}
        assert nibbles == (pairs if fill == "places" else {0b0100, 0b1110}), nibbles


def malformed():
    """Names and bytes of files that are wrong in one way each."""
    good = array("<f4", (3, 4), range(12))
    begin = good.index(b"{")
    text = good[begin : good.index(b"}") + 1]
    yield "empty", b""
    yield "magic", b"\x93NUMPX" + good[6:]
    yield "cut_magic", good[:5]
    yield "cut_preamble", good[:9]
    yield "cut_header", good[:40]
    yield "cut_elements", good[:-1]
    yield "more_elements", good + b"\0"
    yield "version", good[:6] + b"\x09\0" + good[8:]
    yield "long_header", good[:8] + b"\xff\xff" + good[10:]
    yield "longest_header", b"\x93NUMPY\x02\0\xff\xff\xff\xff" + good[10:]
    for name, old, new in [
        ("no_descr", b"'descr': '<f4', ", b""),
        ("two_descr", b"'descr': '<f4', ", b"'descr': '<f4', 'descr': '<f4', "),
        ("other_key", b"'descr'", b"'dtype'"),
        ("unended", b"'shape': (3, 4), }", b"'shape': (3, 4"),
        ("negative", b"(3, 4)", b"(-3, 4)"),
        ("huge", b"(3, 4)", b"(4294967296, 4294967296)"),
        ("overflow", b"(3, 4)", b"(99999999999999999999,)"),
        ("many", b"(3, 4)", b"(2000000000,)"),
        ("number", b"(3, 4)", b"12"),
        ("order", b"False", b"Maybe"),
        ("record", b"'<f4'", b"[('a', '<f4')]"),
        ("object", b"'<f4'", b"'|O'"),
        ("string", b"'<f4'", b"'<U5'"),
        ("nothing", b"'<f4'", b"''"),
        ("wide", b"'<f4'", b"'<f99999999'"),
        ("rank", b"(3, 4)", b"(12,)"),
        ("ranks", b"(3, 4)", b"(" + b"1, " * 1000 + b"12)"),
        ("behind", b"}", b"} 1"),
    ]:
        changed = text.replace(old, new)
        assert changed != text, name
        yield name, good[:8] + struct.pack("<H", len(changed)) + changed + good[-48:]
    generator = random.Random(1)
    for number in range(24):
        data = bytearray(good)
        for _ in range(1 + number % 3):
            # The elements may be anything.
            data[generator.randrange(8 + 2 + len(text))] = generator.randrange(256)
        yield f"random{number}", bytes(data)


def refused(tool, ir, folder):
    for name, data in malformed():
        path = folder / f"bad_{name}.npy"
        path.write_bytes(data)
        command = [tool, ir, "--kernel=f32", f"--args=X=@{path}"]
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
        lines = ran.stderr.splitlines()
        # A changed byte may be a blank's, or may leave a good header.
        if name.startswith("random") and ran.returncode == 0:
            continue
        assert ran.returncode == 1 and lines and lines[0].startswith("tile-run: error: "), (name, ran)
        print(name, lines[0].replace(str(path), "FILE"))


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "make":
        make(Path(rest[0]))
    elif command == "show":
        show(Path(rest[0]))
    elif command == "holds":
        holds(Path(rest[0]), rest[1], int(rest[2]), int(rest[3]))
    else:
        refused(rest[0], rest[1], Path(rest[2]))
