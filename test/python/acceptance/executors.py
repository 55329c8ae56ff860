# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a tuner's configurations on other processes: processes, Dask, MPI.

    python executors.py processes dask           (needs dask.distributed)
    mpiexec -n 3 python -m mpi4py.futures executors.py mpi     (needs mpi4py and an MPI)

Not in CI, which has neither. Prints how many configurations came back from each executor.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sys
import time

from mlir_tile import execution
from mlir_tile.autotuner import Portable
from mlir_tile.autotuner.compiling import compile_all

SOURCE = """
tile.kernel @scale(%A: memref<SIZExf32>, %B: memref<SIZExf32>)
    grid(%bx) = (1) threads(128) {
  %t = tile.alloc : memref<SIZExf32, #tile.fragment>
  %c0 = arith.constant 0 : index
  tile.copy %A[%c0] to %t : memref<SIZExf32> to memref<SIZExf32, #tile.fragment>
  tile.copy %t to %B[%c0] : memref<SIZExf32, #tile.fragment> to memref<SIZExf32>
}
"""


def check(name: str, executor: concurrent.futures.Executor) -> None:
    """Compiles eight kernels on an executor and takes them over."""
    configs = [{"size": 128 * n} for n in range(1, 9)]
    options = execution.CompileOptions()

    def portable(config: dict) -> Portable:
        text = SOURCE.replace("SIZE", str(config["size"]))
        return Portable([(text, None)], "cuda:sm_90a", options)

    def make(config: dict) -> execution.Executable:
        source, target = portable(config).sources[0][0], "cuda:sm_90a"
        return execution.compile(source, target=target, options=options)

    start = time.perf_counter()
    made = list(compile_all(configs, make, portable, executor))
    failures = [one.error for one in made if one.error is not None]
    seconds = time.perf_counter() - start
    print(f"{name}: {len(made) - len(failures)} of {len(configs)} in {seconds:.2f} s", flush=True)
    if failures:
        raise SystemExit(f"{name}: {failures[0]!r}")


def main() -> None:
    """Runs the executors that the command line names."""
    if "processes" in sys.argv:
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(2, spawn) as pool:
            check("processes", pool)
    if "dask" in sys.argv:
        from dask.distributed import Client, LocalCluster

        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            check("dask", client.get_executor())
    if "mpi" in sys.argv:
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as pool:
            check("mpi", pool)


if __name__ == "__main__":
    main()
