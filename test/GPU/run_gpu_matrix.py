#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix of test kernels on a GPU.

  pack  compiles every kernel to a cubin (tile-translate, ptxas) and packs cubins and manifests
        into one .tar.xz: runs where the compiler is, needs Python only.
  run   executes the packed kernels and compares them with float64 references: runs where the GPU
        is, needs numpy, torch and the driver, no compiler.

Outputs start as 0xFF bytes (NaN), and so does the padding of strided rows, which must keep it.
Integers must come out exactly; random inputs within u_out*|ref| + u*mag (generate.py). The references are those
of test/Matrix/references.py, in numpy.
"""

import argparse
import concurrent.futures
import ctypes
import json
import math
import pathlib
import re
import select
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# Beside this file where it has been packed.
ARTIFACT = next(p for p in (HERE / "artifact.py", HERE.parents[1] / "benchmarks/tilebench/artifact.py") if p.exists())
sys.path[:0] = [str(ARTIFACT.parent), str(HERE)]
sys.path.append(str(HERE.parent / "Matrix"))
import buffers as device_buffers  # noqa: E402
from artifact import evaluate  # noqa: E402


# ----- pack ------------------------------------------------------------------------------------


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line]
    return (errors or lines or ["no message"])[0][:300]


def compile_kernel(kernel, options, folder):
    """Returns the kernel's description with its manifest; writes its cubin."""
    source, name = folder / kernel["file"], kernel["name"]
    arch = options.arch
    ptx, cubin = folder / f"{name}.ptx", folder / f"{name}.cubin"
    commands = [
        [options.bin / "tile-translate", source, "--tile-to-ptx", f"--arch={arch}", "-o", ptx],
        [options.ptxas, f"-arch={arch}", ptx, "-o", cubin],
        [options.bin / "tile-opt", source, f"--tile-to-nvvm=arch={arch}"],
    ]
    for command in commands:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
        if done.returncode:
            return dict(kernel, failed=f"{pathlib.Path(command[0]).name}: {first_line(done.stderr)}")
    manifest = re.search(r'mlir_tile\.manifest = "((?:[^"\\]|\\.)*)"', done.stdout)
    shared = re.search(r"mlir_tile\.shared_bytes = (\d+)", done.stdout)
    if not manifest or not shared:
        return dict(kernel, failed="tile-opt: no manifest in the output")
    text = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), manifest[1])
    text = text.encode("latin-1").decode()
    return dict(kernel, manifest=json.loads(text)["kernels"][0], shared_bytes=int(shared[1]))


def pack(options):
    import generate
    import references
    # Which references finds.
    import elements
    import formats

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        found = [k for k in generate.write(folder) if "not_on_gpu" not in k and re.search(options.only or "", k["name"])]
        found = [k for k in found if options.arch in k.get("archs", [options.arch])]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(lambda k: compile_kernel(k, options, folder), found))
        (folder / "matrix.json").write_text(json.dumps(dict(arch=options.arch, kernels=found)))
        with tarfile.open(options.output, "w:xz") as tar:
            tar.add(__file__, "run_gpu_matrix.py")
            tar.add(ARTIFACT, "artifact.py")
            for module in (device_buffers, references, elements, formats):
                tar.add(module.__file__, pathlib.Path(module.__file__).name)
            tar.add(folder / "matrix.json", "matrix.json")
            for kernel in found:
                if "failed" in kernel:
                    print(f"FAIL {kernel['name']}: {kernel['failed']}")
                else:
                    tar.add(folder / f"{kernel['name']}.cubin", f"{kernel['name']}.cubin")
    failed = sum("failed" in kernel for kernel in found)
    print(f"{options.output}: {pathlib.Path(options.output).stat().st_size >> 10} KiB")
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


# ----- run: the worker, which uses the GPU -----------------------------------------------------


