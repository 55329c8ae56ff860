#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package on a GPU: acceptance, launches, compilation, speed, tuning; JSON and a table.

    test/GPU/run_python.py --wheel WHEEL --tilelang tilelang.tar --site site

`--wheel` is installed into a virtual environment (with the machine's PyTorch); `--python` takes an
interpreter that has the package instead. `--tilelang` is TileLang's repository, as a git directory
or what `git archive` wrote; `--site` a folder with TileLang itself, to compare with. Sections whose
input is missing are not run and say so. `--only launch,tune` runs some; `--target cpu` runs all of
it where there is no GPU, small. Each section is a process of its own.
"""

import argparse
import json
import os
import pathlib
import site
import subprocess
import sys
import tarfile
import time

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
ACCEPTANCE = ROOT / "test/python/acceptance"
SECTIONS = [
    "examples",
    "rows",
    "tests",
    "latencies",
    "launch",
    "zoo",
    "compile",
    "quickstart",
    "tune",
]


def run(command, log, environment=None, limit=None):
    """Runs a command, its output into a file; the status, None where the time ran out."""
    with open(log, "w", encoding="utf-8") as file:
        try:
            return subprocess.run(
                [str(part) for part in command], stdout=file, stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})}, timeout=limit,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            return None


class Machine:
    """Where the sections run, and what they are given."""

    def __init__(self, options):
        self.options = options
        self.out = options.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.python = options.python or self.install()
        self.repository = self.unpack() if options.tilelang else None
        self.cpu = options.target == "cpu"

    def install(self):
        folder = self.out / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
        python = folder / "bin/python"
        # Where this interpreter is itself of a virtual environment, "system" is not what it sees.
        seen = next(folder.glob("lib/python3*/site-packages")) / "machine.pth"
        seen.write_text("\n".join(site.getsitepackages()), encoding="utf-8")
        wheel = [python, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
        subprocess.run([*wheel, "--force-reinstall", self.options.wheel], check=True)
        return python

    def unpack(self):
        given = self.options.tilelang.resolve()
        if given.is_dir():
            return given
        folder = self.out / "tilelang"
        if not folder.exists():
            with tarfile.open(given) as archive:
                archive.extractall(folder, filter="data")
            git = ["git", "-C", folder, "-c", "user.name=x", "-c", "user.email=x@x"]
            for step in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "x"]):
                subprocess.run([*git, *step], check=True)
        return folder

    def commit(self):
        return [] if self.options.tilelang.is_dir() else ["--commit", "HEAD"]

    def worker(self, section, name, environment=None, python=None, **arguments):
        """Runs one of this file's workers in a process; what it wrote as JSON."""
        result = self.out / f"{name}.json"
        result.unlink(missing_ok=True)
        command = [python or self.python, HERE, "--worker", section, "--result", result]
        arguments = {"target": self.options.target, **arguments}
        status = run(
            [*command, "--arguments", json.dumps(arguments)], self.out / f"{name}.log", environment
        )
        if status or not result.exists():
            lines = (self.out / f"{name}.log").read_text(encoding="utf-8").splitlines()
            return {"failed": lines[-1] if lines else f"exit status {status}"}
        return json.loads(result.read_text(encoding="utf-8"))


# -- Sections -------------------------------------------------------------------------------------


def acceptance(machine, which, peer=False):
    if machine.repository is None:
        return {"not run": "--tilelang was not given"}
    name = f"{which}-tilelang" if peer else which
    lines = machine.out / f"{name}.jsonl"
    command = [sys.executable if peer else machine.python, ACCEPTANCE / "run.py"]
    command += ["--repo", machine.repository]
    command += [*machine.commit(), "--set", which, "--torch", "real", "--out", lines]
    command += ["--label", machine.options.label] if machine.options.label else []
    command += ["--peer"] if peer else []
    command += ["--limit", machine.options.limit, "--jobs", machine.options.jobs]
    if not machine.cpu:
        command += ["--target", "cuda", "--own-sizes"]
    if machine.options.cases:
        command += ["--only", machine.options.cases]
    path = {"PYTHONPATH": str(machine.options.site.resolve())} if peer else None
    status = run(command, machine.out / f"{name}.log", path)
    text = (machine.out / f"{name}.log").read_text(encoding="utf-8")
    return {"status": status, "summary": text.strip().splitlines()[-3:], "results": str(lines)}


def latencies(machine):
    """The cases of TileLang's regression suite by their own measure, and TileLang's beside them."""
    found = {"ours": acceptance(machine, "latencies")}
    if machine.options.site and not machine.cpu:
        found["TileLang"] = acceptance(machine, "latencies", peer=True)
    found["status"] = found["ours"].get("status")
    return found


def launch(machine):
    command = [machine.python, ROOT / "benchmarks/python/launch.py"]
    command += ["--mock", "--rounds", "5"] if machine.cpu else []
    status = run(command, machine.out / "launch.log")
    text = (machine.out / "launch.log").read_text(encoding="utf-8")
    return {"status": status, "table": text.splitlines()}


def zoo(machine):
    if machine.repository is None:
        return {"not run": "--tilelang was not given"}
    file = machine.out / "kernel_zoo.py"
    folder = machine.repository / ".git"
    git = ["git", f"--git-dir={folder if folder.exists() else machine.repository}", "show"]
    commit = (machine.commit() or ["", "a35008a"])[1]
    with open(file, "wb") as output:
        place = f"{commit}:benchmark/compile_speed/kernel_zoo.py"
        subprocess.run([*git, place], stdout=output, check=True)
    command = [machine.python, ROOT / "benchmarks/python/compile_speed.py", file]
    status = run(command, machine.out / "zoo.log", limit=3600)
    text = (machine.out / "zoo.log").read_text(encoding="utf-8")
    return {"status": status, "summary": text.strip().splitlines()[-4:]}


def compile_times(machine):
    """Import and the first call with nothing cached, then with files only."""
    cache = {"MLIR_TILE_CACHE_DIR": str(machine.out / f"cache-{time.time_ns()}")}
    return {
        name: machine.worker("compile", f"compile-{name}", cache, size=machine_size(machine, 4096))
        for name in ("cold", "disk")
    }


def machine_size(machine, size):
    return 256 if machine.cpu else size


def quickstart(machine):
    sizes = sorted({machine_size(machine, size) for size in (1024, 4096)})
    rows = {}
    for size in sizes:
        rows[f"{size} ours"] = machine.worker("gemm", f"gemm-{size}-ours", size=size)
        if machine.options.site:
            path = {"PYTHONPATH": str(machine.options.site.resolve())}
            rows[f"{size} TileLang"] = machine.worker(
                "gemm", f"gemm-{size}-theirs", path, sys.executable, size=size, module="tilelang"
            )
    return rows


def tune(machine):
    cache = {"MLIR_TILE_CACHE_DIR": str(machine.out / f"cache-{time.time_ns()}")}
    return machine.worker("tune", "tune", cache, size=machine_size(machine, 4096))


RUN = {
    "examples": lambda machine: acceptance(machine, "examples"),
    "rows": lambda machine: acceptance(machine, "rows"),
    "tests": lambda machine: acceptance(machine, "tests"),
    "latencies": latencies,
    "launch": launch,
    "zoo": zoo,
    "compile": compile_times,
    "quickstart": quickstart,
    "tune": tune,
}


# -- Workers: what runs with the package ----------------------------------------------------------


def gemm_factory(module, target):
    """TileLang's quickstart GEMM, as a function of its sizes and tiles."""
    import importlib

    tilelang = importlib.import_module(module)
    T = importlib.import_module(f"{module}.language")
    options = {"target": "cpu"} if target == "cpu" else {}

    def matmul(M, N, K, block_M=128, block_N=128, block_K=32, stages=3, threads=128):
        @T.prim_func
        def gemm(
            A: T.Tensor((M, K), "float16"),
            B: T.Tensor((K, N), "float16"),
            C: T.Tensor((M, N), "float16"),
        ):
            with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (
                bx,
                by,
            ):
                A_shared = T.alloc_shared((block_M, block_K), "float16")
                B_shared = T.alloc_shared((block_K, block_N), "float16")
                C_local = T.alloc_fragment((block_M, block_N), "float32")
                T.clear(C_local)
                for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                    T.copy(A[by * block_M, k * block_K], A_shared)
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                    T.gemm(A_shared, B_shared, C_local)
                T.copy(C_local, C[by * block_M, bx * block_N])

        return gemm

    return tilelang, tilelang.jit(out_idx=[-1], **options)(matmul), matmul, options


def tensors(size, target):
    import torch

    device = "cpu" if target == "cpu" else "cuda"
    torch.manual_seed(0)
    return [torch.randn(size, size, device=device).half() for _ in range(2)]


def wait(target):
    import torch

    if target != "cpu":
        torch.cuda.synchronize()


def milliseconds(kernel, operands, target, times=50):
    """The median time of a call, on the device's clock; outputs are allocated in it."""
    import torch

    if target == "cpu":
        start = time.perf_counter()
        kernel(*operands)
        return (time.perf_counter() - start) * 1e3
    for _ in range(10):
        kernel(*operands)
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(times + 1)]
    marks[0].record()
    for mark in marks[1:]:
        kernel(*operands)
        mark.record()
    torch.cuda.synchronize()
    took = sorted(a.elapsed_time(b) for a, b in zip(marks, marks[1:], strict=False))
    return took[len(took) // 2]


def check(result, operands):
    expected = operands[0].float() @ operands[1].float()
    worst = float((result.float() - expected).abs().max())
    bound = 2e-2 * float(expected.abs().max())
    if not worst <= bound:
        raise AssertionError(f"expected results within {bound:.3g}, got {worst:.3g}")


def work_gemm(target, size, module="mlir_tile"):
    _, matmul, _, _ = gemm_factory(module, target)
    operands = tensors(size, target)
    kernel = matmul(size, size, size)
    check(kernel(*operands), operands)
    took = milliseconds(kernel, operands, target)
    return {"milliseconds": took, "teraflops": 2 * size**3 / took / 1e9}


def work_compile(target, size):
    operands = tensors(size, target)
    wait(target)
    start = time.perf_counter()
    import mlir_tile  # noqa: F401

    imported = time.perf_counter()
    _, matmul, _, _ = gemm_factory("mlir_tile", target)
    result = matmul(size, size, size)(*operands)
    wait(target)
    done = time.perf_counter()
    check(result, operands)
    return {"import seconds": imported - start, "first result seconds": done - imported}


def work_tune(target, size):
    """Tunes over 40 configurations, then measures each of them for comparison."""
    configs = [
        {"block_M": m, "block_N": n, "block_K": k, "stages": stages}
        for m, n in ((64, 64), (64, 128), (128, 64), (128, 128), (128, 256))
        for k in (32, 64)
        for stages in (2, 3, 4, 5)
    ]
    configs = configs[:4] if target == "cpu" else configs
    tilelang, matmul, function, options = gemm_factory("mlir_tile", target)
    operands = tensors(size, target)
    start = time.perf_counter()
    tuned = tilelang.autotune(configs=configs)(tilelang.jit(out_idx=[-1], **options)(function))
    best = tuned(size, size, size)
    seconds = time.perf_counter() - start
    check(best(*operands), operands)
    found = milliseconds(best, operands, target)
    each = {}
    for config in configs:
        try:
            kernel = matmul(size, size, size, **config)
            each[json.dumps(config)] = milliseconds(kernel, operands, target)
        except Exception as error:  # a configuration that does not fit
            each[json.dumps(config)] = str(error).splitlines()[0]
    fastest = min(took for took in each.values() if isinstance(took, float))
    return {
        "seconds": seconds, "configurations": len(configs), "milliseconds": found,
        "exhaustive milliseconds": fastest, "of exhaustive": fastest / found, "each": each,
    }  # fmt: skip


WORKERS = {"gemm": work_gemm, "compile": work_compile, "tune": work_tune}


# -- Command --------------------------------------------------------------------------------------


def table(results):
    """What the sections found, in lines."""
    for section, result in results.items():
        print(f"\n{section} ({result.pop('took', 0):.0f} s)")
        for key, value in result.items():
            if isinstance(value, list):
                for line in value:
                    print(f"  {line}")
            elif isinstance(value, dict) and section != "tune":
                shown = ", ".join(
                    f"{name} {number:.4g}" if isinstance(number, float) else f"{name} {number}"
                    for name, number in value.items()
                )
                print(f"  {key}: {shown}")
            elif key != "each":
                print(f"  {key}: {value:.4g}" if isinstance(value, float) else f"  {key}: {value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter that has the package")
    parser.add_argument("--tilelang", type=pathlib.Path, help="its repository, or an archive")
    parser.add_argument("--site", type=pathlib.Path, help="a folder with TileLang itself")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas")
    parser.add_argument("--cases", help="of acceptance: those whose names contain this")
    parser.add_argument("--target", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--label", help="the commit, where this is no checkout")
    parser.add_argument("--limit", default="120", help="seconds of one case of acceptance")
    parser.add_argument("--jobs", default="1", help="cases of acceptance at a time")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("python-on-gpu"))
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    parser.add_argument("--arguments", help=argparse.SUPPRESS)
    parser.add_argument("--result", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        result = WORKERS[options.worker](**json.loads(options.arguments))
        options.result.write_text(json.dumps(result), encoding="utf-8")
        return 0
    unknown = set(options.only.split(",")) - set(SECTIONS)
    if unknown or not (options.wheel or options.python):
        parser.error(f"expected --wheel or --python, and sections among {', '.join(SECTIONS)}")
    machine = Machine(options)
    results = {}
    for section in options.only.split(","):
        start = time.perf_counter()
        results[section] = RUN[section](machine)
        results[section]["took"] = time.perf_counter() - start
        (machine.out / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        print(f"{section}: {results[section]['took']:.0f} s", flush=True)
    table(results)
    bad = [
        each for each in results.values() if each.get("status") or '"failed": ' in json.dumps(each)
    ]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
