# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device functions of CUDA C++ as trees: what T.import_source takes.

A subset: functions (`__device__`, templates of types and numbers), declarations, assignments, `for`
and `if` over numbers that are known, calls, casts, pointers, inline assembly. Expressions and
statements are tuples whose first item says what they are; the last one of a statement is its line.
"""

import re

from .cuda_numbers import literal
from .errors import unsupported
from .nodes import BOOL, Const

__all__ = ["Function", "functions_of"]

_TOKENS = re.compile(
    r"""(?P<skip>[ \t\r\n]+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*")
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|0[bB][01]+[uUlL]*|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?f?|\d+[uUlL]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|[-+*/%&|^~!<>=?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_QUALIFIERS = {
    *("const", "constexpr", "static", "volatile", "inline", "__restrict__", "__forceinline__"),
    *("__inline__", "__device__", "extern", "__noinline__"),
}
_TYPES = {
    "void": None,
    "bool": "bool",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "unsigned": "uint32",
    "uint": "uint32",
    "uchar": "uint8",
    "ushort": "uint16",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "__half": "float16",
    "half_t": "float16",
    "bfloat16_t": "bfloat16",
    "__nv_bfloat16": "bfloat16",
    "auto": "auto",
    "size_t": "uint64",
    **{f"{s}int{n}_t": f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)},
}
_BINARY = [
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
]  # fmt: skip
_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


class Function:
    """A device function: parameters (type, name, default), template parameters, its body, and the
    type of what it returns."""

    def __init__(self, name, template, parameters, body, kind):
        self.name, self.template, self.parameters, self.body = name, template, parameters, body
        self.kind = kind


def functions_of(source):
    """The device functions of a text, by name."""
    return _Parser(source).functions()


class _Parser:
    """Reads one text."""

    def __init__(self, source):
        self.tokens, at, line = [], 0, 1
        while at < len(source):
            found = _TOKENS.match(source, at)
            if found is None:
                self.refuse(f"{source[at]!r}", line)
            if found.lastgroup != "skip":
                self.tokens.append((found.lastgroup, found[0], line))
            line += found[0].count("\n")
            at = found.end()
        self.tokens.append(("end", "", line))
        self.at = 0
        self.types = set(_TYPES)

    def refuse(self, what, line=None):
        """An error at a line of the text."""
        line = self.tokens[self.at][2] if line is None else line
        unsupported(
            f"{what} in line {line} of the source text of T.import_source",
            "there is no CUDA C++ compiler behind this package, only a reader of small device"
            " functions; write the function as a T.macro",
        )

    # Tokens.
    def peek(self, ahead=0):
        """The text of a token that is not taken yet."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def take(self, expected=None):
        """The next token's text."""
        kind, text, _ = self.tokens[self.at]
        if kind == "end" or (expected is not None and text != expected):
            self.refuse(f"{text!r}, where {expected or 'more'} is expected,")
        self.at += 1
        return text

    def accept(self, text):
        """Takes the next token where it is this one."""
        if self.tokens[self.at][1] == text and self.tokens[self.at][0] != "text":
            self.at += 1
            return True
        return False

    def name(self):
        """The next token, a name."""
        if self.tokens[self.at][0] != "name":
            self.refuse(f"{self.peek()!r}, where a name is expected,")
        return self.take()

    # Types.
    def is_type(self, ahead=0):
        """Whether a type begins here."""
        while self.peek(ahead) in _QUALIFIERS:
            ahead += 1
        return self.peek(ahead) in self.types and self.peek(ahead + 1) != "("

    def type(self):
        """A type: (name, number of stars)."""
        while self.peek() in _QUALIFIERS:
            self.take()
        name = self.name()
        if name not in self.types:
            self.refuse(f"the type {name}")
        if name == "unsigned" and self.peek() in ("char", "short", "int"):
            name = {"char": "uchar", "short": "ushort", "int": "uint"}[self.take()]
        stars = 0
        while self.peek() in _QUALIFIERS or self.peek() == "*":
            stars += self.take() == "*"
        return name, stars

    # Declarations.
    def functions(self):
        """All of the text."""
        found = {}
        while self.tokens[self.at][0] != "end":
            template = self.template() if self.accept("template") else []
            if self.accept("extern") and self.tokens[self.at][0] == "text":
                self.take()
            if "__device__" not in [self.peek(i) for i in range(4)]:
                self.refuse(f"{self.peek()!r}, where a __device__ function is expected,")
            returned = self.type()
            name = self.name()
            self.take("(")
            parameters = []
            while not self.accept(")"):
                kind = self.type()
                own = self.name()
                parameters.append((kind, own, self.ternary() if self.accept("=") else None))
                self.accept(",")
            found[name] = Function(name, template, parameters, self.block(), returned)
            self.types -= {own for kind, own, _ in template if kind == "typename"}
        return found

    def template(self):
        """Parameters of a template: (kind, name, default)."""
        self.take("<")
        found = []
        while not self.accept(">"):
            kind = self.take()
            own = self.name()
            if kind in ("typename", "class"):
                kind = "typename"
                self.types.add(own)
            found.append((kind, own, self.sum() if self.accept("=") else None))
            self.accept(",")
        return found

    # Statements.
    def block(self):
        """{ ... }"""
        self.take("{")
        found = []
        while not self.accept("}"):
            found.append(self.statement())
        return found

    def statement(self):
        """One statement; a tuple with its line as the last item."""
        line = self.tokens[self.at][2]
        if self.peek() == "{":
            return ("block", self.block(), line)
        if self.accept(";"):
            return ("block", [], line)
        if self.accept("for"):
            self.take("(")
            first = self.statement()
            condition = self.expression()
            self.take(";")
            step = self.expression()
            self.take(")")
            return ("for", first, condition, step, self.statement(), line)
        if self.accept("if"):
            self.accept("constexpr")
            self.take("(")
            condition = self.expression()
            self.take(")")
            then = self.statement()
            return ("if", condition, then, self.statement() if self.accept("else") else None, line)
        if self.accept("return"):
            value = None if self.peek() == ";" else self.expression()
            self.take(";")
            return ("return", value, line)
        if self.peek() in ("asm", "__asm__"):
            return self.assembly(line)
        if self.is_type():
            return self.declaration(line)
        value = self.expression()
        self.take(";")
        return ("value", value, line)

    def declaration(self, line):
        """type name[n] = value, ...;"""
        kind = self.type()
        found = []
        while True:
            own_kind = (kind[0], kind[1] + sum(iter(lambda: self.accept("*"), False)))
            name = self.name()
            size = None
            if self.accept("["):
                size = self.expression()
                self.take("]")
            found.append((own_kind, name, size, self.assignment() if self.accept("=") else None))
            if self.accept(";"):
                return ("declare", found, line)
            self.take(",")

    def assembly(self, line):
        """asm volatile("text" : outputs : inputs);"""
        self.take()
        self.accept("volatile")
        self.take("(")
        text = self.strings()
        operands = []
        while self.accept(":"):
            while self.tokens[self.at][0] == "text":
                constraint = self.strings()
                self.take("(")
                operands.append((constraint, self.expression()))
                self.take(")")
                self.accept(",")
        self.take(")")
        self.take(";")
        return ("asm", text, operands, line)

    def strings(self):
        """Texts one behind the other."""
        found = ""
        while self.tokens[self.at][0] == "text":
            found += self.take()[1:-1].replace("\\n", "\n").replace("\\t", "\t")
        return found

    # Expressions.
    def expression(self):
        """With the comma's operator left out."""
        return self.assignment()

    def assignment(self):
        """target = value"""
        left = self.ternary()
        if self.peek() in _ASSIGN:
            sign = self.take()
            return ("assign", sign[:-1], left, self.assignment())
        return left

    def ternary(self):
        """condition ? yes : no"""
        condition = self.operation(0)
        if not self.accept("?"):
            return condition
        yes = self.assignment()
        self.take(":")
        return ("choose", condition, yes, self.ternary())

    def sum(self):
        """A value in which > is no sign (a template's default)."""
        return self.operation(7)

    def operation(self, level):
        """Operators of a level and of those that bind closer."""
        if level == len(_BINARY):
            return self.unary()
        left = self.operation(level + 1)
        while self.peek() in _BINARY[level]:
            sign = self.take()
            left = ("binary", sign, left, self.operation(level + 1))
        return left

    def unary(self):
        """Signs in front of a value, and casts."""
        if self.peek() in ("-", "!", "~", "*", "&", "+", "++", "--"):
            sign = self.take()
            return ("unary", sign, self.unary())
        if self.peek() == "(" and self.is_type(1):
            self.take("(")
            kind = self.type()
            self.take(")")
            return ("cast", kind, self.unary())
        return self.postfix()

    def postfix(self):
        """A value with indices, arguments, ++ behind it."""
        value = self.primary()
        while True:
            if self.accept("["):
                index = self.expression()
                self.take("]")
                value = ("index", value, index)
            elif self.peek() in ("++", "--"):
                value = ("postfix", self.take()[0], value)
            else:
                return value

    def primary(self):
        """A number, a name, a call, a value in parentheses."""
        kind, text, _ = self.tokens[self.at]
        if kind == "number":
            value = literal(text)
            if value is None:
                self.refuse(f"the number {text}, which no integer type holds,")
            self.take()
            return ("number", value)
        if self.accept("("):
            value = self.expression()
            self.take(")")
            return value
        if self.is_type():  # float(x)
            self.refuse(f"{text!r}, where a value is expected,")
        name = self.name()
        if name in ("true", "false", "nullptr"):
            return ("number", None if name == "nullptr" else Const(name == "true", BOOL))
        if name in ("reinterpret_cast", "static_cast"):
            self.take("<")
            target = self.type()
            self.take(">")
            self.take("(")
            value = self.expression()
            self.take(")")
            return ("cast", target, value)
        template = []
        if name in _TYPES and self.peek() == "(":
            return ("cast", (name, 0), self.arguments()[0])
        if self.peek() == "<" and self.closes_template():
            self.take("<")
            while not self.accept(">"):
                template.append(self.type() if self.is_type() else self.sum())
                self.accept(",")
        if self.peek() == "(":
            return ("call", name, template, self.arguments())
        return ("name", name)

    def closes_template(self):
        """Whether `name < ... > (` stands here."""
        ahead = 1
        while self.peek(ahead) not in (">", ";", ")", "(", ""):
            ahead += 1
        return self.peek(ahead) == ">" and self.peek(ahead + 1) == "("

    def arguments(self):
        """( a, b )"""
        self.take("(")
        found = []
        while not self.accept(")"):
            found.append(self.expression())
            self.accept(",")
        return found


def type_name(name):
    """The element type of a type's name in C++."""
    return _TYPES.get(name, name)
