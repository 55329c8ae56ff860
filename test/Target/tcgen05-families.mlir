// REQUIRES: ptxas
// The families with tensor memory: the same instructions, pairs of blocks and
// gathering copies on sm_100a, sm_100f, sm_103a and sm_110a, and integers where the
// architecture has kind::i8, else by mma.sync. All of it assembles.
// DEFINE: %{arch} = sm_100a
// DEFINE: %{bytes} = tile-translate %s --tile-to-ptx --arch=%{arch} -o %t.ptx && ptxas -arch=%{arch} %t.ptx -o %t.cubin && FileCheck %s -DARCH=%{arch} --input-file=%t.ptx
// RUN: %{bytes} --check-prefixes=ARCH,TENSOR
// REDEFINE: %{arch} = sm_110a
// RUN: %{bytes} --check-prefixes=ARCH,TENSOR
// REDEFINE: %{arch} = sm_103a
// RUN: %{bytes} --check-prefixes=ARCH,THREADS
// REDEFINE: %{arch} = sm_100f
// RUN: %{bytes} --check-prefixes=ARCH,THREADS
// ARCH: .target [[ARCH]]
// TENSOR: tcgen05.mma.cta_group::2.kind::i8
// THREADS-NOT: tcgen05
// THREADS: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32

// DEFINE: %{gather} = tile-translate %tile_src/examples/gather_gemm.mlir --tile-to-ptx --arch=%{arch} -o %t.ptx && ptxas -arch=%{arch} %t.ptx -o %t.cubin && FileCheck %s --check-prefix=GATHER --input-file=%t.ptx
// RUN: %{gather}
// REDEFINE: %{arch} = sm_103a
// RUN: %{gather}
// REDEFINE: %{arch} = sm_110a
// RUN: %{gather}
// GATHER: cp.async.bulk.tensor.2d.{{.*}}tile::gather4
// GATHER: tcgen05.mma.cta_group::1.kind::f16
#shared = #gpu.address_space<workgroup>
tile.kernel @bytes(%A: memref<?x?xi8> {tile.alignment = 16}, %B: memref<?x?xi8> {tile.alignment = 16}, %C: memref<?x?xi32> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, (dim(%C, 0) ceildiv 256) * 2) threads(128) cluster(1, 2) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cbk = arith.constant 64 : index
  %cbm = arith.constant 128 : index
  %cbn = arith.constant 128 : index
  %zero = arith.constant 0 : i32
  %K = memref.dim %A, %c1 : memref<?x?xi8>
  %m = arith.muli %by, %cbm : index
  %n = arith.muli %bx, %cbn : index
  %dA = memref.dim %A, %c1 : memref<?x?xi8>
  tile.assume %dA {divisible_by = 16 : i64} : index
  %dB = memref.dim %B, %c1 : memref<?x?xi8>
  tile.assume %dB {divisible_by = 16 : i64} : index
  %dC = memref.dim %C, %c1 : memref<?x?xi32>
  tile.assume %dC {divisible_by = 4 : i64} : index
  %As = tile.alloc : memref<128x64xi8, #shared>
  %Bs = tile.alloc : memref<128x64xi8, #shared>
  %acc = tile.alloc : memref<128x128xi32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xi32, #tile.fragment>, i32
  tile.pipelined %k = %c0 to %K step %cbk stages(2) {
    tile.copy %A[%m, %k] to %As : memref<?x?xi8> to memref<128x64xi8, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xi8> to memref<128x64xi8, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<128x64xi8, #shared>, memref<128x64xi8, #shared>, memref<128x128xi32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xi32, #tile.fragment> to memref<?x?xi32>
}
