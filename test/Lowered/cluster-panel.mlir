// Blocks that are launched in panels (`panel` without `persistent`): clusters are taken whole, so their blocks share what they copy. Grids that
// neither clusters nor panels divide, clusters along either dimension and both, and beside them the blocks that share K.
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=IR
// RUN: tile-run %s --kernel=along_n --check | FileCheck %s
// RUN: tile-run %s --kernel=along_n --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=along_m --check | FileCheck %s
// RUN: tile-run %s --kernel=along_m --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=both --check | FileCheck %s
// RUN: tile-run %s --kernel=both --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=split_along_m --check | FileCheck %s
// RUN: tile-run %s --kernel=split_along_m --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=split_alone --check | FileCheck %s
// RUN: tile-run %s --kernel=split_alone --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// IR-LABEL: tile.kernel @along_n(
// IR: tile.copy %A{{.*}}multicast = 2
// IR: tile.copy %B{{.*}} decided {plan
tile.kernel @along_n(%A: memref<328x192xf16> {tile.alignment = 16}, %B: memref<264x192xf16> {tile.alignment = 16}, %C: memref<328x264xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 128) * 2, (dim(%C, 0) ceildiv 64) * 1) threads(128) cluster(2, 1) attributes {panel = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<328x192xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<264x192xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<328x264xf16>
}

// IR-LABEL: tile.kernel @along_m(
// IR: tile.copy %B{{.*}}multicast = 2
tile.kernel @along_m(%A: memref<328x192xf16> {tile.alignment = 16}, %B: memref<264x192xf16> {tile.alignment = 16}, %C: memref<328x264xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 64) * 1, (dim(%C, 0) ceildiv 128) * 2) threads(128) cluster(1, 2) attributes {panel = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<328x192xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<264x192xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<328x264xf16>
}

// IR-LABEL: tile.kernel @both(
// IR: tile.copy %A{{.*}}multicast = 2
// IR: tile.copy %B{{.*}}multicast = 2
tile.kernel @both(%A: memref<328x192xf16> {tile.alignment = 16}, %B: memref<264x192xf16> {tile.alignment = 16}, %C: memref<328x264xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 128) * 2, (dim(%C, 0) ceildiv 128) * 2) threads(128) cluster(2, 2) attributes {panel = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<328x192xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<264x192xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<328x264xf16>
}

// IR-LABEL: tile.kernel @split_along_m(
// IR: tile.copy %B{{.*}}multicast = 2
tile.kernel @split_along_m(%A: memref<328x192xf16> {tile.alignment = 16}, %B: memref<264x192xf16> {tile.alignment = 16}, %C: memref<328x264xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 64) * 1, (dim(%C, 0) ceildiv 128) * 2) threads(128) cluster(1, 2) attributes {panel = 4 : i64, split = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<328x192xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<264x192xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<328x264xf16>
}

// IR-LABEL: tile.kernel @split_alone(
tile.kernel @split_alone(%A: memref<328x192xf16> {tile.alignment = 16}, %B: memref<264x192xf16> {tile.alignment = 16}, %C: memref<328x264xf16> {tile.alignment = 16})
    grid(%bx, %by) = ((dim(%C, 1) ceildiv 64) * 1, (dim(%C, 0) ceildiv 64) * 1) threads(128) cluster(1, 1) attributes {panel = 2 : i64, split = 3 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %K = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<328x192xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<264x192xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<328x264xf16>
}
