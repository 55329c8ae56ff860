// RUN: tile-opt %s --tile-expand-sparse-gemms --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-expand-sparse-gemms=remarks --split-input-file --verify-diagnostics -o /dev/null

// Where an instruction reads the metadata nothing changes.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: tile.parallel
// CHECK: tile.gemm {{.*}} metadata(
tile.kernel @stays() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{A stays sparse: wgmma_sp reads the metadata}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
// 32 rows are none for a warpgroup.
// CHECK-LABEL: tile.kernel @by_warps
// CHECK: tile.gemm {{.*}} metadata(
tile.kernel @by_warps() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<32x32xf16, #shared>
  %e = tile.alloc : memref<32x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<32x64xf32, #tile.fragment>
  // expected-remark @+1 {{A stays sparse: mma_sp reads the metadata}}
  tile.gemm %a, %b, %c metadata(%e : memref<32x4xi16, #shared>) : memref<32x32xf16, #shared>, memref<64x64xf16, #shared>, memref<32x64xf32, #tile.fragment>
}
}

// -----

// Where none does, threads write all columns of a group; a group is four bits of
// an element of four groups.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_100a">} {
// CHECK-LABEL: tile.kernel @expanded
// CHECK: %[[WHOLE:.*]] = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK: %[[A:.*]] = tile.alloc : memref<64x32xf16
// CHECK: %[[E:.*]] = tile.alloc : memref<64x4xi16
// CHECK: tile.parallel (%[[ROW:.*]], %[[GROUP:.*]]) in (64, 16) {
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[NUMBER:.*]] = arith.divui %[[GROUP]], %[[FOUR]]
// CHECK: %[[WORD:.*]] = memref.load %[[E]][%[[ROW]], %[[NUMBER]]]
// CHECK: %[[WIDE:.*]] = arith.extui %[[WORD]] : i16 to i32
// CHECK: %[[PLACES:.*]] = arith.shrui %[[WIDE]]
// CHECK: %[[KEPT0:.*]] = memref.load %[[A]][%[[ROW]],
// CHECK: arith.andi %[[PLACES]]
// CHECK: %[[KEPT1:.*]] = memref.load %[[A]][%[[ROW]],
// CHECK-COUNT-4: memref.store %{{.*}}, %[[WHOLE]][%[[ROW]],
// CHECK-NOT: memref.store
// CHECK: tile.gemm %[[WHOLE]], %{{.*}}, %{{.*}} {policy = #tile.warp_policy<full_row>} : memref<64x64xf16
tile.kernel @expanded() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<64x32xf16, #shared>
  %e = tile.alloc : memref<64x4xi16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %c = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-remark @+1 {{threads write A with its zeros to shared memory: mma_sp has no f16 x f16 into f32 on sm_100a}}
  tile.gemm %a, %b, %c metadata(%e : memref<64x4xi16, #shared>) {policy = #tile.warp_policy<full_row>} : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
}
}

// -----

// Of f32 a group is two columns; what is stored transposed stays so.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: tile.kernel @halves
// CHECK: %[[WHOLE:.*]] = tile.alloc : memref<32x20xf32
// CHECK: tile.parallel (%[[ROW:.*]], %{{.*}}) in (20, 16)
// CHECK: memref.load %{{.*}}[%{{.*}}, %[[ROW]]] : memref<2x20xi32
// CHECK: memref.load %{{.*}}[%{{.*}}, %[[ROW]]] : memref<16x20xf32
// CHECK-COUNT-2: memref.store %{{.*}}, %[[WHOLE]][%{{.*}}, %[[ROW]]]
// CHECK-NOT: memref.store
// CHECK: tile.gemm %[[WHOLE]], %{{.*}} {transpose_a} :
tile.kernel @halves() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<16x20xf32, #shared>
  %e = tile.alloc : memref<2x20xi32, #shared>
  %b = tile.alloc : memref<32x64xf32, #shared>
  %c = tile.alloc : memref<20x64xf32, #tile.fragment>
  // expected-remark @+1 {{threads take metadata of 32-bit elements in pieces of 8 or 16 bits, got 32}}
  tile.gemm %a, %b, %c metadata(%e : memref<2x20xi32, #shared>) {transpose_a, transpose_metadata} : memref<16x20xf32, #shared>, memref<32x64xf32, #shared>, memref<20x64xf32, #tile.fragment>
}
// Rows that are not whole instructions.
// CHECK-LABEL: tile.kernel @rows
// CHECK: tile.gemm %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : memref<20x32xf16
tile.kernel @rows() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<20x16xf16, #shared>
  %e = tile.alloc : memref<20x2xi16, #shared>
  %b = tile.alloc : memref<32x64xf16, #shared>
  %c = tile.alloc : memref<20x64xf32, #tile.fragment>
  // expected-remark @+1 {{mma_sp m16n8k32: a sparse A needs an M tile that is a multiple of 16, got 20}}
  tile.gemm %a, %b, %c metadata(%e : memref<20x2xi16, #shared>) : memref<20x16xf16, #shared>, memref<32x64xf16, #shared>, memref<20x64xf32, #tile.fragment>
}
// Another thread may hold the bits of a group: metadata in registers goes through
// shared memory.
// CHECK-LABEL: tile.kernel @in_registers
// CHECK: %[[TILE:.*]] = tile.alloc : memref<24x2xi32, #gpu
// CHECK: %[[E:.*]] = tile.alloc : memref<24x2xi32, #tile.fragment>
// CHECK: tile.copy %[[E]] to %[[TILE]]
// CHECK: memref.load %[[TILE]]
tile.kernel @in_registers() grid(%bx) = (1) threads(128) {
  %a = tile.alloc : memref<24x32xi8, #shared>
  %e = tile.alloc : memref<24x2xi32, #tile.fragment>
  %b = tile.alloc : memref<64x64xi8, #shared>
  %c = tile.alloc : memref<24x64xi32, #tile.fragment>
  // expected-remark @+1 {{mma_sp m16n8k64: a sparse A needs an M tile that is a multiple of 16, got 24}}
  tile.gemm %a, %b, %c metadata(%e : memref<24x2xi32, #tile.fragment>) : memref<24x32xi8, #shared>, memref<64x64xi8, #shared>, memref<24x64xi32, #tile.fragment>
}
}
