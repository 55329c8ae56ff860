#!/usr/bin/env python3
"""GEMM through mma.sync on an sm_90 GPU against cuBLAS.

    python3 benchmarks/gemm_sm90.py pack BIN OUT   # here: compiles OUT/*.cubin with BIN/tile-translate and ptxas
    python3 benchmarks/gemm_sm90.py run OUT        # on the GPU machine (torch, cupy, triton)

Every result is compared with float32 on fresh random inputs, outputs poisoned with NaN, before it is timed; times are
medians of triton.testing.do_bench, ours and torch.matmul alternating in one process, 6 pairs.
"""
import json
import pathlib
import statistics
import subprocess
import sys

SHARED = "#shared = #gpu.address_space<workgroup>\n"


def kernel(bm, bn, bk, stages, threads, types, assume):
    a, b, c = types
    promise = ""
    if assume:
        promise = f"""
  %NB = memref.dim %B, %c1 : {b}
  %NC = memref.dim %C, %c1 : {c}
  tile.assume %K {{divisible_by = 8 : i64}} : index
  tile.assume %NB {{divisible_by = 8 : i64}} : index
  tile.assume %NC {{divisible_by = 8 : i64}} : index"""
    align = " {tile.alignment = 16}" if assume is not None else ""
    return SHARED + f"""tile.kernel @gemm(%A: {a}{align}, %B: {b}{align}, %C: {c}{align})
    grid(%bx, %by) = (dim(%C, 1) ceildiv {bn}, dim(%C, 0) ceildiv {bm}) threads({threads}) attributes {{panel = 8 : i64}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cbk = arith.constant {bk} : index
  %cbm = arith.constant {bm} : index
  %cbn = arith.constant {bn} : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : {a}{promise}
  %m = arith.muli %by, %cbm : index
  %n = arith.muli %bx, %cbn : index
  %As = tile.alloc : memref<{bm}x{bk}xf16, #shared>
  %Bs = tile.alloc : memref<{bk}x{bn}xf16, #shared>
  %acc = tile.alloc : memref<{bm}x{bn}xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<{bm}x{bn}xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %cbk stages({stages}) {{
    tile.copy %A[%m, %k] to %As : {a} to memref<{bm}x{bk}xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : {b} to memref<{bk}x{bn}xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<{bm}x{bk}xf16, #shared>, memref<{bk}x{bn}xf16, #shared>, memref<{bm}x{bn}xf32, #tile.fragment>
  }}
  tile.copy %acc to %C[%m, %n] : memref<{bm}x{bn}xf32, #tile.fragment> to {c}
}}
"""


def dynamic(_m, _n, _k):
    return ("memref<?x?xf16>",) * 3


def padded(m, n, k):
    def pad(x):
        return (x + 7) // 8 * 8

    return tuple(f"memref<{r}x{s}xf16, strided<[{pad(s)}, 1]>>" for r, s in ((m, k), (k, n), (m, n)))


def contiguous(m, n, k):
    return tuple(f"memref<{r}x{s}xf16>" for r, s in ((m, k), (k, n), (m, n)))


ODD = (4093, 4099, 4001)
CASES = [  # name, tile, types, promises, sizes
    ("8192", (128, 128, 32, 3, 128), dynamic, True, (8192, 8192, 8192)),
    ("8192", (128, 128, 32, 4, 128), dynamic, True, (8192, 8192, 8192)),
    ("8192", (128, 128, 64, 3, 128), dynamic, True, (8192, 8192, 8192)),
    ("8192", (128, 256, 64, 3, 256), dynamic, True, (8192, 8192, 8192)),
    ("8192", (256, 128, 32, 3, 256), dynamic, True, (8192, 8192, 8192)),
    ("4096", (128, 128, 32, 3, 128), dynamic, True, (4096, 4096, 4096)),
    ("odd_padded", (128, 128, 32, 3, 128), padded, False, ODD),
    ("odd_contiguous", (128, 128, 32, 3, 128), contiguous, None, ODD),
]


def pack(bin_dir, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    index = []
    for name, tile, types, assume, sizes in CASES:
        stem = f"{name}_" + "x".join(map(str, tile))
        source = out / f"{stem}.mlir"
        source.write_text(kernel(*tile, types(*sizes), assume))
        ptx = out / f"{stem}.ptx"
        subprocess.run([f"{bin_dir}/tile-translate", source, "--tile-to-ptx", "--arch=sm_90", "-o", ptx], check=True)
        log = subprocess.run(["ptxas", "-arch=sm_90", "-v", ptx, "-o", out / f"{stem}.cubin"], check=True,
                             capture_output=True, text=True).stderr
        if "C75" in log or " 0 bytes spill stores" not in log:
            sys.exit(f"{stem}: {log}")
        ptx.unlink()
        index.append({"name": name, "stem": stem, "tile": tile, "sizes": sizes, "dynamic": types is dynamic,
                      "padded": types is padded})
    (out / "index.json").write_text(json.dumps(index))


def run(out):
    import cupy
    import torch
    import triton.testing

    out = pathlib.Path(out)
    torch.manual_seed(7)
    rows, bad = [], 0
    for case in json.loads((out / "index.json").read_text()):
        bm, bn, bk, stages, threads = case["tile"]
        m, n, k = case["sizes"]
        shared = stages * (bm * bk + bk * bn) * 2
        function = cupy.RawModule(path=str(out / f"{case['stem']}.cubin")).get_function("gemm")
        function.max_dynamic_shared_size_bytes = shared

        def matrix(rows_, columns, padded=case["padded"]):
            width = (columns + 7) // 8 * 8 if padded else columns
            return torch.randn(rows_, width, device="cuda").half()[:, :columns]

        a, b, c = matrix(m, k), matrix(k, n), matrix(m, n)
        arguments = []
        for t in (a, b, c):
            arguments.append(cupy.uint64(t.data_ptr()))
            if case["dynamic"]:
                arguments += [cupy.int64(t.shape[0]), cupy.int64(t.shape[1])]
        grid = ((n + bn - 1) // bn, (m + bm - 1) // bm, 1)
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)

        def ours():
            with stream:
                function(grid, (threads, 1, 1), tuple(arguments), shared_mem=shared)

        c.fill_(float("nan"))
        ours()
        torch.cuda.synchronize()
        reference = a.float() @ b.float()
        error = ((c.float() - reference).norm() / reference.norm()).item()
        good = error < 1e-3
        bad += not good
        del reference
        d = torch.empty(m, n, device="cuda", dtype=torch.half)
        flops, pairs = 2 * m * n * k, []
        for _ in range(6):
            pair = [triton.testing.do_bench(f, warmup=20, rep=60, return_mode="median")
                    for f in (ours, lambda: torch.matmul(a, b, out=d))]
            pairs.append(pair)
        mine = statistics.median(flops / p[0] / 1e9 for p in pairs)
        peer = statistics.median(flops / p[1] / 1e9 for p in pairs)
        ratios = sorted(p[1] / p[0] for p in pairs)
        rows.append(f"{case['stem']:32s} {mine:7.1f} {peer:7.1f}  {statistics.median(ratios):.3f} "
                    f"({ratios[0]:.3f}-{ratios[-1]:.3f})  {error:.1e} {'ok' if good else 'WRONG'}")
        print(rows[-1], flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "pack":
        pack(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(__doc__)
