# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a kernel's IR to something that is called with tensors.

    run = execution.compile(module, target="cuda")
    run(a, b, c)                 # on the stream that the tensors' library works on

Targets: `cpu`, this machine's CPU, by the dialect's meaning; `lowered:sm_90a`, the code of a
GPU, thread by thread on the CPU, with checks (docs/Lowered.md); `cuda`, the GPU that is
there; `cuda:sm_90a`, an architecture by name, which need not be there to compile for it;
`auto`, `cuda` where there is a GPU, else `cpu`.
"""

from __future__ import annotations

import dataclasses
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from . import cache
from .errors import ArgumentError, CompileError, LaunchError

__all__ = ["CompileOptions", "Executable", "Target", "adopt", "compile", "gpu_count", "resolve"]


@dataclasses.dataclass(frozen=True)
class CompileOptions:
    """How a kernel is compiled; the first group holds on every target."""

    tunables: Mapping[str, int] | str = ""
    """Values of tunables, `{"bm": 128}` or `"bm=128"`; the model chooses the others."""
    shape_hints: Mapping[str, int | Sequence[int]] | str = ""
    """Sizes of arguments to choose for: `{"A": (8192, 4096), "s": 4}`."""
    device: str = ""
    """The GPU that choices are made for (`H100-PCIe`); "": the one there, else the usual."""
    optimize: bool = True
    """LLVM's -O3."""
    line_info: bool = False
    """Line tables, from the locations of the IR, for profilers and debuggers."""
    fast_math: bool = False
    """Math functions by approximate instructions (docs/Rationale/Math.md)."""
    guards: bool = True
    """On a GPU: elements of tiles in shared memory whose indices may lie outside read as zero there and
    are not written. Without, the program promises that no index does."""
    roles: str = "auto"
    """Whether warps are divided into roles: `auto`, `on`, `off`."""
    versions: bool = True
    """A second version of the code for aligned arguments."""
    ptxas: str = ""
    """Path of the assembler; "": ptxas on PATH, else nvJitLink."""
    checked: bool = True
    """On the CPU: indices outside of a buffer fail, instead of writing over the process's
    memory. Without, element-wise loops are up to 1.5 times faster; products are not."""
    poison: bool = False
    """On the CPU: NaNs are where nothing has been written."""
    lazy_async: bool = False
    """On the CPU: asynchronous operations happen when they are awaited."""
    workers: int = 0
    """Threads of the CPU; 0: one for each core."""
    blocks: int = 0
    """On the CPU: blocks launched of a kernel with block ranges; 0: the whole grid."""
    allow_addresses: bool = False
    """On the CPU: the kernel may use any memory of this process, by its address
    (`tile.from_address`): for programs that are trusted as the caller is."""
    seed: int = 1
    """Lowered: decides the order of threads and of asynchronous operations."""


