// Pages of 16 rows, two of them a tile of 32, and columns of B in two pieces: the copies of an iteration fill a slot together and run ahead.
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=TMA
// RUN: tile-opt %s --tile-to-schedule=arch=sm_80 | FileCheck %s --check-prefix=GROUPS
// TMA-DAG: tile.ring.create {{.*}}tma -> wgmma
// TMA-DAG: tile.ring.create {{.*}}cp_async_mbarrier -> wgmma
// TMA-COUNT-2: tile.copy %A{{.*}}plan = #tile.copy_plan<tma
// TMA-COUNT-2: tile.copy %B{{.*}}plan = #tile.copy_plan<cp_async
// GROUPS: tile.ring.create {{.*}}cp_async -> threads
// RUN: tile-run %s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --check | FileCheck %s
// RUN: tile-run %s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --stage=scheduled --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --stage=lowered --arch=sm_90a --seed=5 --check | FileCheck %s
// RUN: tile-run %s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --stage=lowered --arch=sm_80 --check | FileCheck %s
// CHECK: PASS
// One of the copies left out: what the slot held before is multiplied.
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a -o %t.mlir
// RUN: sed '/tile.copy %A.*%c16, %c0\] sizes/d' %t.mlir > %t.less.mlir
// RUN: not tile-run %t.less.mlir --source=%s --args=A=9x16x64:smallint,B=144x64:smallint,T=9:zeros,C=64x64 --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: {{FAIL|error}}
#shared = #gpu.address_space<workgroup>
tile.kernel @pages(%A: memref<?x16x64xf16> {tile.alignment = 16}, %B: memref<?x64xf16> {tile.alignment = 16}, %T: memref<?xi32>, %C: memref<64x64xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %B, %c0 : memref<?x64xf16>
  %As = tile.alloc : memref<32x64xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %rows step %c32 stages(3) {
    %first = arith.divui %k, %c16 : index
    %t0 = memref.load %T[%first] : memref<?xi32>
    %p0 = arith.index_cast %t0 : i32 to index
    %at0 = arith.addi %p0, %first : index
    %at1 = arith.addi %at0, %c1 : index
    tile.copy %A[%at0, %c0, %c0] sizes [1, 16, 64] to %As[%c0, %c0] sizes [16, 64] : memref<?x16x64xf16> to memref<32x64xf16, #shared>
    tile.copy %B[%k, %c32] sizes [32, 32] to %Bs[%c0, %c32] sizes [32, 32] : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.copy %A[%at1, %c0, %c0] sizes [1, 16, 64] to %As[%c16, %c0] sizes [16, 64] : memref<?x16x64xf16> to memref<32x64xf16, #shared>
    tile.copy %B[%k, %c0] sizes [32, 32] to %Bs[%c0, %c0] sizes [32, 32] : memref<?x64xf16> to memref<32x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_a} : memref<32x64xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
