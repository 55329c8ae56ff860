#!/usr/bin/env python3
"""Elements beyond 2^31 on a GPU: copies of a vector of 3e9 bytes and of a 70000 x 40000 f16 matrix.

    python3 test/GPU/large_indices.py pack BIN OUT   # here: BIN/tile-translate and ptxas
    python3 test/GPU/large_indices.py run OUT        # on the GPU machine (torch, cupy; 24 GB of GPU memory)
"""
import pathlib
import subprocess
import sys

VECTOR = """#shared = #gpu.address_space<workgroup>
tile.kernel @copy(%A: memref<?xi8> {tile.alignment = 16}, %B: memref<?xi8> {tile.alignment = 16})
    grid(%bx) = (dim(%A, 0) ceildiv 4096) threads(128) {
  %c4096 = arith.constant 4096 : index
  %i = arith.muli %bx, %c4096 : index
  %s = tile.alloc : memref<4096xi8, #shared>
  tile.copy %A[%i] to %s : memref<?xi8> to memref<4096xi8, #shared>
  tile.copy %s to %B[%i] : memref<4096xi8, #shared> to memref<?xi8>
}
"""
MATRIX = """tile.kernel @copy(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%A, 1) ceildiv 64, dim(%A, 0) ceildiv 64) threads(128) {
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  tile.parallel (%i, %j) in (64, 64) {
    %r = arith.addi %m, %i : index
    %c = arith.addi %n, %j : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %M = memref.dim %A, %c0 : memref<?x?xf16>
    %N = memref.dim %A, %c1 : memref<?x?xf16>
    %rin = arith.cmpi ult, %r, %M : index
    %cin = arith.cmpi ult, %c, %N : index
    %in = arith.andi %rin, %cin : i1
    scf.if %in {
      %x = memref.load %A[%r, %c] : memref<?x?xf16>
      memref.store %x, %B[%r, %c] : memref<?x?xf16>
    }
  }
}
"""


def pack(bin_dir, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in (("vector", VECTOR), ("matrix", MATRIX)):
        source, ptx = out / f"{name}.mlir", out / f"{name}.ptx"
        source.write_text(text)
        subprocess.run([f"{bin_dir}/tile-translate", source, "--tile-to-ptx", "--arch=sm_90", "-o", ptx], check=True)
        subprocess.run(["ptxas", "-arch=sm_90", ptx, "-o", out / f"{name}.cubin"], check=True)


def run(out):
    import cupy
    import torch

    failed = 0
    for name, shape, tile in (("vector", (3_000_000_001,), (4096,)), ("matrix", (70000, 40000), (64, 64))):
        kind = torch.int8 if name == "vector" else torch.half
        a = torch.randint(-100, 100, shape, device="cuda", dtype=torch.int8).to(kind)
        b = torch.full(shape, 127, device="cuda", dtype=kind)
        function = cupy.RawModule(path=str(pathlib.Path(out) / f"{name}.cubin")).get_function("copy")
        arguments = []
        for t in (a, b):
            arguments += [cupy.uint64(t.data_ptr())] + [cupy.int64(extent) for extent in t.shape]
        grid = [-(-extent // step) for extent, step in zip(shape, tile)][::-1] + [1, 1]
        function(tuple(grid[:3]), (128, 1, 1), tuple(arguments), shared_mem=4096)
        torch.cuda.synchronize()
        good = torch.equal(a, b)
        failed += not good
        print(f"{name}: {'x'.join(map(str, shape))} {'ok' if good else 'WRONG'}")
        del a, b
    print(f"{2 - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "pack":
        pack(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(__doc__)