@dataclasses.dataclass(frozen=True)
class Target:
    """Where a kernel runs: `kind` is `cpu`, `lowered` or `cuda`."""

    kind: str
    arch: str = ""
    """`sm_90a`; "" on the CPU: that of the module, else sm_80."""
    device: str = ""
    """The name of the figures of the GPU that is there."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.arch}" if self.arch else self.kind


def gpu_count() -> int:
    """The number of GPUs of this machine; 0 where there is no driver."""
    from ._mlir_libs import _launch

    try:
        return _launch.device_count()
    except LaunchError:
        return 0


def resolve(target: str | Target, ordinal: int = 0) -> Target:
    """Reads a target; `cuda` and `auto` ask the driver for GPU `ordinal`.

    Raises ArgumentError for a target that is none, LaunchError where `cuda` finds no GPU.
    """
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):
        raise ArgumentError(f"target: expected a string, got {type(target).__name__}")
    kind, _, arch = target.partition(":")
    if kind == "auto" and not arch:
        kind = "cuda" if gpu_count() else "cpu"
    if kind not in ("cpu", "lowered", "cuda") or (arch and not re.fullmatch(r"sm_\d+[af]?", arch)):
        raise ArgumentError(
            f"target: expected auto, cpu, lowered:sm_90a, cuda or cuda:sm_90a, got '{target}'"
        )
    if kind != "cuda" or arch:
        return Target(kind, arch)
    from ._mlir_libs import _launch, _tile

    info = _launch.device_info(ordinal)
    major, minor = info["major"], info["minor"]
    arch = _tile.arch_of_capability(major, minor)
    if arch is None:
        raise LaunchError(
            "expected a GPU of compute capability 8.0 or later, got "
            f"{major}.{minor} ({info['name']})"
        )
    device = _tile.device_of_name(info["name"], major, minor, info["multiprocessors"])
    return Target("cuda", arch, device)


def _list_text(values: Mapping[str, Any] | str) -> str:
    """`{"A": (8192, 4096), "s": 4}` as the compiler reads it: `A=8192x4096,s=4`."""
    if isinstance(values, str):
        return values
    parts = []
    for name, value in values.items():
        sizes = value if isinstance(value, (tuple, list)) else (value,)
        parts.append(f"{name}=" + "x".join(str(int(size)) for size in sizes))
    return ",".join(parts)


class _Source:
    """IR as the compiler takes it, and as a key."""

    def __init__(self, source: Any):
        if isinstance(source, str):
            self.data = source.encode()
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self.data = bytes(source)
        elif hasattr(source, "operation"):
            stream = io.BytesIO()
            source.operation.write_bytecode(stream)
            self.data = stream.getvalue()
        else:
            raise ArgumentError(
                f"source: expected an ir.Module, MLIR text or bytecode, got {type(source).__name__}"
            )
        self.operation = getattr(source, "operation", None)

    def identity(self, line_info: bool) -> bytes:
        """What the code follows from. Locations are for diagnostics, unless `line_info`:
        a kernel that moves in its file is the same kernel."""
        if self.operation is None or line_info:
            return self.data
        return self.operation.get_asm(enable_debug_info=False, assume_verified=True).encode()

    def text(self) -> str:
        if self.data[:4] != b"ML\xefR":
            return self.data.decode()
        from . import ir

        with ir.Context():
            return str(ir.Module.parse(self.data))


class Executable:
    """A kernel that has been compiled. Made by `compile`.

    Calling it takes one argument for each of the kernel, in order: tensors, which the kernel
    reads and writes in place, and numbers. `launcher` is the object behind it: calling that
    costs less than a call of a Python function.
    """

    def __init__(self, source: _Source, target: Target, options: CompileOptions):
        self._source = source
        self.target = target
        self.options = options
        self.launcher: Any = None
        self.name = ""
        self.manifest: dict = {}
        """The kernel's entry of the manifest (docs/Artifact.md): arguments, grid, threads."""
        self.diagnostics = ""
        """What the compiler said: warnings; "" where the kernel was in the cache."""

    def __call__(self, *args: Any, stream: Any = None) -> None:
        """Launches the kernel, or runs it on the CPU; see the class.

        `stream`: a stream of PyTorch or CuPy, an object with `__cuda_stream__`, an address;
        None: the one that the library of the tensors works on. Raises ArgumentError, which
        names the argument, or LaunchError.
        """
        if stream is None:
            self.launcher(*args)
        else:
            self.launcher(*args, stream=stream)

    def __repr__(self) -> str:
        return f"<mlir_tile kernel '{self.name}' for {self.target}>"

    @property
    def arguments(self) -> list[dict]:
        """Of each argument: name, kind, type, shape, strides, access (docs/Artifact.md)."""
        return self.manifest["args"]

    def emit(self, output: str, arch: str = "") -> bytes:
        """Compiles to `ptx`, `cubin`, `llvmir`, `nvvm` or `artifact`.

        `arch`: default: the target's, else the module's, else sm_80.
        """
        data, _ = _compile_gpu(self._source, self._gpu_target(arch), self.options, output)
        return data

    def _gpu_target(self, arch: str = "") -> Target:
        if arch or self.target.arch:
            return Target("cuda", arch or self.target.arch, self.target.device)
        stated = re.search(rb'tile\.target = #tile\.target<"(sm_\w+)"', self._source.data)
        return Target("cuda", stated[1].decode() if stated else "sm_80")

    @cached_property
    def ptx(self) -> str:
        """PTX of the target's architecture; of sm_80 for a kernel on the CPU."""
        return self.emit("ptx").decode()

    @cached_property
    def artifact(self) -> bytes:
        """Code and manifest as one file's bytes, which libtile_runtime launches."""
        return self.emit("artifact")

    @cached_property
    def ir(self) -> str:
        """The kernel's IR, as it was compiled."""
        return self._source.text()

    @cached_property
    def remarks(self) -> str:
        """The compiler's decisions and their reasons, at their source lines."""
        target = self._gpu_target()
        return _compile_gpu(self._source, target, self.options, "artifact", remarks=True)[1]

    def load(self, device: int = 0) -> dict:
        """Puts the code on a GPU before the first launch there; says what it takes: arch,
        registers and local_bytes a thread, static_shared bytes, max_threads, function."""
        return self.launcher.load(device)

    def close(self) -> None:
        """Gives the code back; calls fail from then on."""
        self.launcher.close()


# -- compiling ---------------------------------------------------------------------------


def _failed(diagnostics: str) -> CompileError:
    """The error: its lines, without the warnings and remarks around it."""
    blocks = re.split(
        r"(?m)^(?=\S.*: (?:error|warning|remark): |(?:error|warning|remark): )", diagnostics
    )
    errors = [block for block in blocks if re.match(r"(?:.*: )?error: ", block)]
    return CompileError("".join(errors).rstrip() or diagnostics.rstrip(), diagnostics)


def _compile_gpu(
    source: _Source, target: Target, options: CompileOptions, output: str, remarks: bool = False
) -> tuple[bytes, str]:
    from ._mlir_libs import _tile

    data, diagnostics = _tile.compile(
        source.data,
        arch=target.arch,
        output=output,
        optimize=options.optimize,
        line_info=options.line_info,
        remarks=remarks,
        ptxas=options.ptxas,
        versions=options.versions,
        fast_math=options.fast_math,
        shape_hints=_list_text(options.shape_hints),
        tunables=_list_text(options.tunables),
        roles=options.roles,
        device=options.device or target.device,
        guards=options.guards,
    )
    if data is None:
        raise _failed(diagnostics)
    return data, diagnostics


