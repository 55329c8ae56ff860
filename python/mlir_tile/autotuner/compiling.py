# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling many configurations on an executor: threads by default; processes, Dask's
`Client.get_executor()`, mpi4py's `MPIPoolExecutor` and everything else with `submit`.

Threads share this process: a task is a call, and the compiler runs without Python's lock. Other
executors get text and options and give back an artifact's bytes; nothing of the script travels.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Compiled", "Portable", "compile_all", "compile_portable", "portable_of"]


@dataclass
class Portable:
    """A configuration's kernel as other processes can compile it.

    Attributes:
      sources: text and name of each kernel of the function.
      target, options: as of `mlir_tile.execution.compile`.
    """

    sources: list[tuple[Any, str | None]]
    target: str
    options: Any = None


@dataclass
class Compiled:
    """One configuration: its kernel, or why there is none."""

    index: int
    kernel: Any = None
    error: BaseException | None = None


def portable_of(elaborated: tuple[list[tuple[Any, str | None]], str, Any]) -> Portable:
    """A task of what `mlir_tile.jit.elaborate` returns: modules travel as text, and the GPU that is
    there by its name, since the one who compiles may have none."""
    sources, target, options = elaborated
    found = importlib.import_module("mlir_tile.execution").resolve(target)
    if found.device and not options.device:
        options = dataclasses.replace(options, device=found.device)
    return Portable([(str(module), name) for module, name in sources], str(found), options)


def compile_portable(task: Portable) -> list[bytes]:
    """Compiles a task in this process and returns the artifacts: what executors run."""
    execution = importlib.import_module("mlir_tile.execution")
    return [
        execution.compile(source, target=task.target, name=name, options=task.options).artifact
        for source, name in task.sources
    ]


def _adopt(task: Portable, artifacts: list[bytes]) -> None:
    """The next compilation of the task's sources in this process finds the artifacts."""
    execution = importlib.import_module("mlir_tile.execution")
    for (source, name), artifact in zip(task.sources, artifacts, strict=True):
        execution.adopt(source, artifact, target=task.target, name=name, options=task.options)


def _guard(index: int, call: Callable[[], Any]) -> Compiled:
    try:
        return Compiled(index, kernel=call())
    except Exception as error:
        return Compiled(index, error=error)


def compile_all(
    configs: Sequence[dict[str, Any]],
    make: Callable[[dict[str, Any]], Any],
    portable: Callable[[dict[str, Any]], Portable] | None = None,
    executor: concurrent.futures.Executor | None = None,
    workers: int | None = None,
) -> Iterator[Compiled]:
    """Compiles every configuration and yields each as soon as it is there.

    Args:
      configs: the configurations.
      make: compiles one in this process.
      portable: what another process needs to compile one; used by executors that are no threads.
      executor: where to compile; stays open. None: threads of this call.
      workers: how many threads that are (default: CPUs of this process, at most 16).
    Closing the iterator cancels what has not begun.
    """
    own = None
    if executor is None:
        count = workers or min(16, len(os.sched_getaffinity(0)))
        own = executor = concurrent.futures.ThreadPoolExecutor(count, "tile-tune")
    local = isinstance(executor, concurrent.futures.ThreadPoolExecutor) or portable is None
    submit = _submit_local if local else _submit_portable
    try:
        yield from submit(executor, configs, make, portable)
    finally:
        if own is not None:
            own.shutdown(wait=False, cancel_futures=True)


def _submit_local(executor: Any, configs: Any, make: Any, _: Any) -> Iterator[Compiled]:
    futures = [
        executor.submit(_guard, index, lambda config=config: make(config))
        for index, config in enumerate(configs)
    ]
    for future in _as_completed(futures):
        yield future.result()


def _submit_portable(
    executor: Any, configs: Any, make: Any, portable: Callable[..., Portable]
) -> Iterator[Compiled]:
    tasks: dict[Any, tuple[int, Portable]] = {}
    for index, config in enumerate(configs):
        try:
            task = portable(config)
        except Exception as error:
            yield Compiled(index, error=error)
            continue
        if not task.target.startswith("cuda"):  # there is no code to send for the CPU
            yield _guard(index, lambda config=config: make(config))
            continue
        tasks[executor.submit(compile_portable, task)] = (index, task)
    for future in _as_completed(tasks):
        index, task = tasks[future]
        try:
            _adopt(task, future.result())
        except Exception as error:
            yield Compiled(index, error=error)
            continue
        yield _guard(index, lambda index=index: make(configs[index]))


def _as_completed(futures: Any) -> Iterator[Any]:
    """Futures in the order in which they end; those of other libraries than the standard one need
    `add_done_callback` only."""
    import queue

    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    futures = list(futures)
    for future in futures:
        future.add_done_callback(done.put)
    try:
        for _ in futures:
            yield done.get()
    finally:
        for future in futures:
            with contextlib.suppress(Exception):
                future.cancel()
