# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled kernel: call it with tensors, read what it became."""

import operator
import re
import sys

from mlir_tile._mlir_libs._launch import CallTable, Kernel
from mlir_tile.errors import ArgumentError, LaunchError
from mlir_tile.language.ranges import linear
from mlir_tile.language.values import Expr, Op, Variable, walk

from .outputs import empty_cupy, empty_torch, is_cupy, lies_on_gpu, packed, remembered_outputs
from .resources import Resources
from .sizes import evaluate, plain, written
from .sources import Sources
from .targets import architecture_of, resolve_target


# What the launcher says of arguments of which one is written and overlaps another.
_OVERLAP = re.compile(
    r"argument \d+ \('(\w+)'\): expected memory of its own, .* it overlaps argument \d+ \('(\w+)'\)"
)


class JITKernel(CallTable, Resources, Sources):
    """A kernel function compiled for a target.

    Calling it takes the arguments in the order of `params` without those of `out_idx`, which are
    allocated like the other tensors and returned: torch's where one is torch's, CuPy's where they
    are CuPy's, numpy's on the CPU. Beside arrays of another library on a GPU they are torch's, or
    CuPy's where torch is not imported.

    Where the memory of an argument that is written overlaps another one's, as in a call in place,
    the kernel is compiled once more for calls like that.
    """

    def __init__(
        self,
        prim_func,
        out_idx=None,
        target=None,
        pass_configs=None,
        verbose=False,
        compile_flags=None,
        from_database=False,
    ):
        self.prim_func, self.func = prim_func, prim_func
        self.params = prim_func.params
        self.name = prim_func.name
        count = len(self.params)
        self.out_idx = _positions(
            out_idx if out_idx is not None else prim_func.out_idx, count, prim_func.name
        )
        self.result_idx = self.out_idx
        self.target = resolve_target(target)
        self.pass_configs = {**prim_func.pass_configs, **(pass_configs or {})}
        self.compile_flags = compile_flags
        self.latency = self.config = self.ref_latency = None
        self.executables = _compile(prim_func, self.target, self.pass_configs)
        self._without = {}  # kernels for calls without some of the arguments
        self._overlapping = {}  # and for calls with overlapping ones
        self._prepare()

    # Calling.
    def _prepare(self):
        self._inputs = [i for i in range(len(self.params)) if i not in self.out_idx]
        self._dynamic = any(
            not isinstance(x, int) for p in self.params if p.is_buffer for x in p.shape
        )
        self._checked = [
            (at, i, p)
            for at, i in enumerate(self._inputs)
            for p in (self.params[i],)
            if p.is_buffer and any(not isinstance(x, int) for x in p.shape)
        ]
        self._scalars = [
            (at, self.params[i])
            for at, i in enumerate(self._inputs)
            if not self.params[i].is_buffer
        ]
        self._addresses = [
            (at, self.params[i]) for at, i in enumerate(self._inputs) if self.params[i].is_address
        ]
        # The launcher's integers have a sign.
        self._unsigned = [
            (at, i, self.params[i])
            for at, i in enumerate(self._inputs)
            if not self.params[i].is_buffer
            and self.params[i].dtype.is_unsigned
            and not self.params[i].dtype.is_bool
        ]
        self._conditions = bool(self.prim_func.promises) or any(
            isinstance(x, Expr) for grid in self.prim_func.grids for x in grid
        )
        # Nothing but the launcher has to look at the arguments of such a kernel.
        self.fixed = (
            not self._dynamic
            and not self._conditions
            and not self._addresses
            and not self._unsigned
            and not self.prim_func.workspaces
            and not self.prim_func.views
            and len(self.executables) == 1
        )
        self._launcher = getattr(self.executables[0], "launcher", self.executables[0])
        tail = list(range(len(self._inputs), len(self.params)))
        self._outputs_last = self.out_idx == tail
        self._made = None
        self._forget()
        if not self.out_idx:
            self.remember_in(self, takes_stream=True)

    def remember_in(self, table, others=(), keywords=None, takes_stream=False):
        """Has calls of `table` with this kernel's inputs, `others` behind them and these keywords
        launch it without a Python function, where nothing but the launcher has to look at them."""
        if not self.fixed or not isinstance(self._launcher, Kernel):
            return
        outputs = None
        if self.out_idx:
            torch = sys.modules.get("torch")
            tensors = [at for at, i in enumerate(self._inputs) if self.params[i].is_buffer]
            if torch is None or not self._outputs_last or not tensors:
                return
            on_gpu = self.target.startswith("cuda")
            outputs = remembered_outputs(torch, tensors[0], self._torch_outputs(), on_gpu)
        table._remember(self._launcher, len(self._inputs), others, keywords, outputs, takes_stream)

    def _torch_outputs(self):
        """Shape and type of each output, of which all are known."""
        if self._made is None:
            parameters = [self.params[i] for i in self.out_idx]
            self._made = [(packed(p.shape, p.dtype), p.dtype.as_torch()) for p in parameters]
        return self._made

    def _call(self, *args, stream=None, **kwargs):
        """Calls that are not remembered (CallTable)."""
        try:
            return self._call_apart(*args, stream=stream, **kwargs)
        except ArgumentError as error:
            kernel = self._for_overlap(error)
            if kernel is None:
                raise
        return kernel._call(*args, stream=stream, **kwargs)

    def _for_overlap(self, error):
        """The kernel for the call that this error refused; None where no overlap is its reason."""
        names = None if hasattr(error, "has_run") else _OVERLAP.search(str(error))
        return names and self._kernel_overlapping(frozenset(names.groups()))

    def _call_apart(self, *args, stream=None, **kwargs):
        """A call in which the memory of no two arguments overlaps that are not said to."""
        if kwargs:
            args = self._named(args, kwargs)
        nulls = self._nulls(args) if self.prim_func.asks_null else frozenset()
        if nulls != self.prim_func.nulls:
            return self._kernel_without(nulls)._call(*args, stream=stream)
        if nulls:
            names = [self._name_at(args, at) for at in range(len(args))]
            args = tuple(None if name in nulls else x for name, x in zip(names, args))
        if self._addresses and len(args) == len(self._inputs):
            args = self._at_addresses(args)
        if self._unsigned and len(args) in (len(self._inputs), len(self.params)):
            args = self._with_signs(args)
        if any(x is None for x in args):
            args = self._without_none(args)
        if stream is None and self.fixed and len(args) == len(self._inputs):
            return self._launch_fixed(*args)
        if len(args) != len(self._inputs):
            # All arguments may be given, outputs too: then nothing is allocated.
            if len(args) != len(self.params) or not self.out_idx:
                expected = ", ".join(self.params[i].name for i in self._inputs)
                raise ArgumentError(
                    f"{self.name}: expected {len(self._inputs)} arguments ({expected}), got"
                    f" {len(args)}"
                )
            self._run(args, [], args, stream)
            return None
        sizes = self._sizes(args) if self._dynamic or self._conditions else {}
        outputs = self._allocate(args, sizes)
        if outputs:
            every = [None] * len(self.params)
            for i, x in zip(self._inputs, args):
                every[i] = x
            for i, x in zip(self.out_idx, outputs):
                every[i] = x
        else:
            every = args
        self._run(every, sizes, args, stream)
        if not outputs:
            return None
        return outputs[0] if len(outputs) == 1 else outputs

    def _name_at(self, args, at):
        """The name of the argument at a place of a call, which may have the outputs, too."""
        return self.params[self._inputs[at] if len(args) == len(self._inputs) else at].name

    def _nulls(self, args):
        """Names of the arguments that T.isnullptr is asked of and that are not there."""
        if len(args) not in (len(self._inputs), len(self.params)):
            return self.prim_func.nulls  # which is an error of its own
        names = {
            self._name_at(args, at)
            for at, x in enumerate(args)
            if x is None or (type(x) is int and x == 0)
        }
        return self.prim_func.asks_null & names

    def _kernel_without(self, nulls):
        """The kernel for calls in which these arguments are not there."""
        if nulls not in self._without:
            self._without[nulls] = JITKernel(
                self.prim_func.without(nulls),
                self.out_idx,
                self.target,
                self.pass_configs,
                compile_flags=self.compile_flags,
            )
        return self._without[nulls]

    def _kernel_overlapping(self, names):
        """The kernel for calls in which these arguments overlap: nothing that it reads of one is
        kept while it writes another. None where it says so of them already."""
        if names not in self._overlapping:
            function = self.prim_func.overlapping(names)
            again = function.modules != self.prim_func.modules
            self._overlapping[names] = again and JITKernel(
                function,
                self.out_idx,
                self.target,
                self.pass_configs,
                compile_flags=self.compile_flags,
            )
        return self._overlapping[names] or None

    def _at_addresses(self, args):
        """The arguments with tensors in place of addresses (T.ptr) that are numbers."""
        sizes, result = self._sizes(args), list(args)
        for at, parameter in self._addresses:
            if not isinstance(args[at], int) or isinstance(args[at], bool):
                continue
            shape = tuple(evaluate(x, sizes) for x in parameter.shape)
            if None in shape or args[at] <= 0:
                raise ArgumentError(
                    f"{self.name}: argument {at} ('{parameter.name}'): expected an address of a"
                    f" tensor of shape {list(parameter.shape)}, got {args[at]}"
                )
            kind = parameter.dtype.as_numpy()
            shape = packed(shape, parameter.dtype)
            result[at] = memory_at(args[at], shape, kind, self.target.startswith("cuda"))
        return tuple(result)

    def _with_signs(self, args):
        """The arguments with the signed integer of the same bits in place of each unsigned one."""
        result, alone = list(args), len(args) == len(self._inputs)
        for at, i, parameter in self._unsigned:
            place, bits = at if alone else i, parameter.dtype.bits
            try:
                value = operator.index(result[place])
            except TypeError:
                continue  # the launcher's error says it
            if not 0 <= value < 2**bits:
                raise ArgumentError(
                    f"{self.name}: argument {place} ('{parameter.name}'): expected an integer that"
                    f" fits {parameter.dtype}, from 0 to 2^{bits} - 1, got {value}"
                )
            result[place] = value - 2**bits if value >> (bits - 1) else value
        return tuple(result)

    def _without_none(self, args):
        """The arguments with memory in place of each None, which what the kernel never touches may
        be."""
        places = self._inputs if len(args) == len(self._inputs) else range(len(self.params))
        missing = [
            (at, self.params[i]) for at, i in zip(range(len(args)), places) if args[at] is None
        ]
        sizes = self._sizes(args) if len(args) == len(self._inputs) else {}
        result = list(args)
        for at, parameter in missing:
            if parameter.touched:
                expected = f"a tensor of {parameter.dtype}" if parameter.is_buffer else "a number"
                raise ArgumentError(
                    f"{self.name}: argument {at} ('{parameter.name}') is None, but the kernel uses"
                    " it;"
                    f" expected {expected}"
                )
            for extent in parameter.shape:
                for x in walk(extent) if isinstance(extent, Expr) else ():
                    if type(x) is Variable and x.name not in sizes:
                        sizes[x.name] = self._size_of_none(x.name)
            result[at] = self._empty(parameter, sizes, args)
        return tuple(result)

    def _size_of_none(self, name):
        """A size that only tensors have which are None: zero, where it is one tensor's or not
        used."""
        holders = [
            p.name for p in self.params if any(getattr(x, "name", None) == name for x in p.shape)
        ]
        if name in self.prim_func.measured and len(holders) > 1:
            raise LaunchError(
                f"{self.name}: {name} is an extent of {', '.join(holders)}, which are all None; "
                f"at least one non-null buffer must be given"
            )
        return 0

    def _launch_fixed(self, *args):
        """A call of a kernel whose sizes are all known: allocates the outputs and launches."""
        if not self.out_idx:
            return self._launcher(*args)
        torch = sys.modules.get("torch")
        if torch is not None and self._outputs_last and args and type(args[0]) is torch.Tensor:
            device = args[0].device
            outputs = [empty_torch(x, kind, device) for x, kind in self._torch_outputs()]
            self._launcher(*args, *outputs)
            self.remember_in(self, takes_stream=True)
        else:
            outputs = self._allocate(args, {})
            every = [None] * len(self.params)
            for i, x in zip(self._inputs, args):
                every[i] = x
            for i, x in zip(self.out_idx, outputs):
                every[i] = x
            self._launcher(*every)
        return outputs[0] if len(outputs) == 1 else outputs

    def _check_sizes(self, sizes):
        """Raises LaunchError for an empty grid, and for a promise (T.assume) that is broken."""
        for grid in self.prim_func.grids:
            for x in grid:
                if isinstance(x, Expr) and evaluate(x, sizes) == 0:
                    raise LaunchError(
                        f"{self.name}: the extent {written(x)} of the grid is 0; expected at least"
                        " one block"
                    )
        for condition in self.prim_func.promises:
            holds = evaluate(condition, sizes)
            if holds is not None and not holds:
                raise LaunchError(f"{self.name}: Assume: {written(condition)} does not hold")

    def _run(self, every, sizes, args, stream):
        if self._conditions and sizes:
            self._check_sizes(sizes)
        extra = [self._empty(p, sizes, args) for p in self.prim_func.workspace_params]
        for parameter, base in self.prim_func.views:
            extra.append(self._view(every[base], parameter, sizes))
        options = {} if stream is None else {"stream": stream}
        self._run_from(0, (*every, *extra), options)

    def _run_from(self, first, args, options):
        """Runs the kernels of the function from one on. Where the arguments of one overlap, the
        kernels in front of it have run: those for overlapping arguments take over from it on."""
        for at in range(first, len(self.executables)):
            try:
                self.executables[at](*args, **options)
            except ArgumentError as error:
                kernel = self._for_overlap(error) if at else None
                if kernel is None:
                    if at:
                        error.has_run = True  # so nobody begins the call again
                    raise
                kernel._run_from(at, args, options)
                return

    def _named(self, args, kwargs):
        names = [self.params[i].name for i in self._inputs]
        values = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                raise ArgumentError(
                    f"{self.name}: no argument is named {name}; expected {', '.join(names)}"
                )
            if name in values:
                raise ArgumentError(f"{self.name}: the argument {name} is given twice")
            values[name] = value
        missing = [x for x in names if x not in values]
        if missing:
            raise ArgumentError(f"{self.name}: the arguments {', '.join(missing)} are missing")
        return tuple(values[x] for x in names)

    def _sizes(self, args):
        """The sizes that this call chooses, by name; extents of one name must be equal."""
        sizes, origin = {}, {}
        for at, p in self._scalars:
            sizes[p.name] = plain(args[at], p.dtype)
            origin[p.name] = p.name
        for at, _, p in self._checked:
            shape = getattr(args[at], "shape", None)
            if shape is None or len(shape) != len(p.shape):
                continue  # the launcher's error says it
            for d, extent in enumerate(p.shape):
                if type(extent) is not Variable:
                    continue
                known = sizes.get(extent.name)
                if known is None:
                    sizes[extent.name], origin[extent.name] = (
                        int(shape[d]),
                        f"dimension {d} of {p.name}",
                    )
                elif known != shape[d]:
                    raise ArgumentError(
                        f"{self.name}: dimension {d} of {p.name} is {shape[d]}, but {extent.name}"
                        f" is {known} ({origin[extent.name]})"
                    )
        for at, _, p in self._checked:
            for d, extent in enumerate(p.shape[: len(getattr(args[at], "shape", ()))]):
                if type(extent) is Op:
                    self._solve(extent, int(args[at].shape[d]), sizes)
        for at, _, p in self._checked:
            shape = getattr(args[at], "shape", ())
            for d, extent in enumerate(p.shape[: len(shape)]):
                if type(extent) is Op:
                    wanted = evaluate(extent, sizes)
                    if wanted is not None and wanted != shape[d]:
                        raise ArgumentError(
                            f"{self.name}: dimension {d} of {p.name} is {shape[d]}, expected"
                            f" {extent!r} = {wanted}"
                        )
        return sizes

    def _solve(self, extent, size, sizes):
        """The one name in an extent such as n * 4 + 1, from its size."""
        terms, rest = linear(extent)
        if len(terms) == 1:
            factor, atom = next(iter(terms.values()))
            if (
                type(atom) is Variable
                and atom.name not in sizes
                and factor > 0
                and (size - rest) % factor == 0
            ):
                sizes[atom.name] = (size - rest) // factor

    def _allocate(self, args, sizes):
        return [self._empty(self.params[i], sizes, args) for i in self.out_idx]

    def _empty(self, parameter, sizes, args):
        shape = tuple(evaluate(x, sizes) for x in parameter.shape)
        if None in shape:
            raise ArgumentError(
                f"{self.name}: the shape {list(parameter.shape)} of {parameter.name} does not"
                " follow from the arguments"
            )
        torch = sys.modules.get("torch")
        tensor = getattr(torch, "Tensor", None)
        kind, inner = parameter.dtype, packed(shape, parameter.dtype)
        if tensor is not None:
            for x in args:
                if isinstance(x, tensor):
                    return empty_torch(inner, kind.as_torch(), x.device)
        on_cpu = self.target.startswith(("cpu", "lowered"))
        array = None if on_cpu else next(filter(lies_on_gpu, args), None)
        if tensor is not None and (
            array is not None
            and not is_cupy(array)
            or not any(hasattr(x, "__array__") for x in args)
        ):
            return empty_torch(inner, kind.as_torch(), "cpu" if on_cpu else "cuda")
        if array is not None:
            return empty_cupy(self.name, parameter, shape, array)
        import numpy

        return numpy.empty(packed(shape, parameter.dtype), parameter.dtype.as_numpy())

    def _view(self, tensor, parameter, sizes):
        """The memory of an argument under another shape or type."""
        shape = packed(tuple(evaluate(x, sizes) for x in parameter.shape), parameter.dtype)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(tensor, torch.Tensor):
            kind = parameter.dtype.as_torch()
            flat = tensor.view(-1)
            return (flat if flat.dtype == kind else flat.view(kind)).view(shape)
        kind = parameter.dtype.as_numpy()
        if not tensor.flags.c_contiguous:
            raise ArgumentError(
                f"{self.name}: expected a contiguous array, since the kernel sees it as"
                f" {parameter.name} of shape {list(shape)}"
            )
        flat = tensor.reshape(-1)
        return (flat if flat.dtype == kind else flat.view(kind)).reshape(shape)

    # Reading.
    def get_profiler(self, tensor_supply_type=None):
        """Measures the kernel, and compares it with references."""
        from mlir_tile.profiler import Profiler, TensorSupplyType

        return Profiler(
            self.params,
            self.out_idx,
            tensor_supply_type if tensor_supply_type is not None else TensorSupplyType.Auto,
            self,
        )

    @property
    def dynamic_symbolic_map(self):
        """Sizes that each call chooses: name to (position of an argument, dimension)."""
        found = {}
        for i, p in enumerate(self.params):
            for d, extent in enumerate(p.shape):
                if type(extent) is Variable:
                    found.setdefault(extent.name, (i, d))
        return found

    def explain(self, arch=None):
        """What the compiler decided, by source line."""
        from mlir_tile.explain import explain

        return explain(self.prim_func, arch or architecture_of(self.target), roles=self._roles())

    def layouts(self, arch=None):
        """Layouts of the kernel's buffers."""
        from mlir_tile.layout import layouts

        return layouts(self.prim_func, arch or architecture_of(self.target), roles=self._roles())

    def _roles(self):
        """Whether the compiler may divide warps into roles, by the pass configurations."""
        return compile_options(self.pass_configs).roles

    def update_tuner_result(self, latency, config, ref_latency):
        self.latency, self.config, self.ref_latency = latency, config, ref_latency
        return self

    def get_tuner_result(self):
        return {"latency": self.latency, "config": self.config, "ref_latency": self.ref_latency}

    @property
    def remarks(self) -> str:
        """The compiler's decisions and their reasons, at their source lines."""
        return "".join(executable.remarks for executable in self.executables)

    @property
    def adapter(self):
        return self

    def __repr__(self):
        return f"<JITKernel {self.name} on {self.target}>"