def _pick(kernels: list[dict], name: str | None) -> int:
    names = [kernel["name"] for kernel in kernels]
    if name is None and len(names) == 1:
        return 0
    if name in names:
        return names.index(name)
    got = "none" if name is None else f"'{name}'"
    raise ArgumentError(f"name: expected a kernel of the module ({', '.join(names)}), got {got}")


def _make_host(executable: Executable, name: str | None) -> None:
    from ._mlir_libs import _launch, _tile

    target, options = executable.target, executable.options
    program, manifests, diagnostics = _tile.compile_program(
        executable._source.data,
        kind=target.kind,
        arch=target.arch,
        device=options.device,
        shape_hints=_list_text(options.shape_hints),
        tunables=_list_text(options.tunables),
        check_accesses=options.checked,
        poison=options.poison,
        lazy_async=options.lazy_async,
        blocks=options.blocks,
        allow_addresses=options.allow_addresses,
        optimize=options.optimize,
        versions=options.versions,
        fast_math=options.fast_math,
        roles=options.roles,
        seed=options.seed,
    )
    if program is None:
        raise _failed(diagnostics)
    kernels = [json.loads(text)["kernels"][0] for text in manifests]
    index = _pick(kernels, name)
    executable.manifest = kernels[index]
    executable.name = executable.manifest["name"]
    executable.diagnostics = diagnostics
    executable.launcher = _launch.host_kernel(program, index, manifests[index], options.workers)


def _make_device(executable: Executable, name: str | None, artifact: bytes) -> None:
    from ._mlir_libs import _launch

    kernels = json.loads(_launch.manifest(artifact))["kernels"]
    executable.manifest = kernels[_pick(kernels, name)]
    executable.name = executable.manifest["name"]
    executable.artifact = artifact
    executable.launcher = _launch.device_kernel(artifact, executable.name)


def _keys(
    source: _Source, target: Target, name: str | None, options: CompileOptions
) -> tuple[str, str]:
    """Of the kernel in memory, and of the artifact on disk, which all kernels of a module
    share."""
    fields = dataclasses.asdict(
        dataclasses.replace(
            options,
            tunables=_list_text(options.tunables),
            shape_hints=_list_text(options.shape_hints),
            device=options.device or target.device,
        )
    )
    artifact = cache.make_key(
        source.identity(options.line_info), str(target), json.dumps(fields, sort_keys=True)
    )
    return f"{artifact} {name or ''}", artifact


def compile(
    source: Any,
    *,
    target: str | Target = "auto",
    name: str | None = None,
    options: CompileOptions | None = None,
) -> Executable:
    """Compiles a kernel, or takes it from the cache.

    `source`: an ir.Module, which is copied, MLIR text or bytecode. `target`: see the module.
    `name`: of the kernel, where there are several. Raises CompileError with the place of each
    error, ArgumentError for a target or name that is none, LaunchError where there is no GPU
    to ask. Other Python threads run meanwhile.
    """
    options = CompileOptions() if options is None else options
    if not isinstance(options, CompileOptions):
        raise ArgumentError(f"options: expected CompileOptions, got {type(options).__name__}")
    resolved = resolve(target)
    code = _Source(source)
    if not cache.is_enabled():
        return _make(code, resolved, name, options, None)
    memory_key, disk_key = _keys(code, resolved, name, options)
    executable = cache.recall(memory_key)
    if executable is None:
        executable = _make(code, resolved, name, options, disk_key)
        cache.remember(memory_key, executable)
    return executable


def _make(
    source: _Source, target: Target, name: str | None, options: CompileOptions, key: str | None
) -> Executable:
    executable = Executable(source, target, options)
    if target.kind != "cuda":
        _make_host(executable, name)
        return executable
    artifact = cache.load(key) if key else None
    if artifact is None:
        artifact, executable.diagnostics = _compile_gpu(source, target, options, "artifact")
        if key:
            cache.store(key, artifact)
    _make_device(executable, name, artifact)
    return executable


def adopt(
    source: Any,
    artifact: bytes,
    *,
    target: str | Target = "auto",
    name: str | None = None,
    options: CompileOptions | None = None,
) -> Executable:
    """Takes an artifact that another process compiled of the same source, for the same target
    and with the same options, into the cache: `compile` finds it there from now on."""
    options = options or CompileOptions()
    resolved = resolve(target)
    if resolved.kind != "cuda":
        raise ArgumentError(f"target: expected a GPU for an artifact, got '{resolved}'")
    executable = Executable(_Source(source), resolved, options)
    _make_device(executable, name, artifact)
    if cache.is_enabled():
        memory_key, disk_key = _keys(executable._source, resolved, name, options)
        cache.store(disk_key, artifact)
        cache.remember(memory_key, executable)
    return executable
