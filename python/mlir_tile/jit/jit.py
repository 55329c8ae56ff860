# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@jit: functions that are compiled when they are called.

Lazy: the function returns a T.prim_func; calling gives the compiled kernel. Eager: the function is
a kernel itself; calling it compiles for the arguments' sizes and runs. Which one a function is
follows from it.
"""

import functools
import inspect
import logging
import threading

from mlir_tile._keys import freeze, freeze_keywords
from mlir_tile.errors import ArgumentError
from mlir_tile.language.arguments import Undeclared, annotations_of, make_argument
from mlir_tile.language.buffers import Buffer
from mlir_tile.language.errors import LanguageError, NoBuilderError, fail
from mlir_tile.language.functions import PrimFunc, _start_of, trace
from mlir_tile.language.initialization import unwritten_reads
from mlir_tile.language.memory import Pointer
from mlir_tile.language.rewrite import rewritten
from mlir_tile.language.values import Variable, number_of

from .captured import Captured
from .kernel import CallTable, JITKernel, compile_options
from .targets import followers, resolve_target, target_for


def compile(
    func=None,
    out_idx=None,
    execution_backend=None,
    target=None,
    target_host=None,
    verbose=None,
    pass_configs=None,
    compile_flags=None,
):
    """Compiles a T.prim_func.

    `out_idx`: positions of arguments that are allocated and returned. `target`: auto, cpu, cuda,
    cuda:sm_90a, lowered:sm_90a. `pass_configs`: TileLang's options; those with a meaning here are
    mapped. Raises CompileError with file and line.
    """
    if isinstance(func, JITKernel):
        return func
    if not isinstance(func, PrimFunc):
        raise ArgumentError(f"expected a function made by @T.prim_func, got {func!r}")
    if func.out_idx and out_idx is not None:
        raise ArgumentError(
            f"{func.name}: out_idx is given, and the function returns tensors made by T.empty,"
            " too; leave one out"
        )
    kernel = JITKernel(func, out_idx, target, pass_configs, bool(verbose), compile_flags)
    if not kernel.pass_configs.get("tl.disable_buffer_init_check"):
        _report_unwritten(func)
    return kernel


def _report_unwritten(func):
    """Says by the log which tiles a kernel reads before it wrote them."""
    for kernel in func.builder.kernels:
        for buffer, location in unwritten_reads(kernel):
            logging.getLogger("mlir_tile").warning(
                "%s: Buffer read before initialization: %s, a tile of %s, holds anything here;"
                " write it first (T.clear, T.fill, T.copy; T.gemm(..., clear_accum=True))",
                location,
                buffer.name,
                func.name,
            )


def elaborate(prim_func, target=None, pass_configs=None, out_idx=None):
    """What execution.compile is called with: [(text, name)], the target, the options."""
    configs = {**prim_func.pass_configs, **(pass_configs or {})}
    return (
        list(zip(prim_func.modules, prim_func.kernel_names)),
        resolve_target(target),
        compile_options(configs),
    )


class _Template:
    """The first phase of an eager kernel: its arguments, and where each size of T.const stands."""

    def __init__(self, implementation, builder):
        self.arguments = list(builder.arguments)
        self.places = {}
        names = set(builder.constants)
        by_identity = {id(v): n for n, v in builder.constants.items()}
        for argument in self.arguments:
            if not isinstance(argument, Buffer) or argument.output is not None:
                continue
            for what, extents in (
                ("shape", argument.shape),
                ("stride", argument.given_strides or ()),
            ):
                for d, x in enumerate(extents):
                    name = by_identity.get(id(x))
                    if name is not None:
                        self.places.setdefault(name, []).append((argument.name, what, d))
        missing = sorted(names - set(self.places))
        self.missing = missing
        self.implementation = implementation

    def sizes(self, tensors, keywords):
        """The value of each size of T.const, from keywords or tensors."""
        result = {}
        unknown = [x for x in keywords if x not in self.places and x not in self.missing]
        if unknown:
            known = [
                *self.implementation.signature.parameters,
                *self.places,
                *self.missing,
                "target",
            ]
            raise ArgumentError(
                f"{self.implementation.__name__}() has no argument and no size of T.const named"
                f" {', '.join(unknown)}; there are {', '.join(known)}"
            )
        for name in self.missing:
            if name not in keywords:
                fail(
                    f"the size {name} of T.const stands in no tensor by itself; give it as"
                    f" {name}=..., or write it as an extent",
                    _start_of(self.implementation.function),
                )
            result[name] = keywords[name]
        for name, places in self.places.items():
            if name in keywords:
                result[name] = keywords[name]
                continue
            given = (x for x in places if tensors.get(x[0]) is not None)
            tensor, what, d = next(given, places[0])
            if tensor not in tensors:
                fail(
                    f"the size {name} is not known: give it as {name}=..., or give the tensor"
                    f" {tensor}",
                    _start_of(self.implementation.function),
                )
            value = tensors[tensor]
            found = value.shape if what == "shape" else _strides(value)
            if found is None or d >= len(found):
                raise ArgumentError(
                    f"{self.implementation.__name__}: expected a tensor of at least {d + 1}"
                    f" dimensions as {tensor}, got {value!r}"
                )
            result[name] = int(found[d])
        return result


def _strides(value):
    stride = getattr(value, "stride", None)
    if callable(stride):
        return stride()
    strides, item = getattr(value, "strides", None), getattr(value, "itemsize", None)
    return None if strides is None or item is None else tuple(x // item for x in strides)


class _Calls(CallTable):
    """The remembered calls of a function whose names may be bound again: `_call` of the others."""

    def __init__(self, call):
        self._call = call


class JITImpl(CallTable):
    """What @jit makes of a function."""

    def __init__(
        self,
        function,
        out_idx=None,
        target=None,
        pass_configs=None,
        verbose=False,
        compile_flags=None,
        mode=None,
        debug_root_path=None,
    ):
        self.function, self.func = function, function
        self.out_idx, self.target, self.pass_configs = out_idx, target, pass_configs
        self.verbose, self.compile_flags = verbose, compile_flags
        self.signature = inspect.signature(function)
        self._mode = mode
        self._kernels, self._templates, self._prim_funcs = {}, {}, {}
        self._lock = threading.RLock()
        self._captured = None  # what the function saw when it was traced last
        self._calls = _Calls(self._call_known)
        followers.add(self)
        followers.add(self._calls)
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._tensors = None
        parameters = self.signature.parameters.values()
        self._varying = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)

    def __reduce__(self):
        """Pickled by its name, as functions are; a copy of an object that holds it holds it, too."""
        return self.__qualname__

    # Which style.
    @property
    def mode(self):
        return self._mode or "auto"

    def _decide(self, args, kwargs):
        if self._mode is not None:
            return self._mode
        if rewritten(self.function).inner_prim_func:
            self._mode = "lazy"
            return self._mode
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError:
            self._mode = "eager"
            return self._mode
        try:
            made = self.function(*args, **kwargs)
        except NoBuilderError:
            self._mode = "eager"
            return self._mode
        if isinstance(made, PrimFunc):
            self._mode = "lazy"
            self._prim_funcs[self._key(args, kwargs)] = made
            self._note_captured()
        else:
            self._mode = "eager"
        return self._mode

    # Lazy.
    def _key(self, args, kwargs):
        return freeze(args), freeze_keywords(kwargs)

    def _lazy_prim_func(self, args, kwargs):
        key = self._key(args, kwargs)
        made = self._prim_funcs.get(key)
        if made is None:
            made = self.function(*args, **kwargs)
            if not isinstance(made, PrimFunc):
                raise ArgumentError(
                    f"{self.__name__}: expected the function to return a T.prim_func, got {made!r}"
                )
            self._prim_funcs[key] = made
            self._note_captured()
        return made

    # What the function sees beside its arguments.
    def _note_captured(self):
        """What was traced now holds for what the function sees now."""
        self._captured = found = Captured(self.function)
        if found:
            # Before a call is looked up, Python compares the names.
            self._call = found.checking(self._calls, self._call_anew)
            self._forget()
        else:
            self.__dict__.pop("_call", None)

    def _look_again(self):
        """Forgets what was traced where the function sees something else now."""
        captured = self._captured
        if not captured:
            return
        if captured.changed():
            for made in (self._templates, self._prim_funcs, self._kernels):
                made.clear()
            self._tensors = self._captured = None
            self._calls._forget()
            self.__dict__.pop("_call", None)
        else:
            self._call = captured.checking(self._calls, self._call_anew)

    @property
    def _table(self):
        """Where calls are remembered."""
        return self._calls if self._captured else self

    # Eager.
    def tensor_parameters(self):
        """Parameters that are arguments of the kernel, with their annotation (None: the body
        declares them)."""
        if self._tensors is None:
            found = dict.fromkeys(rewritten(self.function).declared)
            annotations = {}
            if self.function.__annotations__:
                annotations = annotations_of(self.function)
            for name, annotation in annotations.items():
                if name in found or name not in self.signature.parameters:
                    continue
                if isinstance(annotation, (Buffer, Pointer)) or getattr(
                    annotation, "is_pointer_marker", False
                ):
                    found[name] = annotation
            self._tensors = found
        return self._tensors

    def _split(self, args, kwargs):
        """(tensors by name, other arguments by name, other keywords: sizes of T.const)."""
        names = self.tensor_parameters()
        parameters = self.signature.parameters
        own = {k: v for k, v in kwargs.items() if k in parameters}
        extra = {k: v for k, v in kwargs.items() if k not in parameters}
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            own, extra = kwargs, {}
        bound = self.signature.bind_partial(*args, **own)
        given = dict(bound.arguments)
        tensors = {k: given.pop(k) for k in list(given) if k in names}
        for name, p in parameters.items():
            if name in names or name in given or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                continue
            if p.default is p.empty:
                raise ArgumentError(f"{self.__name__}() misses the argument {name!r}")
            given[name] = p.default
        return tensors, given, extra

    def _trace(self, given, phase, sizes, nulls=frozenset()):
        arguments = {}
        for name, annotation in self.tensor_parameters().items():
            kind = rewritten(self.function).declared.get(name)
            made = Undeclared(name, kind) if kind is not None else make_argument(name, annotation)
            arguments[name] = made
        ordered = {}
        for name, p in self.signature.parameters.items():
            if name in arguments:
                ordered[name] = arguments[name]
            elif name in given:
                if p.kind is p.VAR_KEYWORD:
                    ordered.update(given[name])
                else:
                    ordered[name] = given[name]
        return trace(self.function, ordered, phase, sizes, self.function.__name__, nulls)

    def _order(self, prim_order):
        """Arguments in the order of the function's parameters, outputs behind them."""
        names = list(self.signature.parameters)
        return sorted(
            prim_order, key=lambda x: names.index(x.name) if x.name in names else len(names)
        )

    def _eager_prim_func(self, args, kwargs):
        tensors, given, extra = self._split(args, kwargs)
        key = freeze_keywords(given), freeze_keywords(extra)
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = _Template(self, self._trace(given, "declare", {}))
        sizes = template.sizes(tensors, extra)
        full = key, freeze_keywords(sizes)
        made = self._prim_funcs.get(full)
        if made is None:
            made = self._prim_funcs[full] = self._built(given, sizes)
            self._note_captured()
        return made, tensors

    def _built(self, given, sizes, nulls=frozenset()):
        builder = self._trace(given, "build", sizes, nulls)
        builder.arguments = self._order(builder.arguments)
        made = PrimFunc(self.function.__name__, builder, self.function)
        made.without = functools.partial(self._built, given, sizes)
        return made

    # What users call.
    def get_prim_func(self, *args, **kwargs):
        """The traced function for these arguments."""
        with self._lock:
            self._look_again()
            if self._decide(args, kwargs) == "lazy":
                return self._lazy_prim_func(args, kwargs)
            return self._eager_prim_func(args, kwargs)[0]

    get_tir = get_prim_func

    def _kernel(self, prim_func, target=None):
        target = self.target if target is None else target
        key = id(prim_func), str(target), resolve_target(target)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = compile(
                prim_func,
                out_idx=None if prim_func.out_idx else self.out_idx,
                target=target,
                pass_configs=self.pass_configs,
                compile_flags=self.compile_flags,
                verbose=self.verbose,
            )
            self._kernels[key] = kernel
        return kernel

    def compile(self, *args, **kwargs):
        """The compiled kernel for these arguments (of an eager function: sizes, or tensors that
        have them).

        `target`: for this target (where the function has no parameter of that name).
        """
        target = kwargs.pop("target", None) if "target" not in self.signature.parameters else None
        kwargs.pop("__tune_params", None)
        with self._lock:
            return self._kernel(self.get_prim_func(*args, **kwargs), target)

    def get_kernel_source(self, *args, **kwargs):
        """The PTX of the kernel for these arguments; without any, of the last one compiled."""
        if not args and not kwargs and self._kernels:
            return list(self._kernels.values())[-1].get_kernel_source()
        return self.compile(*args, **kwargs).get_kernel_source()

    def par_compile(self, configs, num_workers=None, ignore_error=False):
        """Kernels for several configurations (dicts of keywords, or tuples of arguments), compiled
        side by side."""
        from concurrent.futures import ThreadPoolExecutor

        functions = [
            self.get_prim_func(**x) if isinstance(x, dict) else self.get_prim_func(*x)
            for x in configs
        ]

        def one(function):
            try:
                return self._kernel(function)
            except Exception:
                if ignore_error:
                    return None
                raise

        with ThreadPoolExecutor(num_workers) as pool:
            return list(pool.map(one, functions))

    def _call(self, *args, **kwargs):
        """Calls that are not remembered (CallTable)."""
        return self._call_anew(*args, **kwargs)

    def _call_anew(self, *args, **kwargs):
        """A call before which names may have been bound again."""
        with self._lock:
            self._look_again()
        return self._call_known(*args, **kwargs)

    def _call_known(self, *args, **kwargs):
        """A call that finds what the function sees as it was."""
        kwargs.pop("__tune_params", None)
        mode = self._mode or self._decide(args, kwargs)
        if mode == "lazy":
            with self._lock:
                kernel = self._kernel(self._lazy_prim_func(args, kwargs))
            if _is_constant((args, *kwargs.values())):
                self._table._remember(kernel, 0, args, kwargs, None, False)
            return kernel
        with self._lock:
            prim_func, tensors = self._eager_prim_func(args, kwargs)
            kernel = self._kernel(prim_func, target_for(self.target, tensors.values()))
        values = []
        for i, p in enumerate(kernel.params):
            if i in kernel.out_idx:
                continue
            if p.name not in tensors:
                raise ArgumentError(f"{self.__name__}() misses the argument {p.name!r}")
            values.append(tensors[p.name])
        result = kernel(*values)
        self._remember_eager(args, kwargs, kernel, tensors)
        return result

    def _remember_eager(self, args, kwargs, kernel, tensors):
        """Has calls that differ in tensors alone go to the kernel at once.

        Shapes and strides are not compared: the launcher refuses others before anything runs.
        """
        names = list(self.signature.parameters)[: len(args)]
        inputs = [kernel.params[i].name for i in kernel._inputs]
        count = len(inputs)
        if self._varying or names[:count] != inputs or any(k in tensors for k in kwargs):
            return
        if any(n in tensors for n in names[count:]):
            return
        if _is_constant((args[count:], *kwargs.values())):
            kernel.remember_in(self._table, args[count:], kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def _is_constant(values):
    """Whether nobody can change what these are."""
    try:
        hash(values)
    except TypeError:
        return False
    return True


def jit(
    func=None,
    *,
    out_idx=None,
    execution_backend=None,
    target=None,
    target_host=None,
    verbose=None,
    pass_configs=None,
    debug_root_path=None,
    compile_flags=None,
    mode=None,
    **_,
):
    """Compiles a function when it is called.

    `out_idx`: positions of arguments that are allocated and returned (lazy style). `target`,
    `pass_configs`: as of `compile`.
    """

    def wrap(function):
        if isinstance(function, PrimFunc):
            return compile(function, out_idx, target=target, pass_configs=pass_configs)
        if not callable(function):
            raise ArgumentError(f"expected a function, got {function!r}")
        return JITImpl(
            function,
            out_idx,
            target,
            pass_configs,
            bool(verbose),
            compile_flags,
            None if mode in (None, "auto") else mode,
        )

    return wrap(func) if func is not None else wrap


def lazy_jit(func=None, **options):
    """@jit of lazy style."""
    return jit(func, mode="lazy", **options)


__all__ = [
    "JITImpl",
    "compile",
    "elaborate",
    "jit",
    "lazy_jit",
    "LanguageError",
    "Variable",
    "number_of",
]
