// REQUIRES: cc
// Tiles are chosen for the device that --device names, else for the one that is
// there, by the name that its driver gives it.
// DEFINE: %{run} = tile-run %tile_src/examples/gemm_tunable.mlir --args=A=1408x64,B=64x1536,C=1408x1536 --tunables=bm=128,bk=64,stages=3,groups=2,cx=1,cy=1,panel=8
// RUN: %{run} --arch=sm_90a | FileCheck %s --check-prefix=H200
// H200: chosen: bm = 128, bn = 128,
// RUN: %{run} --device=H20 | FileCheck %s --check-prefix=H20
// H20: chosen: bm = 128, bn = 256,
// RUN: not %{run} --device=H300 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: tile-run: error: --device: expected a device among A100-SXM, {{.*}}; got 'H300'
// RUN: not %{run} --device=H20 --arch=sm_100a 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected code that H20 (9.0) runs, like that for sm_90a; got sm_100a

// RUN: rm -rf %t && mkdir -p %t/h20 %t/h200
// RUN: cc -shared -fPIC -w -DIDLE -DNAME='"NVIDIA H20"' %S/Inputs/fake-cuda.c -o %t/h20/libcuda.so.1
// RUN: cc -shared -fPIC -w -DIDLE -DNAME='"NVIDIA H200"' %S/Inputs/fake-cuda.c -o %t/h200/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/h20 %{run} --target=cuda | FileCheck %s --check-prefix=H20
// RUN: env LD_LIBRARY_PATH=%t/h200 %{run} --target=cuda | FileCheck %s --check-prefix=H200
// RUN: env LD_LIBRARY_PATH=%t/h200 %{run} --target=cuda --device=H20 | FileCheck %s --check-prefix=H20