def memory_at(address, shape, kind, on_gpu):
    """The tensor of elements of numpy's type `kind` at an address, as its owner keeps it."""
    import ctypes
    from types import SimpleNamespace

    import numpy

    if on_gpu:
        letter = kind.str if kind.kind != "V" else f"<u{kind.itemsize}"
        about = {"shape": shape, "typestr": letter, "data": (address, False), "version": 3}
        return SimpleNamespace(__cuda_array_interface__=about)
    size = kind.itemsize
    for x in shape:
        size *= x
    memory = (ctypes.c_char * size).from_address(address)
    return numpy.frombuffer(memory, numpy.uint8).view(kind).reshape(shape)


def _positions(out_idx, count, name):
    """Positions of outputs as a list of numbers from zero."""
    if out_idx is None:
        return []
    listed = list(out_idx) if isinstance(out_idx, (list, tuple)) else [out_idx]
    result = []
    for x in listed:
        if not isinstance(x, int) or not -count <= x < count:
            raise ArgumentError(
                f"{name}: out_idx {x!r} is no argument's position; there are {count} arguments"
            )
        result.append(x % count)
    return result


def compile_options(pass_configs):
    """The options of the compiler that TileLang's pass configurations stand for."""
    from mlir_tile.compat.passes import options_of
    from mlir_tile.execution import CompileOptions

    options = options_of(pass_configs)
    if isinstance(options.get("roles"), bool):
        options["roles"] = "auto" if options["roles"] else "off"
    # What a kernel of this process says of its memory is as good as what Python says.
    return CompileOptions(**options, allow_addresses=True)


def _compile(prim_func, target, pass_configs):
    from mlir_tile import execution

    options = compile_options(pass_configs)
    return [
        execution.compile(module, target=target, name=name, options=options)
        for module, name in zip(prim_func.modules, prim_func.kernel_names)
    ]
