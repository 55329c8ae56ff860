# Writes one function per operation and type named in functions.inc.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys

SPECIAL = {"rem": "arith.remf", "pow": "math.powf"}

for kind, name in re.findall(r"^(UNARY|BINARY)\((\w+),", open(sys.argv[1]).read(), re.M):
    op = SPECIAL.get(name, f"math.{name}")
    for type_ in ("f32", "f64"):
        names = ["%x"] if kind == "UNARY" else ["%x", "%y"]
        parameters = ", ".join(f"{n}: {type_}" for n in names)
        print(f"func.func @{name}_{type_}({parameters}) -> {type_} {{")
        print(f"  %r = {op} {', '.join(names)} : {type_}")
        print(f"  return %r : {type_}")
        print("}")

# Casts, by code.
for name, type_, width in (("e4m3", "f8E4M3FN", 8), ("e5m2", "f8E5M2", 8), ("e2m1", "f4E2M1FN", 4)):
    for source in ("f32", "f64"):
        print(f"func.func @trunc_{name}_{source}(%x: {source}) -> i8 {{")
        print(f"  %y = arith.truncf %x : {source} to {type_}")
        print(f"  %c = arith.bitcast %y : {type_} to i{width}")
        if width < 8:
            print(f"  %w = arith.extui %c : i{width} to i8\n  return %w : i8\n}}")
        else:
            print("  return %c : i8\n}")
    print(f"func.func @ext_{name}(%x: i8) -> f32 {{")
    narrowed = "%x"
    if width < 8:
        print(f"  %n = arith.trunci %x : i8 to i{width}")
        narrowed = "%n"
    print(f"  %c = arith.bitcast {narrowed} : i{width} to {type_}")
    print(f"  %y = arith.extf %c : {type_} to f32\n  return %y : f32\n}}")
