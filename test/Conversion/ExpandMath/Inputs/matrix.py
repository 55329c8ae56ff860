# Writes a function for every arith and math operation on every type it takes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
FLOATS = ["f16", "bf16", "f32", "f64"]
SMALL = ["f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"]
INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
UNARY = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2
expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc""".split()
BINARY_MATH = "atan2 copysign powf".split()
BINARY = """addf subf mulf divf remf maximumf minimumf maxnumf minnumf""".split()
CLASSES = "isfinite isinf isnan isnormal".split()
INT_BINARY = """addi subi muli divsi divui remsi remui ceildivsi ceildivui floordivsi maxsi maxui
minsi minui andi ori xori shli shrsi shrui""".split()
INT_UNARY = "ctlz cttz ctpop absi".split()
count = 0


def function(op, operands, results, result="%r", attribute=""):
    """`op` may hold {0}, {1}, ... for operands."""
    global count
    parameters = ", ".join(f"%{i}: {t}" for i, t in enumerate(operands))
    print(f"func.func @f{count}({parameters}) -> ({', '.join(results)}) {{")
    print(f"  {op}")
    names = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    print(f"  return {names} : {', '.join(results)}\n}}")
    count += 1


for t in FLOATS + ["vector<2xf16>", "vector<4xf32>", "vector<3xbf16>", "f8E4M3FN", "f4E2M1FN"]:
    isWide = t in FLOATS
    for fast in ("", " fastmath<afn>"):
        for op in UNARY:
            function(f"%r = math.{op} %0{fast} : {t}", [t], [t])
        for op in BINARY_MATH:
            function(f"%r = math.{op} %0, %1{fast} : {t}", [t, t], [t])
        for op in BINARY:
            function(f"%r = arith.{op} %0, %1{fast} : {t}", [t, t], [t])
        function(f"%r = arith.negf %0{fast} : {t}", [t], [t])
        function(f"%r = math.fma %0, %1, %2{fast} : {t}", [t, t, t], [t])
        function(f"%r = math.clampf %0 to [%1, %2]{fast} : {t}", [t, t, t], [t])
    if isWide:
        function(f"%r:2 = math.sincos %0 : {t}", [t], [t, t])
        for op in CLASSES:
            function(f"%r = math.{op} %0 : {t}", [t], ["i1"])
        for i in ("i8", "i32", "i64"):
            function(f"%r = math.fpowi %0, %1 : {t}, {i}", [t, i], [t])
    mask = t.replace(t.split("x")[-1].rstrip(">"), "i1") if "vector" in t else "i1"
    for predicate in ("olt", "une", "ord", "ugt", "true"):
        function(f"%r = arith.cmpf {predicate}, %0, %1 : {t}", [t, t], [mask])
    function(f"%r = arith.select %0, %1, %2 : {t}", ["i1", t, t], [t])

for t in FLOATS + ["f8E4M3FN", "f8E5M2"]:
    for i in INTEGERS:
        function(f"%r = arith.fptosi %0 : {t} to {i}", [t], [i])
        function(f"%r = arith.fptoui %0 : {t} to {i}", [t], [i])
        function(f"%r = arith.sitofp %0 : {i} to {t}", [i], [t])
        function(f"%r = arith.uitofp %0 : {i} to {t}", [i], [t])
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8, "f4E2M1FN": 4, "f8E8M0FNU": 8}
for a in FLOATS + SMALL:
    for b in FLOATS + SMALL:
        if WIDTH[a] > WIDTH[b]:
            function(f"%r = arith.truncf %0 : {a} to {b}", [a], [b])
            function(f"%r = arith.extf %0 : {b} to {a}", [b], [a])
for n in (1, 2, 3, 4, 8):
    for s in ("f8E4M3FN", "f8E5M2", "f4E2M1FN"):
        for t in ("f32", "f16"):
            function(f"%r = arith.truncf %0 : vector<{n}x{t}> to vector<{n}x{s}>",
                     [f"vector<{n}x{t}>"], [f"vector<{n}x{s}>"])
            function(f"%r = arith.extf %0 : vector<{n}x{s}> to vector<{n}x{t}>",
                     [f"vector<{n}x{s}>"], [f"vector<{n}x{t}>"])
for i in INTEGERS + ["vector<4xi32>", "vector<4xi8>"]:
    for op in INT_BINARY:
        function(f"%r = arith.{op} %0, %1 : {i}", [i, i], [i])
    for op in INT_UNARY:
        function(f"%r = math.{op} %0 : {i}", [i], [i])
    if "vector" not in i:
        function(f"%r:2 = arith.mului_extended %0, %1 : {i}", [i, i], [i, i])
        function(f"%r:2 = arith.addui_extended %0, %1 : {i}, i1", [i, i], [i, "i1"])
        function(f"%r = arith.cmpi slt, %0, %1 : {i}", [i, i], ["i1"])
    if "vector" not in i:
        function(f"%r = math.fpowi %0, %1 : f32, {i}", ["f32", i], ["f32"])
    if i != "i1":
        function(f"%r = math.ipowi %0, %1 : {i}", [i, i], [i])
function("%r = math.ipowi %0, %1 : index", ["index", "index"], ["index"])
function("%r = math.fpowi %0, %1 : f32, index", ["f32", "index"], ["f32"])
