# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler decided for a kernel, why, and what to write to change it.

`explain(source, arch)` gives an `Explanation`: it prints itself as text, shows itself in a
notebook, and has everything as data. `ir_after_each_pass` and `timeline` show the way
through the compiler and the slots of the pipeline. Nothing here needs a GPU.
"""

import html
import json
import re
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mlir_tile.errors import ArgumentError

from . import _timeline
from ._mlir_libs import _tile
from ._pipeline import CompileError, Place, Program, Said, option_text, place_of
from .passmanager import PassManager


@dataclass(frozen=True)
class Decision:
    """One decision: at a place in the source, on an operation; `change` says what to write
    for another, and is empty where nothing does. `notes` are pairs of a place and a text."""

    place: Place
    operation: str
    decision: str
    reason: str = ""
    change: str = ""
    severity: str = "remark"
    notes: tuple = ()

    def __str__(self):
        text = f"{self.decision}" + (f": {self.reason}" if self.reason else "")
        return f"{self.place}: {self.operation}: {text}"


@dataclass
class KernelReport:
    """What one kernel takes, per thread or per block, and how that fits a multiprocessor.

    Sizes are bytes. `registers` is None where nothing could assemble the code. `estimate` is
    the cost model's (see `tile-c/Analysis.h`), or a text that says why there is none."""

    name: str
    threads: int
    shared_bytes: int
    registers: "int | None" = None
    spill_bytes: int = 0
    stack_bytes: int = 0
    blocks_per_multiprocessor: "int | None" = None
    occupancy: "float | None" = None
    limited_by: str = ""
    estimate: "dict | str | None" = None
    roofline: list = field(default_factory=list)


# What a decision begins with -> what changes it, where the remark does not say so itself.
_CHANGES = [
    (r"chose plan", "`policy` or `plan` on the gemm"),
    (r".* copy: ", "`prefer` or `disable_tma` on the copy"),
    (r"shared memory: ", "`layout(#tile.shared_layout<...>)` on the tile"),
    (r"shared by", "`cluster(...)` of the kernel"),
    (r"loaded through", "`prefer` or `disable_tma` on the copy"),
    (r"'.*' (takes|spills)", "`threads(...)` of the kernel, or smaller fragments"),
    (r"chose ", "`tunables`, or `shape_hints` of the sizes to choose for"),
]
# The same in the words of `mlir_tile.language`, for what stands in a Python file.
_CHANGES_IN_PYTHON = [
    (r"chose plan", "`policy=T.GemmWarpPolicy...` of T.gemm"),
    (r".* copy: ", "`prefer_instruction=` or `disable_tma=True` of T.copy"),
    (r"shared memory: ", "`T.annotate_layout({...})`"),
    (r"(not )?pipelined|\d+ stages instead of", "`num_stages=` of T.Pipelined; 1 overlaps nothing"),
    (r"warps (not )?specialized", "the pass configuration `tl.disable_warp_specialized`"),
    (r"stored|loaded", "`T.annotate_layout({...})`, or rows of multiples of 16 bytes"),
    (r"'.*' (takes|spills)", "`threads=` of T.Kernel, or smaller fragments"),
]
# A decision that a colon does not end.
_WHOLE = re.compile(
    r"(.* copy|atomic|shared memory|pipelined|warps specialized|two blocks multiply together): "
)


# What follows a reason, and is no advice: remarks end with that where they have some.
_REASON = re.compile(r"next |\d|copies keep|not the cheapest|.* not taken: ")


def _split(message, in_python=False):
    """(decision, reason, change) of a remark; the change as one writes it in Python or in IR."""
    head, *rest = message.split("; ")
    change = [
        part
        for part in rest
        if not _REASON.match(part) and ("`" in part or part is rest[-1])
    ]
    reasons = [part for part in rest if part not in change]
    plan = re.match(r"(chose plan .*?>): (.*)", head)
    if plan:
        decision, reason = plan.groups()
    elif _WHOLE.match(head) or ": " not in head:
        decision, reason = head, ""
    else:
        decision, reason = head.split(": ", 1)
    if in_python:
        change = [text for start, text in _CHANGES_IN_PYTHON if re.match(start, message)] or change
    hint = re.search(r"\(([^()]*`[^()]*)\)", message)
    if not change and hint:
        change = [hint.group(1)]
    if not change:
        change = [text for start, text in _CHANGES if re.match(start, message)][:1]
    return decision, "; ".join(filter(None, [reason, *reasons])), "; ".join(change)


