# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's control flow, assignments and truth tests become calls of a builder, `__b`.

The rewritten function is compiled in the globals and with the captured variables of the original,
and keeps its file, lines and columns: what a statement does is found again from the frame that runs
it.
"""

import ast
import inspect
import textwrap

from . import names_read_and_set as syntax
from .errors import LanguageError
from .made_nodes import call_node as _call
from .made_nodes import name_node as _name
from .made_nodes import place as _place
from .made_nodes import thunk as _thunk
from .rewrite_operands import Operands, has_call

_TENSORS = ("Tensor", "StridedTensor", "ptr", "Buffer")


class Rewriter(Operands):
    """Rewrites the body of one function; functions inside of it stay as they are."""

    def __init__(self, filename, parameters, counts):
        self.filename, self.count = filename, 0
        self.carried = []  # (the names of a loop, those that it reads before it binds them again)
        self.loops = []  # (the names of a loop or None, all that it binds), the innermost last
        self.rebound = {name for name, n in counts.items() if n > 1} | set(parameters)

    def body(self, statements):
        result = []
        for statement in statements:
            out = self.visit(statement)
            result += out if isinstance(out, list) else [out]
        return result or [ast.Pass()]

    def temporary(self):
        self.count += 1
        return f"__t{self.count}"

    def refuse(self, node, what):
        raise LanguageError(f"{self.filename}:{node.lineno}:{node.col_offset + 1}: {what}")

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def _comprehension(self, node):
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # Names that a branch or a loop binds again: rebinding.py says what they are behind it.
    def bound_again(self, statements):
        return sorted(self.rebound & set(syntax.assigned_counts(statements)))

    def names_of(self, names):
        """The arguments of a call by which it learns the names and their values."""
        if not names:
            return []
        return [
            _call("locals"),
            ast.Tuple([ast.Constant(x) for x in names], ast.Load()),
        ]

    def each(self, state, method, names):
        """`name = state.method("name", name)` of the names that have a value."""
        out = []
        for name in names:
            has = ast.Compare(
                ast.Constant(name), [ast.In()], [_call("locals")]
            )
            asked = ast.Attribute(_name(state), method, ast.Load())
            value = ast.Call(asked, [ast.Constant(name), _name(name)], [])
            out.append(ast.If(has, [ast.Assign([_name(name, True)], value)], []))
        return out

    def visit_Name(self, node):
        value = node
        if isinstance(node.ctx, ast.Load):
            for state, names in self.carried:
                if node.id in names:
                    asked = ast.Attribute(_name(state), "seen", ast.Load())
                    value = _place(ast.Call(asked, [ast.Constant(node.id), value], []), node)
        return value

    # Control flow.
    def visit_If(self, node):
        state = self.temporary()
        test = self.visit(node.test)
        names = self.bound_again(node.body + node.orelse)
        out = [
            ast.Assign([_name(state, True)], _call("branch", test, *self.names_of(names))),
            ast.If(_call("then", _name(state)), self.body(node.body), []),
        ]
        if node.orelse:
            first = self.each(state, "other_arm", names)
            out.append(ast.If(_call("otherwise", _name(state)), first + self.body(node.orelse), []))
        out.append(ast.Expr(_call("end", _name(state))))
        # An arm that leaves the loop or the kernel comes to nothing behind it.
        leaves = [syntax.leaves(node.body), syntax.leaves(node.orelse)]
        behind = {(True, False): "behind_second", (False, True): "behind_first"}
        method = behind.get(tuple(leaves), "behind")
        return _place(out + self.each(state, method, names), node)

    def refuse_thunk(self, *values):
        """What is evaluated later, or not at all, binds no names of the function."""
        for value in values:
            for inner in ast.walk(value):
                if isinstance(inner, ast.NamedExpr):
                    self.refuse(
                        inner,
                        "`:=` in an operand of `and`, `or` or a chained comparison, in `x if y else"
                        " z` or in the condition of `while` is not supported in a kernel; assign in"
                        " a statement of its own",
                    )

    def loop(self, node, make):
        """The loop that `make` makes, and what becomes of its names."""
        reads = syntax.ReadFirst()
        inside = set()
        if isinstance(node, ast.For):
            reads.assign(node.target, inside)
        else:
            reads.reads(node.test, inside)
        reads.body(node.body, inside)
        names = self.bound_again([node] if isinstance(node, ast.For) else node.body)
        carried = [x for x in names if x in reads.found]
        state = self.temporary() if names else None
        self.loops.append((state, names))
        if not names:
            made = make([])
            self.loops.pop()
            return _place([made], node)
        self.carried.append((state, carried))
        made = make([_name(state)])
        self.carried.pop()
        self.loops.pop()
        made.body += self.each(state, "carried", carried)
        hidden = [x for x in carried if x in syntax.read_inside(node.body)]
        known = ast.Tuple([ast.Constant(x) for x in hidden], ast.Load())
        entering = ast.Assign([_name(state, True)], _call("rounds", *self.names_of(names), known))
        return _place([entering, made, *self.each(state, "behind", names)], node)

    def visit_For(self, node):
        if node.orelse:
            self.refuse(
                node, "`else` of a loop is not supported in a kernel; use a variable (T.alloc_var)"
            )
        item = self.temporary()
        iterator = node.iter
        if (
            isinstance(iterator, ast.Call)
            and isinstance(iterator.func, ast.Name)
            and iterator.func.id == "range"
        ):
            called = _place(_call("range_of", iterator.func), iterator)
            iterator = _place(ast.Call(called, iterator.args, iterator.keywords), iterator)
        iterator = self.visit(iterator)

        def make(state):
            body = self.bind(node.target, _name(item), node, copies=False) + self.body(node.body)
            return ast.For(_name(item, True), _call("loop", iterator, *state), body, [])

        return self.loop(node, make)

    def visit_While(self, node):
        if node.orelse:
            self.refuse(
                node, "`else` of a loop is not supported in a kernel; use a variable (T.alloc_var)"
            )

        def make(_):
            self.refuse_thunk(node.test)
            test = _thunk(self.visit(node.test))
            return ast.For(_name("_", True), _call("repeat", test), self.body(node.body), [])

        return self.loop(node, make)

    def visit_Break(self, node):
        jump = ast.If(_call("leave", ast.Constant("break")), [ast.Break()], [])
        return _place([jump, *self.leaving("broken")], node)

    def visit_Continue(self, node):
        jump = ast.If(_call("leave", ast.Constant("continue")), [ast.Continue()], [])
        return _place([jump, *self.leaving("continued")], node)

    def leaving(self, method):
        """What the names of the innermost loop are where an iteration of it ends early."""
        state, names = self.loops[-1] if self.loops else (None, ())
        return self.each(state, method, names) if state is not None else []

    def visit_With(self, node):
        # The arms of T.If are branches, too.
        # So is the work of some warps.
        kinds = {_last_name(item.context_expr) for item in node.items}
        names = self.bound_again(node.body) if kinds & {"Then", "Else", "ws"} else []
        before, state = [], self.temporary()
        if names:
            made = _call("part" if "ws" in kinds else "arm", *self.names_of(names))
            before = [_place(ast.Assign([_name(state, True)], made), node)]
        for item in node.items:
            item.context_expr = _place(
                _call("enter", self.visit(item.context_expr)), item.context_expr
            )
        node.body = [_place(ast.If(_call("taken"), self.body(node.body), []), node)]
        return [*before, node, *_place(self.each(state, "behind", names), node)]

    def visit_Return(self, node):
        if node.value is not None:
            return _place(ast.Return(_call("ret", self.visit(node.value))), node)
        # Under a condition of the kernel Python goes on, with what runs where it does not hold.
        leave = ast.Return(_call("ret", ast.Constant(None)))
        return _place([ast.If(_call("goes_on"), [ast.Pass()], [leave])], node)

    def visit_Assert(self, node):
        message = (
            self.visit(node.msg)
            if node.msg is not None
            else ast.Constant("assertion failed: " + ast.unparse(node.test))
        )
        return _place(ast.Expr(_call("check", self.visit(node.test), message)), node)

    def visit_Raise(self, node):
        return _place([ast.If(_call("raises"), [self.generic_visit(node)], [])], node)

    # Assignments.
    def bind(self, target, value, node, copies):
        """Statements that assign `value`; `copies`: a variable is read (`copies`, above)."""
        if isinstance(target, ast.Name):
            old = ast.Constant(None)
            if target.id in self.rebound:
                local = _call("locals")
                old = ast.Call(
                    ast.Attribute(local, "get", ast.Load()), [ast.Constant(target.id)], []
                )
            made = _call("bind", ast.Constant(target.id), value, old, ast.Constant(copies))
            return _place([ast.Assign([target], made)], node)
        if isinstance(target, ast.Subscript):
            matters = has_call(target)
            place = self.visit(target.value), self.key(target.slice)
            made = _call("store", *place, value)
            if matters:  # the value comes first
                made = _call("put", value, _call("mark"), *place)
            return _place([ast.Expr(made)], node)
        if isinstance(target, (ast.Tuple, ast.List)):
            starred = [i for i, x in enumerate(target.elts) if isinstance(x, ast.Starred)]
            names = [self.temporary() for _ in target.elts]
            first = ast.Tuple([_name(x, True) for x in names], ast.Store())
            about = [ast.Constant(len(names)), *map(ast.Constant, starred)]
            out = [ast.Assign([first], _call("unpack", value, *about))]
            for name, element in zip(names, target.elts):
                element = element.value if isinstance(element, ast.Starred) else element
                out += self.bind(element, _name(name), node, copies=False)
            return _place(out, node)
        if isinstance(target, ast.Attribute):
            made = _call("plain", ast.Constant(target.attr), value)
            return _place([ast.Assign([target], made)], node)
        return self.refuse(node, f"cannot assign to `{ast.unparse(target)}` in a kernel")

    def key(self, node):
        return self.visit(node)

    def copies(self, value):
        """Whether a name that is bound to `value` takes a copy of a variable: "named" where it may
        be a new one (`v if known else T.alloc_var(...)`)."""
        if isinstance(value, (ast.IfExp, ast.BoolOp)):
            return "named"
        return isinstance(value, ast.Name)

    def visit_Assign(self, node):
        copies, value = self.copies(node.value), self.visit(node.value)
        if len(node.targets) == 1:
            return self.bind(node.targets[0], value, node, copies)
        item = self.temporary()
        out = [ast.Assign([_name(item, True)], _call("hold", value))]
        for target in node.targets:
            out += self.bind(target, _name(item), node, copies)
        return _place(out, node)

    def visit_AnnAssign(self, node):
        annotation = self.visit(node.annotation)
        if node.value is not None:
            copies = self.copies(node.value)
            return self.bind(node.target, self.visit(node.value), node, copies)
        if not isinstance(node.target, ast.Name):
            return node
        local = _call("locals")
        old = ast.Call(ast.Attribute(local, "get", ast.Load()), [ast.Constant(node.target.id)], [])
        declared = _call("declare", ast.Constant(node.target.id), old, annotation)
        return _place([ast.Assign([_name(node.target.id, True)], declared)], node)

    def visit_AugAssign(self, node):
        operation, value = ast.Constant(type(node.op).__name__), self.visit(node.value)
        target, mark = node.target, _call("mark")
        if isinstance(target, ast.Subscript):
            element = _call("element", self.visit(target.value), self.key(target.slice))
            made = _call("update", ast.Starred(element, ast.Load()), operation, mark, value)
            return _place([ast.Expr(made)], node)
        if isinstance(target, ast.Name):
            old = self.visit(ast.copy_location(_name(target.id), target))
            made = _call("augment", ast.Constant(target.id), old, operation, mark, value)
            return _place([ast.Assign([target], made)], node)
        held = self.temporary()  # the object, which is evaluated once
        old = ast.Attribute(_name(held), target.attr, ast.Load())
        made = _call("augment", ast.Constant(target.attr), old, operation, mark, value)
        target = ast.Attribute(_name(held), target.attr, ast.Store())
        first = ast.Assign([_name(held, True)], self.visit(node.target.value))
        return _place([first, ast.Assign([target], made)], node)

    def visit_NamedExpr(self, node):
        [made] = self.bind(
            ast.copy_location(_name(node.target.id, True), node.target),
            self.visit(node.value),
            node,
            self.copies(node.value),
        )
        return _place(ast.NamedExpr(node.target, made.value), node)

    def visit_Expr(self, node):
        breaks = isinstance(node.value, ast.Call) and _last_name(node.value) == "loop_break"
        made = ast.Expr(_call("statement", self.visit(node.value)))
        return _place([made, *(self.leaving("broken") if breaks else [])], node)

    # Truth.
    def visit_BoolOp(self, node):
        self.refuse_thunk(*node.values[1:])
        values = [self.visit(x) for x in node.values]
        result = values[-1]
        for left in reversed(values[:-1]):
            result = _call("logic", ast.Constant(type(node.op).__name__), left, _thunk(result))
        return _place(result, node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _place(_call("negate", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        self.refuse_thunk(*node.comparators[1:])
        matters = has_call(node.comparators[0])
        self.generic_visit(node)
        if len(node.ops) == 1 and not matters:
            return self.comparison(node.left, node.ops[0], node.comparators[0], node)
        # Each operand is evaluated once, all but the first two only where it is asked for.
        links = []
        for operation, right in zip(node.ops, node.comparators):
            compared = self.comparison(_name("__l"), operation, _name("__r"), node)
            sides = ast.arguments([], [ast.arg("__l"), ast.arg("__r")], None, [], [], None, [])
            links += [_thunk(right), ast.Lambda(sides, compared)]
        links[0] = node.comparators[0]
        method = "compared" if len(node.ops) == 1 else "chain"
        return _place(_call(method, node.left, _call("mark"), *links), node)

    def comparison(self, left, operation, right, node):
        if not isinstance(operation, (ast.In, ast.NotIn)):
            return _place(ast.Compare(left, [operation], [right]), node)
        found = _call("contains", left, right)
        if isinstance(operation, ast.NotIn):
            found = _call("negate", found)
        return _place(found, node)

    def visit_IfExp(self, node):
        self.refuse_thunk(node.body, node.orelse)
        self.generic_visit(node)
        return _place(_call("choose", node.test, _thunk(node.body), _thunk(node.orelse)), node)


class Rewritten:
    """A rewritten function. `build(builder)` gives the function that traces into it."""

    def __init__(self, function):
        self.function = function
        self.filename = inspect.getsourcefile(function) or "<unknown>"
        definition = _definition_of(function)
        arguments = definition.args
        every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        self.parameters = [x.arg for x in every]
        self.declared = _declared(definition, set(self.parameters))
        self.inner_prim_func = _has_inner_prim_func(definition)
        self.make = None
        self.definition = definition

    def of(self, function):
        """The same code, with what another function of it captured."""
        other = object.__new__(Rewritten)
        other.__dict__.update(self.__dict__)
        other.function, other.first = function, self
        return other

    first = None

    def build(self, builder):
        if self.make is None and self.first is not None:
            self.make = self.first.make
        if self.make is None:
            self.make = _compile(self.function, self.definition, self.filename, self.parameters)
            if self.first is not None:
                self.first.make = self.make
        cells = []
        for name, cell in zip(self.function.__code__.co_freevars, self.function.__closure__ or ()):
            try:
                cells.append(cell.cell_contents)
            except ValueError:
                cells.append(_Unbound(name))
        return self.make(builder, *cells)


class _Unbound:
    """A captured name that has no value yet (a function that refers to itself)."""

    def __init__(self, name):
        self.name = name


def _definition_of(function):
    """The function's syntax, at its place in the file."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise LanguageError(
            f"the source of {function.__qualname__} cannot be read ({error}); kernels are compiled"
            " from "
            "their source, so define them in a file or a notebook cell"
        ) from None
    source = "".join(lines)
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    tree = ast.parse(textwrap.dedent(source) if indent else source)
    ast.increment_lineno(tree, max(first, 1) - 1)
    if indent:
        for node in ast.walk(tree):
            if hasattr(node, "col_offset"):
                node.col_offset += indent
                node.end_col_offset += indent
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise LanguageError(
            f"{inspect.getsourcefile(function)}:{first}: expected a function written with `def`"
        )
    return definition


