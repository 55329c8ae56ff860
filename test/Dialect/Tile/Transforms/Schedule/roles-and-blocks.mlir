// Roles cost registers, and blocks that share a multiprocessor hide each other's latencies: what a block's threads and tiles
// leave room for decides. One GEMM with other tiles, threads, stages and grids.
// DEFINE: %{threads} = 128
// DEFINE: %{stages} = 3
// DEFINE: %{tile} = 128
// DEFINE: %{grid} = dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128
// DEFINE: %{schedule} = sed "s/THREADS/%{threads}/; s/STAGES/%{stages}/; s/TILE/%{tile}/g; s/GRID/%{grid}/" %s | tile-opt "--tile-to-schedule=arch=sm_90a remarks" 2>&1 | FileCheck %s

// One warpgroup with 128 accumulators: two blocks when registers are redistributed, one when they are not.
// RUN: %{schedule} --check-prefix=SHARED
// SHARED: remark: warps specialized: 128 threads issue copies, 128 compute
// SHARED: threads(256) attributes {tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>], tile.resident = 2 : i64, tile.results = array<i64: 2>, tile.roles, tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>}
// SHARED: role "load" warps(4) registers(32)
// SHARED: role "mma" warps(4) registers(224)

// It is decided where roles are, before they are built.
// RUN: sed "s/THREADS/128/; s/STAGES/3/; s/TILE/128/g; s/GRID/%{grid}/" %s | tile-opt --tile-to-copies=arch=sm_90a --tile-pipeline | FileCheck %s --check-prefix=DECIDED
// DECIDED: threads(128) attributes {tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>], tile.resident = 2 : i64, tile.results = array<i64: 2>, tile.roles, tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>}

// Two warpgroups would be alone with the one that copies.
// REDEFINE: %{threads} = 256
// RUN: %{schedule} --check-prefix=ALONE
// ALONE: remark: warps not specialized: a multiprocessor runs 2 blocks at a time without roles, and 1 with them (estimated); `specialize = true` on the kernel asks for roles all the same
// ALONE-NOT: tile.warp_specialize

// No multiprocessor gets a second block of a grid of 64.
// REDEFINE: %{grid} = 8, 8
// RUN: %{schedule} --check-prefix=FEW
// FEW: threads(384) attributes {tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>], tile.results = array<i64: 2>, tile.roles, tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>}
// FEW: role "load" warps(4) registers(40)
// FEW: role "mma" warps(8) registers(232)

// A grid of 121 is one block each on 132 multiprocessors, and two on some of a device with 114.
// RUN: sed "s/THREADS/256/; s/STAGES/3/; s/TILE/128/g; s/GRID/11, 11/" %s > %t.grid.mlir
// RUN: tile-opt %t.grid.mlir "--tile-to-schedule=arch=sm_90a remarks" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %t.grid.mlir "--tile-to-schedule=arch=sm_90a device=H100-PCIe remarks" 2>&1 | FileCheck %s --check-prefix=TWO
// ONE: remark: warps specialized
// TWO: remark: warps not specialized: a multiprocessor runs 2 blocks at a time without roles, and 1 with them (estimated)

// Small tiles: several blocks have room beside those that copy, unless loads run one iteration ahead only. Launch bounds
// for one block would keep the others away. No registers move between roles: one warp issues all copies, after the
// warpgroups, which start at multiples of four warps.
// REDEFINE: %{grid} = dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128
// REDEFINE: %{tile} = 64
// RUN: %{schedule} --check-prefix=SMALL
// SMALL: remark: warps specialized: 32 threads issue copies, 256 compute
// SMALL: threads(288) attributes {tile.keeps_registers, tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>], tile.results = array<i64: 2>, tile.roles, tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>}
// SMALL: role "mma" warps(8) {
// SMALL: role "load" warps(1) {
// REDEFINE: %{stages} = 2
// RUN: %{schedule} --check-prefix=AHEAD
// AHEAD: remark: warps not specialized: a multiprocessor runs {{[0-9]+}} blocks at a time without roles, and {{[0-9]+}} with them

// What is decided are the kernel's launch bounds.
// RUN: sed "s/THREADS/128/; s/STAGES/3/; s/TILE/128/g; s/GRID/1, 1/" %s | tile-translate --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: .maxntid 256, 1, 1
// BOUNDS-NEXT: .minnctapersm 2
// BOUNDS: setmaxnreg.dec.sync.aligned.u32 32
// BOUNDS: setmaxnreg.inc.sync.aligned.u32 224

// RUN: sed "s/THREADS/128/; s/STAGES/3/; s/TILE/128/g; s/GRID/1, 1/; s/threads(128)/& attributes {tile.resident = 33 : i64}/" %s > %t.mlir
// RUN: not tile-opt %t.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed "s/tile.resident = 33 : i64/tile.keeps_registers = 1/" %t.mlir > %t.unit.mlir
// RUN: not tile-opt %t.unit.mlir 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: error: 'tile.kernel' op expected 'tile.keeps_registers' to be a unit on a kernel, got 1 : i64
// WRONG: error: 'tile.kernel' op expected 'tile.resident' to be an i64 from 1 to 32 on a kernel, got 33 : i64

#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (GRID) threads(THREADS) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %edge = arith.constant TILE : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  %As = tile.alloc : memref<TILEx32xf16, #shared>
  %Bs = tile.alloc : memref<32xTILExf16, #shared>
  %acc = tile.alloc : memref<TILExTILExf32, #tile.fragment>
  %m = arith.muli %by, %edge : index
  %n = arith.muli %bx, %edge : index
  tile.fill %acc with %zero : memref<TILExTILExf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c32 stages(STAGES) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<TILEx32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<32xTILExf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<TILEx32xf16, #shared>, memref<32xTILExf16, #shared>, memref<TILExTILExf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<TILExTILExf32, #tile.fragment> to memref<?x?xf16>
}
