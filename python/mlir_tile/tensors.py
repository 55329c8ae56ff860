# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as operators of PyTorch, which `torch.compile`, autograd and `torch.export` know.

A kernel is called with tensors directly as well; under `torch.compile` that breaks the graph,
since what it traces are tensors without memory. PyTorch is imported when `torch_op` is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .errors import ArgumentError

__all__ = ["torch_op"]


def _schema_type(argument: dict) -> str:
    if argument["type"] == "i1":
        return "bool"
    return "int" if argument["type"].lstrip("u").startswith("i") else "float"


def _schema(arguments: list[dict], outputs: Sequence[int]) -> str:
    """`(Tensor A, Tensor(a1!) B, float s) -> Tensor`."""
    parts = []
    for position, argument in enumerate(arguments):
        if position in outputs:
            continue
        kind = _schema_type(argument)
        if argument["kind"] == "memref":
            kind = "Tensor" if argument["access"] == "r" else f"Tensor(a{position}!)"
        parts.append(f"{kind} {argument['name']}")
    results = ", ".join(["Tensor"] * len(outputs))
    return f"({', '.join(parts)}) -> {results if len(outputs) == 1 else f'({results})'}"


def torch_op(
    name: str,
    kernel: Any,
    *,
    outputs: Callable[..., Any] | None = None,
    out_idx: Sequence[int] | None = None,
) -> Any:
    """Makes a kernel an operator of PyTorch (`torch.library.custom_op`).

    `name`: "namespace::name". `kernel`: an `execution.Executable`, or an object with one in
    `.executable`. The operator takes the kernel's arguments in order and changes those in
    place that the kernel writes.

    `outputs`: a function of the operator's arguments that makes empty tensors, one or a tuple;
    these are the kernel's arguments at `out_idx` (default: its last ones), the operator makes
    and returns them. It is called with tensors without memory, too, so it may look at shapes,
    types and devices only:

        add = torch_op("mine::add", kernel, outputs=lambda a, b: torch.empty_like(a))
        c = torch.compile(lambda a, b: add(a, b) * 2)(a, b)

    Returns the operator. Gradients: `operator.register_autograd`.
    """
    import torch

    executable = getattr(kernel, "executable", kernel)
    arguments = executable.arguments
    positions: list[int] = []
    if out_idx is not None:
        positions = sorted(index % len(arguments) for index in out_idx)
    elif outputs is not None:
        # The arguments at the end that are only written.
        for index in reversed(range(len(arguments))):
            if arguments[index].get("access") != "w":
                break
            positions.insert(0, index)
    if bool(positions) != (outputs is not None):
        raise ArgumentError(
            "outputs: expected a function that makes the tensors of out_idx, and arguments that "
            f"the kernel only writes, got {len(positions)} of these"
        )
    for index in positions:
        if arguments[index]["access"] == "r":
            raise ArgumentError(
                f"out_idx: expected arguments that '{executable.name}' writes, "
                f"got {index} ('{arguments[index]['name']}')"
            )

    def make(args: Sequence[Any]) -> list[Any]:
        made = outputs(*args)
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        if len(made) != len(positions):
            raise ArgumentError(f"outputs: expected {len(positions)} tensors, got {len(made)}")
        return made

    def results(made: list[Any]) -> Any:
        return made[0] if len(made) == 1 else tuple(made)

    def run(*args: Any) -> Any:
        if not positions:
            executable.launcher(*args)
            return None
        made = make(args)
        full = list(args)
        for index, tensor in zip(positions, made, strict=True):
            full.insert(index, tensor)
        executable.launcher(*full)
        return results(made)

    def fake(*args: Any) -> Any:
        return results(make(args)) if positions else None

    written_names = [
        argument["name"]
        for index, argument in enumerate(arguments)
        if argument["kind"] == "memref" and argument["access"] != "r" and index not in positions
    ]
    operator = torch.library.custom_op(
        name, run, mutates_args=written_names, schema=_schema(arguments, positions)
    )
    operator.register_fake(fake)
    return operator
