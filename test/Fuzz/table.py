# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The expected results as a kernel that stores tables: what `tile-run --source=FILE --check` compares a run with."""

import numpy as np

from elements import ELEMENTS

STORAGE = ((8, np.int8), (16, np.int16), (32, np.int32), (64, np.int64))


def _cast(name, source, target):
    """The lines that convert %stored, an integer, to the element type."""
    if source == target:
        return [], name
    if target == "index":
        return [f"%wide = arith.index_cast {name} : {source} to index"], "%wide"
    if ELEMENTS[target].kind == "int":
        wider = ELEMENTS[target].bits > int(source[1:])
        return [f"%wide = arith.{'extsi' if wider else 'trunci'} {name} : {source} to {target}"], "%wide"
    if target == "f64":
        return [f"%wide = arith.sitofp {name} : {source} to f64"], "%wide"
    lines = [f"%wide = arith.sitofp {name} : {source} to f32"]
    if target == "f32":
        return lines, "%wide"
    return [*lines, f"%narrow = arith.truncf %wide : f32 to {target}"], "%narrow"


def text(program, run, expected):
    """A module with the program's signature."""
    tables, body = [], []
    for number, buffer in enumerate(b for b in program.arguments if b.name in expected):
        values = expected[buffer.name]
        if not values.size:
            continue
        bits, kind = next((b, k) for b, k in STORAGE if np.abs(values).max(initial=0) < 2 ** (b - 1))
        data = values.astype(kind).ravel().astype(f"<i{bits // 8}").tobytes().hex().upper()
        stored, size = f"i{bits}", values.size
        tables.append(f'memref.global "private" constant @E{number} : memref<{size}x{stored}> = dense<"0x{data}">')
        body.append(f"  %table{number} = memref.get_global @E{number} : memref<{size}x{stored}>")
        body.append(f"  tile.parallel (%number) in ({size}) {{")
        body.append(f"    %stored = memref.load %table{number}[%number] : memref<{size}x{stored}>")
        left, places = "%number", []
        for d in reversed(range(values.ndim)):
            body.append(f"    %extent{d} = arith.constant {values.shape[d]} : index")
            body.append(f"    %at{d} = arith.remui {left}, %extent{d} : index")
            body.append(f"    %left{d} = arith.divui {left}, %extent{d} : index")
            left = f"%left{d}"
            places.insert(0, f"%at{d}")
        lines, name = _cast("%stored", stored, buffer.element)
        body += ["    " + line for line in lines]
        body += [f"    memref.store {name}, %{buffer.name}[{', '.join(places)}] : {buffer.type}", "  }"]
    return "\n".join([*tables, f"tile.kernel @k({program.parameters()}) grid(%b) = (1) threads(32) {{", *body, "}"]) + "\n"
