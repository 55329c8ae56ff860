# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A short notation for tile programs: types and constants are filled in, arithmetic is written as expressions.

`complete` takes the text of one kernel and returns tile IR. A line is tile IR as it stands, but for

  tile.copy %K[%h, %n, %c0] sizes [1, 64, 128] to %Ks    operations on buffers go without their types
  %end := min(%keys, %m + 128)                           arithmetic: an operation for each operator
  %S[%i, %j] := exp2(%S[%i, %j] - %top[%i])              elements of buffers are loaded and stored
  %c64, %c128                                            constants of type index are declared where they are used

Operators are + - * / // % < <= > >= == & | and `a if c else b`; functions are min, max, abs, exp2, log2, tanh, and
the types f32, f16, bf16, f8E4M3FN, index, i32, which convert. Integers are signed, but for // and %. `inf` is a number.
exp2, log2, tanh and `/` are approximate.
"""

import ast
import re

NAME = re.compile(r"%(\w+)")
ARGUMENT = re.compile(r"%(\w+): (memref<(?:[^<>]|<[^<>]*>)*>|\w+)")
FLOATS = {"f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8}
COMPARISONS = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
FLOAT_OPS = {ast.Add: "addf", ast.Sub: "subf", ast.Mult: "mulf", ast.Div: "divf"}
INTEGER_OPS = {ast.Add: "addi", ast.Sub: "subi", ast.Mult: "muli", ast.FloorDiv: "divui", ast.Mod: "remui"}
BITS = {ast.BitAnd: "andi", ast.BitOr: "ori"}
# The buffers whose types follow an operation, as what stands between them.
OPERATIONS = {
    "tile.copy": (r"tile.copy %(\w+).* to %(\w+)", "{0} to {1}"),
    "tile.atomic": (r"tile.atomic \w+ %(\w+).* to %(\w+)", "{0} to {1}"),
    "tile.gemm": (r"tile.gemm %(\w+), %(\w+), %(\w+)", "{0}, {1}, {2}"),
    "tile.fill": (r"tile.fill %(\w+) with %(\w+)", "{0}, {1}"),
    "tile.reduce": (r"tile.reduce \w+ %(\w+) to %(\w+)", "{0} to {1}"),
    "tile.gather": (r"tile.gather %(\w+)\[.*\] rows %(\w+)\[.*\] to %(\w+)", "{0}, {1} to {2}"),
    "tile.scatter": (r"tile.scatter %(\w+) to %(\w+)\[.*\] rows %(\w+)\[", "{0} to {1}, {2}"),
    "memref.store": (r"memref.store %\w+, %(\w+)\[", "{0}"),
    "memref.load": (r"memref.load %(\w+)\[", "{0}"),
    "memref.dim": (r"memref.dim %(\w+),", "{0}"),
}


def element(memref):
    return re.match(r"memref<(?:[\d?]+x)*(\w+)", memref).group(1)


class Completer:
    def __init__(self, text):
        self.types, self.lines, self.constants, self.count = {}, [], {}, 0
        self.defined = set(re.findall(r"%(\w+) = arith.constant", text))
        head, self.body = text.split("{\n", 1) if ") {\n" not in text else self.split(text)
        for name, kind in ARGUMENT.findall(head):
            self.types[name] = kind
        for name in NAME.findall(re.search(r"grid\(([^)]*)\)", head).group(1)):
            self.types[name] = "index"
        self.head = head

    @staticmethod
    def split(text):
        """The head of a kernel ends with the line that opens its body."""
        at = re.search(r"^    grid.*\{\n", text, re.M).end()
        return text[:at], text[at:]

    def text(self):
        for line in self.body.splitlines():
            self.line(line)
        return self.head + "\n".join([*(f"  {c}" for c in self.constants.values()), *self.lines]) + "\n"

    def line(self, line):
        code = line.strip()
        if code.startswith("//"):
            self.lines.append(line)
            return
        self.indent = line[: len(line) - len(line.lstrip())]
        if ":=" in code:
            self.assignment(*(part.strip() for part in code.split(":=")))
            return
        for name in NAME.findall(code):
            self.constant_index(name)
        for variables in re.findall(r"(?:scf.for|tile.pipelined) %(\w+) =|tile.parallel \(([^)]*)\) in", code):
            self.types.update({name.strip(" %"): "index" for name in ",".join(variables).split(",") if name})
        operation = re.match(r"(?:%(\w+) = )?([a-z_.0-9]+)", code)
        result, kind = operation.groups() if operation else (None, "")
        if kind in OPERATIONS:
            pattern, types = OPERATIONS[kind]
            line += " : " + types.format(*(self.types[n] for n in re.search(pattern, code).groups()))
            if result:
                self.types[result] = "index" if kind == "memref.dim" else element(line.rsplit(" : ")[-1])
        elif result:
            self.types[result] = "i1" if kind.startswith("arith.cmp") else re.split(r" : | to ", code)[-1]
        self.lines.append(line)

    # --- constants

    def constant_index(self, name):
        number = re.fullmatch(r"c(m?)(\d+)", name)
        if number and name not in self.defined:
            self.constants[name] = f"%{name} = arith.constant {'-' * bool(number[1])}{number[2]} : index"
            self.types[name] = "index"

    def constant(self, value, kind):
        if kind == "index":
            name = f"c{'m' * (value < 0)}{abs(value)}"
            self.constant_index(name)
            return name
        if kind in FLOATS:
            text = {"inf": "0x7F800000", "-inf": "0xFF800000"}.get(str(float(value)), f"{float(value)!r}" if "." in repr(float(value)) else f"{float(value):.1e}")
        else:
            text = str(value)
        name = re.sub(r"\W", "_", f"{kind}_{float(value) if kind in FLOATS else value}".replace("-", "m"))
        self.constants.setdefault(name, f"%{name} = arith.constant {text} : {kind}")
        return name

    # --- expressions

    def assignment(self, target, expression):
        tree = ast.parse(NAME.sub(r"\1", expression), mode="eval").body
        store = re.fullmatch(r"%(\w+)\[(.*)\]", target)
        if store:
            buffer = store.group(1)
            indices = ", ".join("%" + self.value(i, "index") for i in self.indices(store.group(2)))
            value = self.value(tree, element(self.types[buffer]))
            self.lines.append(f"{self.indent}memref.store %{value}, %{buffer}[{indices}] : {self.types[buffer]}")
        else:
            self.value(tree, None, target.strip("%"))

    def indices(self, text):
        tree = ast.parse(NAME.sub(r"\1", f"({text},)"), mode="eval").body
        return tree.elts

    def emit(self, text, kind, name=None):
        if name is None:
            name = f"x{self.count}"
            self.count += 1
        self.types[name] = kind
        self.lines.append(f"{self.indent}%{name} = {text}")
        return name

    def kind(self, tree):
        """The type of an expression, None for a literal."""
        match tree:
            case ast.Name():
                if tree.id == "inf":
                    return None
                self.constant_index(tree.id)
                return self.types[tree.id]
            case ast.Constant():
                return None
            case ast.Subscript():
                return element(self.types[tree.value.id])
            case ast.Compare():
                return "i1"
            case ast.IfExp():
                return self.kind(tree.body) or self.kind(tree.orelse)
            case ast.UnaryOp():
                return self.kind(tree.operand)
            case ast.BinOp():
                return self.kind(tree.left) or self.kind(tree.right)
            case ast.Call():
                if tree.func.id in (*FLOATS, "index", "i32"):
                    return tree.func.id
                return next((k for k in map(self.kind, tree.args) if k), None)
        raise ValueError(ast.dump(tree))

    def literal(self, tree):
        """The value of a literal, or None."""
        match tree:
            case ast.Constant():
                return tree.value
            case ast.Name(id="inf"):
                return float("inf")
            case ast.UnaryOp(op=ast.USub()):
                inner = self.literal(tree.operand)
                return None if inner is None else -inner
        return None

    def value(self, tree, kind=None, name=None):
        """The name of a value that an expression has; emits what computes it."""
        kind = self.kind(tree) or kind
        literal = self.literal(tree)
        if literal is not None:
            found = self.constant(literal, kind or ("f32" if isinstance(literal, float) else "index"))
            return found if name is None else self.copied(found, kind or "index", name)
        match tree:
            case ast.Name():
                return tree.id if name is None else self.copied(tree.id, kind, name)
            case ast.Subscript():
                parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
                indices = ", ".join("%" + self.value(i, "index") for i in parts)
                return self.emit(f"memref.load %{tree.value.id}[{indices}] : {self.types[tree.value.id]}", kind, name)
            case ast.Compare():
                of = self.kind(tree.left) or self.kind(tree.comparators[0])
                a, b = (self.value(t, of) for t in (tree.left, tree.comparators[0]))
                question = COMPARISONS[type(tree.ops[0])]
                if of in FLOATS:
                    return self.emit(f"arith.cmpf o{question}, %{a}, %{b} : {of}", "i1", name)
                signed = "" if question in ("eq", "ne") else "s"
                return self.emit(f"arith.cmpi {signed}{question}, %{a}, %{b} : {of}", "i1", name)
            case ast.IfExp():
                condition, a, b = self.value(tree.test), self.value(tree.body, kind), self.value(tree.orelse, kind)
                return self.emit(f"arith.select %{condition}, %{a}, %{b} : {kind}", kind, name)
            case ast.UnaryOp():
                return self.emit(f"arith.negf %{self.value(tree.operand, kind)} : {kind}", kind, name)
            case ast.BinOp():
                kind = kind or "index"
                a, b = self.value(tree.left, kind), self.value(tree.right, kind)
                operator = BITS.get(type(tree.op)) or (FLOAT_OPS if kind in FLOATS else INTEGER_OPS)[type(tree.op)]
                fast = " fastmath<arcp>" if operator == "divf" else ""
                return self.emit(f"arith.{operator} %{a}, %{b}{fast} : {kind}", kind, name)
            case ast.Call():
                return self.call(tree.func.id, tree.args, kind, name)
        raise ValueError(ast.dump(tree))

    def copied(self, found, kind, name):
        return self.emit(f"arith.addi %{found}, %{self.constant(0, kind)} : {kind}", kind, name)

    def call(self, function, arguments, kind, name):
        if function in ("index", "i32"):
            of = self.kind(arguments[0])
            return self.emit(f"arith.index_cast %{self.value(arguments[0])} : {of} to {function}", function, name)
        if function in FLOATS:
            of, value = self.kind(arguments[0]), self.value(arguments[0])
            if of not in FLOATS:
                if of == "index":
                    value, of = self.emit(f"arith.index_cast %{value} : index to i32", "i32"), "i32"
                return self.emit(f"arith.sitofp %{value} : {of} to {function}", function, name)
            if of == function:
                return value
            return self.emit(f"arith.{'trunc' if FLOATS[of] > FLOATS[function] else 'ext'}f %{value} : {of} to {function}", function, name)
        values = [self.value(a, kind) for a in arguments]
        if function in ("min", "max"):
            operation = f"arith.{function}imumf" if kind in FLOATS else f"arith.{function}si"
            return self.emit(f"{operation} %{values[0]}, %{values[1]} : {kind}", kind, name)
        operation = {"abs": "math.absf"}.get(function) or f"math.{function}"
        fast = "" if function == "abs" else " fastmath<afn>"
        return self.emit(f"{operation} %{values[0]}{fast} : {kind}", kind, name)


def complete(text):
    return Completer(text).text()