def _last_name(node):
    """Tensor of T.Tensor(...), T.Tensor[...], Tensor."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _declared(definition, parameters):
    """Parameters that a statement of the body, `A: T.Tensor(...)`, declares."""
    found = {}
    for statement in definition.body:
        if (
            isinstance(statement, ast.AnnAssign)
            and statement.value is None
            and isinstance(statement.target, ast.Name)
        ):
            name = statement.target.id
            if name in parameters:
                kind = _last_name(statement.annotation)
                found[name] = "tensor" if kind in _TENSORS else "scalar"
    return found


def _has_inner_prim_func(definition):
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef) and node is not definition:
            for decorator in node.decorator_list:
                if _last_name(decorator) == "prim_func":
                    return True
    return False


def _compile(function, definition, filename, parameters):
    rewriter = Rewriter(filename, parameters, syntax.assigned_counts(definition.body))
    made = ast.FunctionDef(
        name=definition.name,
        args=definition.args,
        body=rewriter.body(definition.body),
        decorator_list=[],
        returns=None,
        type_comment=None,
    )
    if hasattr(definition, "type_params"):
        made.type_params = []
    for argument in ast.walk(made.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    made.args.defaults = [_place(ast.Constant(None), definition) for _ in made.args.defaults]
    made.args.kw_defaults = [
        None if x is None else _place(ast.Constant(None), definition) for x in made.args.kw_defaults
    ]
    ast.copy_location(made, definition)
    free = function.__code__.co_freevars
    arguments = ast.arguments(
        [], [ast.arg("__b")] + [ast.arg(x) for x in free], None, [], [], None, []
    )
    outer = ast.FunctionDef(
        "__make", arguments, [made, ast.Return(_name(made.name))], [], None, None
    )
    if hasattr(definition, "type_params"):
        outer.type_params = []
    _place(outer, definition)
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    names = {}
    code = compile(tree, filename, "exec", dont_inherit=True)
    exec(code, function.__globals__, names)
    return names["__make"]


_made = {}


def rewritten(function):
    """The rewritten form of a function: made once for its code, bound to what this one captured.

    The code is found by its identity: code that differs in annotations or in its file is equal.
    """
    key = id(function.__code__)
    first = _made.get(key)  # which keeps the code
    if first is None or first.function.__globals__ is not function.__globals__:
        first = _made[key] = Rewritten(function)
    return first if first.function is function else first.of(function)
