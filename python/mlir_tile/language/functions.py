# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel functions and macros: tracing, arguments, the text of their modules."""

import ast
import copy
import functools
import inspect
import re
import textwrap

from .arguments import Undeclared, annotations_of, make_argument
from .buffers import Buffer
from .builder import Builder, Ref, current
from .emit import Emitter
from .errors import LanguageError, fail, here
from .memory import Pointer
from .nulls import stand_in
from .rewrite import rewritten
from .statements import Define, Store, Tile
from .values import Op, Variable


class Parameter:
    """An argument of a kernel, as its caller sees it: a name, a type, a shape (empty of a scalar).

    `touched`: whether the kernel reads or writes it; what it does not touch may be None in a call.
    """

    touched = True

    def __init__(self, argument):
        self.name, self.dtype = argument.name, argument.dtype
        self.shape = tuple(argument.shape) if isinstance(argument, Buffer) else ()
        self.strides = tuple(argument.strides) if isinstance(argument, Buffer) else ()
        self.is_buffer = isinstance(argument, Buffer)
        self.output = getattr(argument, "output", None)
        self.is_address = getattr(argument, "is_address", False)

    def is_scalar(self):
        return not self.is_buffer

    def torch_dtype(self):
        return self.dtype.as_torch()

    def __repr__(self):
        return f"{self.name}: {self.dtype}{list(self.shape) if self.is_buffer else ''}"


class PrimFunc:
    """A traced function: its arguments and one module of tile IR for each T.Kernel in it.

    `modules` are texts; `module` is the first as an `ir.Module`. `out_idx` are the positions of
    arguments that T.empty made, in the order in which the function returns them.
    """

    def __init__(self, name, builder, function=None):
        self.name, self.function = name, function
        self.builder = builder
        # Arguments that it asks T.isnullptr of, those that are None here, and how to make the
        # function for others.
        self.asks_null, self.nulls = frozenset(builder.asked_null), builder.nulls
        self.without = None
        self.arguments = list(builder.arguments)
        self.workspaces = list(builder.globals)
        self.params = [Parameter(x) for x in self.arguments]
        self.workspace_params = [Parameter(x) for x in self.workspaces]
        self.views = [(Parameter(x), _position(x.base, self.arguments)) for x in builder.views]
        if self.views:
            _mark_overlaps(builder)
        self.pass_configs, self.compile_flags = dict(builder.pass_configs), builder.compile_flags
        outputs = [
            i
            for i, x in enumerate(self.arguments)
            if isinstance(x, Buffer) and x.output is not None
        ]
        self.out_idx = [outputs[i] for i in builder.returned]
        if not builder.kernels:
            fail(f"the function {name} has no `with T.Kernel(...)`", _start_of(function))
        # PTX has names of ASCII letters, and none of underscores alone.
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = plain if plain.strip("_") else "kernel"
        count = len(builder.kernels)
        names = [plain] if count == 1 else [f"{plain}_{i}" for i in range(count)]
        self.grids = [x.grid for x in builder.kernels]
        self.promises = list(builder.promises)
        self.kernel_names = names
        self.attrs = {"global_symbol": name}
        if builder.returned:
            self.attrs["tilelang_out_idx"] = [i - len(outputs) for i in builder.returned]
        if builder.pass_configs:
            self.attrs["tilelang_pass_configs"] = self.pass_configs
        if builder.compile_flags is not None:
            flags = builder.compile_flags
            self.attrs["tilelang_compile_flags"] = (
                [flags] if isinstance(flags, str) else list(flags)
            )
        if not builder.unknown_calls:
            self._write()

    def _write(self):
        """Makes the modules' texts, and what is known with them."""
        builder = self.builder
        emitters = [
            Emitter(n, self.arguments + self.workspaces + builder.views, kernel, self.promises)
            for n, kernel in zip(self.kernel_names, builder.kernels)
        ]
        self.modules = [x.module() for x in emitters]
        self.overlapping_texts = [x.overlapping for x in emitters]
        touched = set().union(*(x.touched for x in emitters))
        touched |= {id(x.base) for x in builder.views if id(x) in touched}
        for parameter, argument in zip(self.params, self.arguments):
            parameter.touched = id(argument) in touched or not isinstance(argument, Buffer)
        self.measured = set().union(*(x.measured for x in emitters))

    def overlapping(self, names):
        """The function for calls in which the memory of these arguments overlaps."""
        made = copy.copy(self)
        made.modules = []
        for module, texts in zip(self.modules, self.overlapping_texts):
            for name in sorted(names):
                alone, overlapping = texts.get(name, ("", ""))
                module = module.replace(alone, overlapping, 1) if alone else module
            made.modules.append(module)
        return made

    def __getattr__(self, name):
        # Calls of unknown functions were left for somebody to take out: the first use refuses them.
        if name not in ("modules", "measured", "overlapping_texts") or "attrs" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._write()
        return vars(self)[name]

    @property
    def body(self):
        """The statements, for the functions of TVM that mlir_tile.compat has."""
        from mlir_tile.compat.functions import Body

        return Body(self)

    ret_type = None

    @property
    def module(self):
        """The first module, parsed: an `ir.Module` in a context of its own."""
        from mlir_tile import ir

        context = ir.Context()
        with context:
            return ir.Module.parse(self.modules[0])

    def script(self, *_, **__):
        """The text of the modules."""
        return "\n".join(self.modules)

    __str__ = script

    def __repr__(self):
        return f"<PrimFunc {self.name}({', '.join(map(repr, self.params))})>"

    @property
    def buffer_map(self):
        """The tensors among the arguments, by argument: what TVM's functions answer."""
        return {x: x for x in self.params if x.is_buffer}

    def with_attr(self, key, value):
        self.attrs[key] = value
        return self

    @property
    def __name__(self):
        return self.name

    @property
    def orig_func(self):
        return self.function


