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

# Casts of packed elements, alone and in pairs: both halves of a byte, as f32.
for name, op, source in (("s4", "arith.sitofp", "i4"), ("u4", "arith.uitofp", "i4"), ("e2m1", "arith.extf", "f4E2M1FN")):
    for to in ("f16", "f32"):
        for half, shift in (("low", 0), ("high", 4)):
            for pair in (False, True):
                print(f"func.func @{'pair' if pair else 'one'}_{name}_{to}_{half}(%x: i8) -> f32 {{")
                print("  %four = arith.constant 4 : i8\n  %s = arith.shrui %x, %four : i8")
                print("  %a = arith.trunci %x : i8 to i4\n  %b = arith.trunci %s : i8 to i4")
                print(f"  %p = arith.bitcast %a : i4 to {source}\n  %q = arith.bitcast %b : i4 to {source}")
                if pair:
                    print(f"  %v = vector.from_elements %p, %q : vector<2x{source}>")
                    print(f"  %w = {op} %v : vector<2x{source}> to vector<2x{to}>")
                    print(f"  %y = vector.extract %w[{int(half == 'high')}] : {to} from vector<2x{to}>")
                else:
                    print(f"  %y = {op} {'%p' if half == 'low' else '%q'} : {source} to {to}")
                print("  return %y : f32\n}" if to == "f32" else f"  %z = arith.extf %y : {to} to f32\n  return %z : f32\n}}")