class Explanation:
    """Decisions per source line, resources, occupancy and roofline of a module's kernels."""

    def __init__(self, arch, device, decisions, kernels, program, rings):
        self.arch = arch
        self.device = device
        self.decisions = decisions
        self.kernels = kernels
        self._program = program
        self._rings = rings

    def at(self, line: int) -> "list[Decision]":
        """The decisions of a source line."""
        return [each for each in self.decisions if each.place.line == line]

    def timeline(self) -> str:
        """The slots of the pipeline over time, as SVG."""
        return _timeline.draw(self._rings)

    def __str__(self):
        parts = [f"for {self.arch} ({self.device})"]
        for kernel in self.kernels:
            parts += _kernel_text(kernel)
        for place, decisions in self._by_place():
            line = self._program.source_line(place).strip()
            parts.append(f"\n{self._where(place)}" + (f": {line}" if line else ""))
            for each in decisions:
                parts.append(f"  {each.decision}")
                parts += [f"    why: {each.reason}"] if each.reason else []
                parts += [f"    to change it: {each.change}"] if each.change else []
        return "\n".join(parts)

    def _where(self, place):
        file = self._program.name if place.file in ("", "-") else place.file
        return f"{file}:{place.line}"

    def _by_place(self):
        lines = {}
        for each in self.decisions:
            lines.setdefault((each.place.file, each.place.line), []).append(each)
        return [(decisions[0].place, decisions) for _, decisions in sorted(lines.items())]

    def _repr_html_(self):
        rows = []
        for place, decisions in self._by_place():
            line = html.escape(self._program.source_line(place).strip())
            where = html.escape(self._where(place))
            rows.append(f'<tr><td>{where}</td><td colspan="3"><code>{line}</code></td></tr>')
            for each in decisions:
                cells = "".join(
                    f"<td>{html.escape(text)}</td>"
                    for text in (each.decision, each.reason, each.change)
                )
                rows.append(f"<tr><td></td>{cells}</tr>")
        kernels = "\n".join(html.escape(t) for k in self.kernels for t in _kernel_text(k))
        return (
            f"<div><p>for {html.escape(self.arch)} ({html.escape(self.device)})</p>"
            f"<pre>{kernels}</pre><table><tr><th>line</th><th>decision</th><th>why</th>"
            f"<th>to change it</th></tr>{''.join(rows)}</table>{self.timeline()}</div>"
        )


def _kernel_text(kernel):
    registers = "registers not known (no assembler)"
    if kernel.registers is not None:
        spills = f"{kernel.spill_bytes} bytes of spills" if kernel.spill_bytes else "no spills"
        registers = f"{kernel.registers} registers a thread, {spills}"
    lines = [
        f"'{kernel.name}': {kernel.threads} threads, {kernel.shared_bytes} bytes of shared memory, "
        + registers
    ]
    if kernel.occupancy is not None:
        blocks = kernel.blocks_per_multiprocessor
        lines.append(
            f"  {blocks} block{'' if blocks == 1 else 's'} on a multiprocessor, limited by "
            f"{kernel.limited_by}: {kernel.occupancy:.0%} of its threads"
        )
    if isinstance(kernel.estimate, dict):
        lines.append(
            f"  estimate: {kernel.estimate['microseconds']:.1f} us, limited by "
            f"{kernel.estimate['limit']}"
        )
        for name, microseconds, part in kernel.roofline:
            lines.append(f"    {name}: {microseconds:.1f} us ({part:.0%})")
    elif kernel.estimate:
        lines.append(f"  no estimate: {kernel.estimate}")
    return lines