class Driver:
    """The few driver calls a launch needs, in the context torch made."""

    def __init__(self, torch):
        import ctypes

        self.c = ctypes
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.zeros = torch.zeros(256, dtype=torch.uint8, device="cuda")

    def check(self, code, what):
        if code:
            text = self.c.c_char_p()
            self.cuda.cuGetErrorName(code, self.c.byref(text))
            raise RuntimeError(f"{what}: {(text.value or b'error').decode()}")

    def load(self, image, name, shared):
        module, function = self.c.c_void_p(), self.c.c_void_p()
        self.check(self.cuda.cuModuleLoadData(self.c.byref(module), image), "load")
        self.check(self.cuda.cuModuleGetFunction(self.c.byref(function), module, name.encode()), "function")
        if shared > 48 << 10:
            self.check(self.cuda.cuFuncSetAttribute(function, 8, shared), "shared memory")
        return module, function

    def unload(self, module):
        self.check(self.cuda.cuModuleUnload(module), "unload")

    # The driver's numbers of element types and modes, in the order of its enumerations.
    MAP_TYPES = {"ui8": 0, "i8": 0, "f8E4M3FN": 0, "f8E5M2": 0, "ui16": 1, "i16": 1, "ui32": 2, "i32": 3, "ui64": 4, "i64": 5,
                 "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "tf32": 11}
    MAP_MODES = {"interleave": ("none", "16B", "32B"), "swizzle": ("none", "32B", "64B", "128B"),
                 "l2_promotion": ("none", "64B", "128B", "256B"), "oob_fill": ("zeros", "nan")}

    def tensor_map(self, spec, address, env):
        """The 128 bytes of a tensor map, in a ctypes array; of an empty tensor, that of one element, a zero."""
        c, rank = self.c, len(spec["dims"])
        dims, steps = [evaluate(e, *env) for e in spec["dims"]], [evaluate(e, *env) for e in spec["strides"]]
        if not all(dims):
            dims, steps, address = [1] * rank, [16] * (rank - 1), self.zeros.data_ptr()
        steps = [16 if extent == 1 else step for extent, step in zip(dims[1:], steps)]
        room = (c.c_char * 192)()
        first = -c.addressof(room) % 64
        found = (c.c_char * 128).from_buffer(room, first)
        modes = [c.c_int(names.index(spec[key])) for key, names in self.MAP_MODES.items()]
        array = lambda of, values: (of * max(len(values), 1))(*values)
        self.check(self.cuda.cuTensorMapEncodeTiled(
            c.byref(found), c.c_int(self.MAP_TYPES[spec["type"]]), c.c_uint(rank), c.c_void_p(address),
            array(c.c_uint64, dims), array(c.c_uint64, steps), array(c.c_uint, spec["box"]),
            array(c.c_uint, spec["element_strides"]), *modes), "tensor map")
        return found

    def launch(self, function, grid, threads, shared, values, cluster=(1, 1, 1)):
        c = self.c
        array = (c.c_void_p * max(len(values), 1))(*[c.cast(c.byref(v), c.c_void_p) for v in values])
        u = c.c_uint
        if tuple(cluster) == (1, 1, 1):
            result = self.cuda.cuLaunchKernel(function, u(grid[0]), u(grid[1]), u(grid[2]), u(threads), u(1), u(1),
                                              u(shared), c.c_void_p(0), array, c.c_void_p(0))
        else:
            if math.prod(cluster) > PORTABLE_CLUSTER:
                self.check(self.cuda.cuFuncSetAttribute(function, c.c_int(NON_PORTABLE_CLUSTER), c.c_int(1)), "cluster")
            attribute = Attribute(id=CLUSTER_DIMENSION, value=(u * 16)(*cluster))
            config = Config(grid=(u * 3)(*grid), block=(u * 3)(threads, 1, 1), shared=shared, stream=None,
                            attributes=c.pointer(attribute), count=1)
            result = self.cuda.cuLaunchKernelEx(c.byref(config), function, array, c.c_void_p(0))
        self.check(result, "launch")
        self.check(self.cuda.cuCtxSynchronize(), "run")


CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
NON_PORTABLE_CLUSTER = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
PORTABLE_CLUSTER = 8
PERSISTENT_CLUSTERS = 3  # of a persistent grid: few, so that each works off several tiles


def launch_shape(manifest, grid):
    """Grid and cluster of a launch: a persistent kernel's are one row of clusters, whatever shape its tiles have."""
    cluster = manifest["cluster"]
    if not manifest.get("persistent"):
        return grid, cluster
    size = math.prod(cluster)
    clusters = math.prod(-(-tiles // blocks) for tiles, blocks in zip(grid, cluster))
    return [min(clusters, PERSISTENT_CLUSTERS) * size, 1, 1], [size, 1, 1]


class Attribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


# The smallest number may be lost where results are close to zero.
SMALLEST = {"f4E2M1FN": 0.5, "f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-16, "f16": 2.0**-24}
UNIT_OUT = {"f4E2M1FN": 2.0**-2, "f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53, "f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3}


class Worker:
    def __init__(self, folder):
        import torch

        self.torch, self.folder = torch, folder
        torch.zeros(1, device="cuda")
        self.driver = Driver(torch)
        self.types = {}

    def random(self, arg, shape, generator):
        torch = self.torch
        if arg["type"] in ("i4", "i8"):
            half = 8 if arg["type"] == "i4" else 128
            return torch.randint(-half, half, shape, generator=generator, device="cuda")
        if arg["type"].startswith("i"):
            return torch.randint(-3, 4, shape, generator=generator, device="cuda")
        return torch.randn(shape, generator=generator, device="cuda", dtype=torch.float64)

    def run_case(self, kernel, function, run, random, seed):
        """Returns None or what is wrong."""
        import references

        torch, c = self.torch, self.driver.c
        generator = torch.Generator(device="cuda").manual_seed(seed)
        manifest = kernel["manifest"]
        values = references.inputs(kernel, run)
        buffers, scalars = [], []
        for arg in kernel["args"]:
            name = arg["name"]
            scalars.append(arg.get("scalar"))
            buffers.append(None)
            if "scalar" in arg:
                continue
            shape = values[name].shape
            buffers[-1] = buffer = device_buffers.make(torch, "cuda", arg["type"], shape, run.get("pad", 0) if arg["strided"] else 0)
            if arg["access"] != "w":
                # Not every number is an index of rows, or the places of values in a sparse operand.
                is_free = "data" not in arg and arg.get("fill") not in ("places", "halves")
                buffer.set(self.random(arg, shape, generator) if random and is_free else torch.from_numpy(values[name]).cuda())
                values[name] = buffer.double().cpu().numpy()
        shapes = [b.shape if b else None for b in buffers]
        strides = [b.strides if b else None for b in buffers]
        for assumption in manifest["assumptions"]:
            if not evaluate(assumption["expr"], shapes, strides, scalars):
                return f"assumption of the manifest: {assumption['message']}"
        grid = [evaluate(e, shapes, strides, scalars) for e in manifest["grid"]]
        launched, cluster = launch_shape(manifest, grid)
        parameters, counters = [], []
        for p in manifest["params"]:
            i = p.get("arg")
            integer = c.c_int64 if p.get("type", "i64") == "i64" else c.c_int32
            if p["kind"] == "pointer":
                parameters.append(c.c_uint64(buffers[i].pointer()))
            elif p["kind"] == "dim":
                parameters.append(integer(shapes[i][p["dim"]]))
            elif p["kind"] == "stride":
                parameters.append(integer(strides[i][p["dim"]]))
            elif p["kind"] == "scalar":
                parameters.append({"f32": c.c_float, "f64": c.c_double, "i32": c.c_int32, "i64": c.c_int64}[p["type"]](scalars[i]))
            elif p["kind"] == "tensor_map":
                spec = manifest["tensor_maps"][p["map"]]
                parameters.append(self.driver.tensor_map(spec, buffers[spec["arg"]].pointer(), (shapes, strides, scalars)))
            elif p["kind"] == "workspace":
                size = max(1, p["bytes_per_block"] * math.prod(launched))
                memory = torch.full((size,), 0 if p["zeroed"] else 255, dtype=torch.uint8, device="cuda")
                counters.append((memory, p["zeroed"]))
                parameters.append(c.c_uint64(memory.data_ptr()))
            else:
                return f"parameter kind {p['kind']}"
        torch.cuda.synchronize()
        if all(grid):
            self.driver.launch(function, launched, manifest["threads"], kernel["shared_bytes"], parameters, cluster)
        if any(zeroed and memory.any() for memory, zeroed in counters):
            return "a workspace that is not zero again"
        wrong = self.compare_random(kernel, run, values, buffers) if random else self.compare(kernel, run, values, buffers)
        if wrong:
            return wrong
        for arg, buffer in zip(kernel["args"], buffers):
            if buffer and not buffer.poison_kept():
                return f"{arg['name']}: a store outside the buffer"
        return None

    def compare(self, kernel, run, values, buffers):
        """Integers: exactly, or within the bound that the kernel states."""
        import references

        results = references.expected(kernel, run, values)
        for arg, buffer in zip(kernel["args"], buffers):
            if arg["name"] in results:
                want, bound = results[arg["name"]]
                if wrong := references.difference(arg["name"], buffer.double().cpu().numpy(), want, bound):
                    return wrong
        return None

    def compare_random(self, kernel, run, values, buffers):
        import references

        env = references.evaluate(kernel, run, values)
        for arg, buffer in zip(kernel["args"], buffers):
            if "w" not in arg.get("access", ""):
                continue
            name, bound = arg["name"], None
            want = env[name].reshape(buffer.shape)
            if arg["type"].startswith("i"):
                want = references.stored(want, arg["type"])
            else:
                size = env.get("mag_" + name, abs(want)).reshape(buffer.shape)
                bound = UNIT_OUT[arg["type"]] * abs(want) * 1.01 + 1e-300 + kernel["u"] * size + SMALLEST.get(arg["type"], 0.0)
            if wrong := references.difference(name, buffer.double().cpu().numpy(), want, bound):
                return wrong
        return None

    def run_kernel(self, kernel, seed):
        """Returns the cases run and the failures, `where: what`."""
        image = (self.folder / f"{kernel['name']}.cubin").read_bytes()
        module, function = self.driver.load(image, kernel["manifest"]["name"], kernel["shared_bytes"])
        count, failures = 0, []
        for number, run in enumerate(kernel["runs"]):
            for random in (False, True):
                count += 1
                wrong = self.run_case(kernel, function, run, random, seed + 2 * number + random)
                if wrong:
                    failures.append(f"{run} {'random' if random else 'integers'}: {wrong}")
        self.driver.unload(module)
        return count, failures


def work(options):
    """Runs kernels whose numbers come on stdin, one a line; answers with a JSON line each."""
    folder = options.folder
    found = json.loads((folder / "matrix.json").read_text())["kernels"]
    worker = Worker(folder)
    print(json.dumps(dict(ready=worker.torch.cuda.get_device_name())), flush=True)
    for line in sys.stdin:
        number = int(line)
        try:
            count, failures = worker.run_kernel(found[number], 1000 * number)
            answer = dict(count=count, failures=failures)
        except RuntimeError as error:
            answer = dict(count=1, failures=[str(error).splitlines()[0]], dead=True)
        print(json.dumps(answer), flush=True)
        if answer.get("dead"):
            sys.exit(1)


# ----- run: the parent -------------------------------------------------------------------------


class Child:
    """A worker process, restarted after a device error or a hang."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__, "work", str(self.folder)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
        return self.read(120)

    def read(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.process.kill()
        self.process.wait()
        self.process = None
        return dict(count=1, failures=["the worker died" if ready else f"no answer in {seconds} s"], dead=True)

    def run(self, number):
        if not self.process:
            answer = self.start()
            if "ready" not in answer:
                return answer
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        answer = self.read(30)
        if answer.get("dead") and self.process:
            self.process.wait()
            self.process = None
        return answer


def run(options):
    start = time.time()
    folder = options.folder
    found = json.loads((folder / "matrix.json").read_text())["kernels"]
    numbers = [n for n, kernel in enumerate(found) if not options.only or re.search(options.only, kernel["name"])]
    if options.subset:
        numbers = [n for n in numbers if "failed" not in found[n]]
        step = max(len(numbers) / options.subset, 1)
        numbers = [numbers[int(i * step)] for i in range(min(options.subset, len(numbers)))]
    passed, failed, cases = 0, 0, 0
    runner = Worker(folder) if options.in_process else Child(folder)
    for n in numbers:
        kernel = found[n]
        if "failed" in kernel:
            count, failures = 0, [f"not compiled: {kernel['failed']}"]
        elif time.time() - start > options.seconds:
            count, failures = 0, ["not run: out of time"]
        elif options.in_process:
            count, failures = runner.run_kernel(kernel, 1000 * n)
        else:
            answer = runner.run(n)
            count, failures = answer["count"], answer["failures"]
        cases += count
        passed += not failures
        failed += bool(failures)
        if failures:
            more = f" (and {len(failures) - 1} more cases)" if len(failures) > 1 else ""
            print(f"{kernel['name']:36} {failures[0]}{more}", flush=True)
    print(f"{cases} cases in {time.time() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("pack", help="compile and pack, where the compiler is")
    p.add_argument("--bin", type=pathlib.Path, required=True, help="folder of tile-opt and tile-translate")
    p.add_argument("--ptxas", default="ptxas", help="the assembler")
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only", help="pack only kernels whose names match this expression")
    p.add_argument("-o", "--output", default="matrix.tar.xz")
    p = commands.add_parser("run", help="run what was packed, where the GPU is")
    p.add_argument("folder", type=pathlib.Path, help="the unpacked folder")
    p.add_argument("--subset", type=int, help="run only this many kernels, evenly chosen")
    p.add_argument("--only", help="run only kernels whose names match this expression")
    p.add_argument("--in-process", action="store_true", help="no worker process: for compute-sanitizer")
    p.add_argument("--seconds", type=float, default=285, help="start no kernel after this time")
    p = commands.add_parser("work", help="(what `run` starts)")
    p.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    sys.exit({"pack": pack, "run": run, "work": work}[options.command](options))


if __name__ == "__main__":
    main()
