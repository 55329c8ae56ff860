// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CANONICAL
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>

// Tunables wherever the header and the body take numbers.
// GENERIC: #[[THREADS:.*]] = affine_map<()[s0, s1, s2, s3, s4] -> (s1 * 128)>
// CHECK-LABEL: tile.kernel @everywhere(%A: memref<?x?xf16> {tile.shape_hint = array<i64: 8192, 4096>}, %n: i32 {tile.shape_hint = array<i64: 4>})
// CHECK-SAME: tunable(%bm in [64, 128], %wg in [1, 2, 3], %cx in [1, 2], %p in [0, 8], %s in [2, 3])
// CHECK-SAME: grid(%bx, %by) = (dim(%A, 0) ceildiv (%bm * %cx) * %cx, %n + dim(%A, 1) floordiv %bm mod 7)
// CHECK-SAME: threads(%wg * 128) cluster(%cx, 1) tuned(panel = %p, split = %cx * 2 + 2) attributes {persistent = 1 : i64} {
// GENERIC: cluster = array<i64: 1, 1>
// GENERIC-SAME: split = 4 : i64, sym_name = "everywhere", threads = 128 : i64
// GENERIC-SAME: tunables = [#tile.tunable<"bm" in[64, 128]>, #tile.tunable<"wg" in[1, 2, 3]>
// GENERIC-SAME: tuned = [#tile.tuned<"threads" = #[[THREADS]]>
tile.kernel @everywhere(%A: memref<?x?xf16> {tile.shape_hint = array<i64: 8192, 4096>},
                        %n: i32 {tile.shape_hint = array<i64: 4>})
    tunable(%bm in [64, 128], %wg in [1, 2, 3], %cx in [1, 2], %p in [0, 8], %s in [2, 3])
    grid(%bx, %by) = ((dim(%A, 0) ceildiv (%bm * %cx)) * %cx, %n + dim(%A, 1) floordiv %bm mod 7)
    threads(%wg * 128) cluster(%cx, 1) tuned(panel = %p, split = %cx * 2 + 2) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %m = arith.muli %bx, %bm : index
  %half = arith.divui %bm, %c64 : index
  // CHECK: %[[AS:.*]] = tile.alloc(%bm) : memref<?x64xf16, #gpu.address_space<workgroup>>
  %As = tile.alloc(%bm) : memref<?x64xf16, #shared>
  // CHECK: tile.alloc(%{{.*}}, %bm) : memref<?x?xf32, #tile.fragment>
  // CANONICAL: tile.alloc(%{{.*}}, %bm)
  %row = tile.alloc(%half, %bm) : memref<?x?xf32, #tile.fragment>
  %Bs = tile.alloc(%bm) : memref<64x?xf16, #shared>
  %acc = tile.alloc(%bm, %bm) : memref<?x?xf32, #tile.fragment>
  %sum = tile.alloc(%bm) : memref<?xf32, #tile.fragment>
  tile.fill %row with %zero : memref<?x?xf32, #tile.fragment>, f32
  tile.fill %Bs with %one : memref<64x?xf16, #shared>, f16
  // CHECK: tile.pipelined %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} stages(%s) {
  tile.pipelined %k = %c0 to %c512 step %c64 stages(%s) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<?x64xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<?x64xf16, #shared>, memref<64x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
  }
  tile.reduce sum %acc to %sum dim(1) : memref<?x?xf32, #tile.fragment> to memref<?xf32, #tile.fragment>
  // CHECK: tile.parallel (%{{.*}}, %{{.*}}, %{{.*}}) in (2, %bm, %{{.*}}) {
  tile.parallel (%t, %i, %j) in (2, %bm, %half) {
    %x = memref.load %row[%j, %i] : memref<?x?xf32, #tile.fragment>
  }
  // CHECK: tile.copy
  tile.copy %acc to %A[%m, %c0] : memref<?x?xf32, #tile.fragment> to memref<?x?xf16>
}

// Names in the body that a tunable has already are no conflict of the printer's.
// CHECK-LABEL: tile.kernel @one(
// CHECK-SAME: tunable(%b in [32]) grid(%bx) = (%b) threads(%b)
tile.kernel @one(%A: memref<8xf32>) tunable(%b in [32]) grid(%bx) = (%b) threads(%b) {
}