def explain(
    source,
    arch: str = "",
    *,
    kernel: "str | None" = None,
    device: str = "",
    tunables: "dict[str, int] | None" = None,
    shape_hints: "dict[str, Sequence[int] | int] | None" = None,
    roles: str = "",
    name: str = "source",
) -> Explanation:
    """Explains the kernels of a program.

    `source`: MLIR text or bytecode, a module or a kernel. `arch`: an architecture ("sm_90a"),
    or "" for what the module says. `kernel` names one of several. `device` names a GPU.
    `tunables` and `shape_hints` are dictionaries, as of `layout.layouts`; the estimate is for
    the sizes in `shape_hints`. `roles`: whether warps are divided into roles, "auto", "on" or
    "off". `name`: the file that a text is from, in what is said.
    CompileError where the program is not valid.
    """
    program = Program(source, kernel=kernel, name=name)
    arch = _arch_of(program, arch)
    figures = _tile.target_figures(arch, device)
    given = {"tunables": tunables, "shape_hints": shape_hints, "device": device, "roles": roles}
    module, said = program.parse()
    written = {_key(op): op.operation.name for op in program.operations(module)}
    program.apply(module, "tile-to-nvvm", option_text(arch, remarks=True, **given))
    resources, assembled = _resources(program, arch, given)
    decisions = _decisions([*said, *assembled], written)
    kernels = _reports(program, arch, figures, given, resources)
    scheduled = program.run("tile-to-schedule", arch, **given)
    rings = _timeline.rings(program.operations(scheduled))
    return Explanation(arch, figures["device"], decisions, kernels, program, rings)


def _arch_of(program, arch):
    if arch:
        return arch
    module, _ = program.parse()
    if "tile.target" not in module.operation.attributes:
        raise ArgumentError("expected an architecture: arch='sm_90a', or `tile.target` on the module")
    return module.operation.attributes["tile.target"].arch


def _key(op):
    place = place_of(op.operation.location)
    return place.file, place.line, place.column


def _decisions(said, written):
    """Each thing that was said, once."""
    decisions = {}
    for each in said:
        place = each.place
        decision, reason, change = _split(each.message, place.file.endswith(".py"))
        operation = written.get((place.file, place.line, place.column), "")
        decisions[(place, each.message)] = Decision(
            place, operation, decision, reason, change, each.severity, each.notes
        )
    return list(decisions.values())


_TAKES = re.compile(r"'(\w+)' takes (\d+) registers a thread, and spills none")
_SPILLS = re.compile(
    r"'(\w+)' spills: (\d+) registers, (\d+) bytes of stack, (\d+) bytes of spill stores, "
    r"(\d+) bytes of spill loads"
)


def _resources(program, arch, given):
    """By kernel: the artifact's manifest, registers and spills; and remarks of the assembler."""
    module, _ = program.parse()
    sizes = option_text(shape_hints=given["shape_hints"]).removeprefix("hints=")
    fixed = option_text(tunables=given["tunables"]).removeprefix("tunables=")
    data, diagnostics = _tile.compile(
        module, arch=arch, device=given["device"], shape_hints=sizes, tunables=fixed,
        roles=given["roles"],
        versions=False, remarks=True,
    )  # fmt: skip
    if data is None:
        raise CompileError(diagnostics.strip())
    offset, size = struct.unpack("<QQ", data[32:48])
    resources = {
        entry["name"]: {"threads": entry["threads"], "shared_bytes": entry["shared_bytes"]}
        for entry in json.loads(data[offset : offset + size])["kernels"]
    }
    for name, registers in _TAKES.findall(diagnostics):
        resources.setdefault(name, {}).update(registers=int(registers))
    for name, registers, stack, stores, loads in _SPILLS.findall(diagnostics):
        spilled = int(stores) + int(loads)
        resources[name].update(
            registers=int(registers), stack_bytes=int(stack), spill_bytes=spilled
        )
    return resources, _said_of_assembler(program, module, diagnostics)


def _said_of_assembler(program, module, diagnostics):
    """Remarks about registers, at the kernels' places."""
    places = {
        program.kernel_name(op): place_of(op.operation.location) for op in program.kernels(module)
    }
    said = []
    for line in diagnostics.splitlines():
        found = _TAKES.search(line) or _SPILLS.search(line)
        if found and found.group(1) in places:
            message = line[found.start() :]
            said.append(Said("remark", places[found.group(1)], message))
    return said


def _reports(program, arch, figures, given, resources):
    """A report for each kernel, with tunables chosen."""
    options = option_text(arch, **given)
    module, _ = program.parse()
    target = f"arch={arch}" + (f" device={given['device']}" if given["device"] else "")
    program.apply(module, "tile-set-target", target)
    choice = " ".join(
        text.replace("tunables=", "values=")
        for text in options.split(" ")
        if text.startswith(("tunables=", "hints="))
    )
    program.apply(module, "tile-choose-tunables", choice)
    reports = []
    for op in program.kernels(module):
        name = program.kernel_name(op)
        report = KernelReport(name, **{"threads": 0, "shared_bytes": 0, **resources.get(name, {})})
        _fit(report, figures)
        _estimate(report, op, arch, figures, given)
        reports.append(report)
    return reports