def _position(base, arguments):
    for i, x in enumerate(arguments):
        if x is base:
            return i
    return fail(f"{base.name} is no argument, so it has no view", base.location)


def _written(block, found):
    """Buffers that statements write."""
    for statement in block:
        if type(statement) is Store:
            found.add(statement.buffer)
        if type(statement) is Tile:
            target = statement.operands.get("target")
            found.add(getattr(target, "buffer", None))
            value = statement.operands.get("value")
            if type(value) is Op and value.name == "atomic":
                found.add(value.args[1])
        if (
            type(statement) is Define
            and type(statement.let.value) is Op
            and statement.let.value.name == "atomic"
        ):
            found.add(statement.let.value.args[1])
        for inner in statement.blocks:
            _written(inner, found)
    return found


def _mark_overlaps(builder):
    """Views of arguments that a kernel writes: they overlap."""
    written = set()
    for kernel in builder.kernels:
        _written(kernel.body, written)
    for view in builder.views:
        if view in written or view.base in written:
            view.may_alias = view.base.may_alias = True


def _start_of(function):
    if function is None:
        return here()
    from .errors import Location

    code = function.__code__
    return Location((code.co_filename, code.co_firstlineno, 0))


def trace(function, arguments, phase=None, sizes=None, name=None, nulls=frozenset()):
    """Runs the rewritten function; gives the builder that recorded it.

    `arguments`: a value for each parameter, those of the kernel already made. A phase "declare"
    ends at T.Kernel. `nulls`: names of arguments that are not there (T.isnullptr).
    """
    from .builder import PhaseOneEnds

    builder = Builder(name or function.__name__, phase, sizes, nulls)
    body = rewritten(function).build(builder)
    with builder:
        for value in arguments.values():
            if isinstance(value, (Buffer, Pointer)) or (
                isinstance(value, Variable) and value.kind == "scalar"
            ):
                builder.arguments.append(value)
        try:
            body(**arguments)
        except PhaseOneEnds:
            pass
        except RecursionError:
            fail(
                f"{builder.name} is too deep for Python: expected macros that come to an end, got"
                " one that calls itself again and again (or an expression of thousands of"
                " operations); call it under a condition of numbers, or loop with T.serial",
                _start_of(function),
            )
    for i, x in enumerate(builder.arguments):
        if isinstance(x, Pointer) and x.name in nulls:
            builder.arguments[i] = stand_in(x)
    return builder


def prim_func(function=None, *, check_well_formed=True, eager_jit=False, **_):
    """Builds a kernel function when it is decorated; its annotations say what its arguments are."""
    if function is None:
        return functools.partial(
            prim_func, check_well_formed=check_well_formed, eager_jit=eager_jit
        )
    annotations = annotations_of(function)
    declared = rewritten(function).declared
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
            parameter.POSITIONAL_ONLY,
        ):
            fail(
                f"the parameter {name} of a kernel function must be a plain one",
                _start_of(function),
            )
        if name in annotations:
            made = make_argument(name, annotations[name])
            if made is None:
                if parameter.default is parameter.empty:
                    fail(
                        "expected T.Tensor(...) or an element type as the type of the argument"
                        f" {name}, got {annotations[name]!r}",
                        _start_of(function),
                    )
                made = parameter.default
            else:
                made.location = _start_of(function)
            arguments[name] = made
        elif name in declared:
            arguments[name] = Undeclared(name, declared[name])
        elif parameter.default is not parameter.empty:
            arguments[name] = parameter.default
        else:
            fail(
                f"the argument {name} has no type; write {name}: T.Tensor((M, N), T.float16)",
                _start_of(function),
            )

    def without(nulls):
        builder = trace(function, arguments, nulls=nulls)
        made = PrimFunc(function.__name__, builder, function)
        made.without = without
        return made

    return without(frozenset())


class Macro:
    """A function that is traced into each kernel that calls it."""

    def __init__(self, function):
        self.function, self.name = function, function.__name__
        self.signature = inspect.signature(function)
        self.references = None
        functools.update_wrapper(self, function)

    def _references(self):
        if self.references is None:
            annotations = {}
            if any(name != "return" for name in self.function.__annotations__):
                try:
                    annotations = annotations_of(self.function)
                except LanguageError:
                    annotations = {}
            self.references = {k for k, v in annotations.items() if v is Ref or v is Variable}
        return self.references

    def takes_value(self, parameter):
        """Whether a parameter, by its name or position, takes a value and no place."""
        if isinstance(parameter, int):
            names = list(self.signature.parameters)
            parameter = names[parameter] if parameter < len(names) else None
        return parameter not in self._references()

    def __call__(self, *arguments, **keywords):
        builder = current(f"the macro {self.name}")
        try:
            bound = self.signature.bind(*arguments, **keywords)
        except TypeError as error:
            fail(f"the macro {self.name}{self.signature}: {error}")
        bound.apply_defaults()
        body = rewritten(self.function).build(builder)
        return builder.call_macro(body, self._references(), bound)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def macro(function=None, **_):
    """Makes a function a macro: inlined where it is called, arguments by value (T.Ref: by
    reference)."""
    return Macro(function) if function is not None else Macro


def inline(function=None):
    """Another name of T.macro."""
    return macro(function)


def meta_class(cls):
    """A class of Python objects with state in a kernel: its methods that store something are
    macros."""
    for name, member in list(vars(cls).items()):
        if inspect.isfunction(member) and name != "__init__" and _stores(member):
            setattr(cls, name, Macro(member))
    return cls


def _stores(function):
    """Whether a function's text assigns an element."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return False
    return any(
        isinstance(target, ast.Subscript)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assign, ast.AugAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