def _fit(report, figures):
    """How many blocks a multiprocessor holds, and what limits them."""
    if report.registers is None or not report.threads:
        return
    warps = -(-report.threads // 32)
    per_warp = -(-report.registers * 32 // 256) * 256  # registers are dealt out by 256
    limits = {
        "threads": figures["threads_per_sm"] // report.threads,
        "registers": figures["registers_per_sm"] // (per_warp * warps),
        # The system keeps 1 KiB of each block's shared memory.
        "shared memory": figures["shared_per_sm"] // (report.shared_bytes + 1024),
        "the number of blocks": figures["blocks_per_sm"],
    }
    report.limited_by = min(limits, key=limits.get)
    report.blocks_per_multiprocessor = limits[report.limited_by]
    held = report.blocks_per_multiprocessor * report.threads
    report.occupancy = held / figures["threads_per_sm"]


def _estimate(report, op, arch, figures, given):
    """The cost model's estimate, and what each part of the machine would take alone."""
    hints = option_text(shape_hints=given["shape_hints"]).removeprefix("hints=")
    try:
        estimate = _tile.kernel_estimate(op.operation, arch, given["device"], hints)
    except ValueError as error:
        report.estimate = str(error)
        return
    report.estimate = estimate
    whole = estimate["microseconds"]
    cycles_per_us = estimate["gigahertz"] * 1e3
    l2 = figures["l2_bytes_per_cycle"] * figures["multiprocessors"] * cycles_per_us
    threads = estimate["thread_cycles"] / figures["multiprocessors"] / cycles_per_us
    parts = [
        ("tensor cores", estimate["tensor_part"] * whole),
        ("arithmetic of threads", threads),
        ("device memory", estimate["dram_bytes"] / figures["dram_bytes_per_second"] * 1e6),
        ("L2 cache", estimate["l2_bytes"] / l2),
    ]
    report.roofline = [(name, alone, alone / whole if whole else 0.0) for name, alone in parts]


def timeline(
    source,
    arch: str = "",
    *,
    kernel: "str | None" = None,
    tunables: "dict[str, int] | None" = None,
    shape_hints: "dict[str, Sequence[int] | int] | None" = None,
) -> str:
    """The slots of a kernel's pipeline over time, as SVG, read from the scheduled program."""
    program = Program(source, kernel=kernel)
    module = program.run(
        "tile-to-schedule", _arch_of(program, arch), tunables=tunables, shape_hints=shape_hints
    )
    return _timeline.draw(_timeline.rings(program.operations(module)))


def ir_after_each_pass(
    source, pipeline: str = "tile-to-nvvm", arch: str = "", *, only_changes: bool = True
) -> "list[tuple[str, str]]":
    """Pairs of a pass's name and the program behind it, as text, in order.

    `pipeline` is that of `PassManager.parse`: a pipeline's or a pass's name, or
    "builtin.module(...)" with options; `arch` is given to a pipeline named alone. With
    `only_changes`, passes that changed nothing are left out.
    """
    program = Program(source)
    module, _ = program.parse()
    text = pipeline
    if not text.startswith("builtin.module("):
        options = f"{{arch={arch}}}" if arch else ""
        text = f"builtin.module({pipeline}{options})"
    with tempfile.TemporaryDirectory() as folder, module.context:
        passes = PassManager.parse(text)
        passes.enable_ir_printing(print_after_change=only_changes, tree_printing_dir_path=folder)
        try:
            passes.run(module.operation)
        except Exception as error:
            if not hasattr(error, "error_diagnostics"):
                raise
            raise program._error(error) from None
        files = sorted(Path(folder).rglob("*.mlir"), key=_order)
        return [(_pass_name(file), file.read_text()) for file in files]


def _order(file):
    return [int(number) for number in re.match(r"([\d_]+)_", file.name).group(1).split("_")]


def _pass_name(file):
    return re.match(r"[\d_]+_(.*)\.mlir", file.name).group(1)
