// A shared tile combined into global memory by one thread: what was written is
// fenced for the asynchronous proxy, the map says how elements are combined.
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | FileCheck %s
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm | sed 's/\\0A *//g; s/\\22//g' | FileCheck %s --check-prefix=MAP
// RUN: tile-opt %s --tile-set-target=arch=sm_90 --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm --tile-verify-nvvm=arch=sm_90 | tile-translate - --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=PTX
#shared = #gpu.address_space<workgroup>
#threads = #tile.fragment_layout<shape [32, 64] reg [(4, 1:1), (4, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#plain = #tile.shared_layout<shape [32, 64] bits 32 modes [(64, 1:1), (32, 0:64)]>
#rows = #tile.shared_layout<shape [32, 32] bits 32 modes [(32, 1:1), (32, 0:32)] swizzle(3, 4, 3)>
#wide = #tile.shared_layout<shape [32, 32] bits 64 modes [(32, 1:1), (32, 0:32)]>
#small = #tile.fragment_layout<shape [32, 32] reg [(4, 1:1), (2, 0:16)] lane [(8, 1:4), (4, 0:1)] warp [(4, 0:4)]>

// CHECK-LABEL: llvm.func @sum
// CHECK:         llvm.store
// CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK-NEXT:    nvvm.barrier0
// CHECK-NOT:     llvm.atomicrmw
// CHECK:         nvvm.cp.async.bulk.tensor.reduce %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] {redKind = #nvvm.tma_redux_kind<add>}
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.cp.async.bulk.commit.group
// CHECK-NEXT:    nvvm.cp.async.bulk.wait_group 0
// CHECK:         nvvm.barrier0
// MAP-LABEL: llvm.func @sum
// MAP-SAME:    tensor_maps: [{arg: 0,type: f32,dims: [64,[dim,0,0]],strides: [256],box: [64,32],
// PTX-LABEL: .entry sum(
// PTX:         fence.proxy.async.shared::cta;
// PTX:         bar.sync
// PTX:         cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
// PTX-NOT:     atom.
// PTX-NOT:     red.
// PTX:         cp.async.bulk.commit_group;
// PTX-NEXT:    cp.async.bulk.wait_group 0;
// PTX:         bar.sync
// PTX:         ret;
tile.kernel @sum(%C: memref<?x64xf32> {tile.alignment = 16}, %x: f32) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#plain) : memref<32x64xf32, #shared>
  tile.fill %s with %x {layout = #threads} : memref<32x64xf32, #shared>, f32
  tile.atomic add %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<32x64xf32, #shared> to memref<?x64xf32>
}

// Signed and unsigned maxima differ in the map alone; a sum of 64 bits is one of
// unsigned numbers.
// CHECK-LABEL: llvm.func @integers
// CHECK:         nvvm.cp.async.bulk.tensor.reduce {{.*}}tma_redux_kind<max>
// CHECK:         nvvm.cp.async.bulk.tensor.reduce {{.*}}tma_redux_kind<max>
// CHECK:         nvvm.cp.async.bulk.tensor.reduce {{.*}}tma_redux_kind<add>
// CHECK:         nvvm.cp.async.bulk.tensor.reduce {{.*}}tma_redux_kind<min>
// MAP-LABEL: llvm.func @integers
// MAP-SAME:    tensor_maps: [{arg: 0,type: i32,{{[^}]*}}swizzle: 128B,{{.*}}{arg: 0,type: ui32,{{.*}}{arg: 1,type: ui64,{{.*}}{arg: 1,type: i64,
// PTX-LABEL: .entry integers(
// PTX:         cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group
// PTX:         cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group
// PTX:         cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
// PTX:         cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group
tile.kernel @integers(%I: memref<?x32xi32> {tile.alignment = 16}, %L: memref<?x32xi64> {tile.alignment = 16}, %x: i32, %y: i64) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#rows) : memref<32x32xi32, #shared>
  %l = tile.alloc layout(#wide) : memref<32x32xi64, #shared>
  tile.fill %s with %x {layout = #small} : memref<32x32xi32, #shared>, i32
  tile.fill %l with %y {layout = #small} : memref<32x32xi64, #shared>, i64
  tile.atomic max %s to %I[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<32x32xi32, #shared> to memref<?x32xi32>
  tile.atomic max %s to %I[%c0, %c0] {is_unsigned} decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<32x32xi32, #shared> to memref<?x32xi32>
  tile.atomic add %l to %L[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 8>} : memref<32x32xi64, #shared> to memref<?x32xi64>
  tile.atomic min %l to %L[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 8>} : memref<32x32xi64, #shared> to memref<?x32xi64>
}

// With a token nobody waits until somebody asks: for the source here.
// CHECK-LABEL: llvm.func @token
// CHECK:         nvvm.cp.async.bulk.tensor.reduce
// CHECK:         nvvm.cp.async.bulk.commit.group
// CHECK-NOT:     wait_group 0
// CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:         llvm.store
tile.kernel @token(%C: memref<?x64xf32> {tile.alignment = 16}, %x: f32) grid(%b) = (4) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc layout(#plain) : memref<32x64xf32, #shared>
  tile.fill %s with %x {layout = #threads} : memref<32x64xf32, #shared>, f32
  %t = tile.atomic add %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<32x64xf32, #shared> to memref<?x64xf32> -> !tile.token
  tile.await read %t
  tile.fill %s with %x {layout = #threads} : memref<32x64xf32, #shared>, f32
  %u = tile.atomic add %s to %C[%c0, %c0] decided {plan = #tile.copy_plan<tma, bytes = 4>} : memref<32x64xf32, #shared> to memref<?x64xf32> -> !tile.token
  tile.await %u
}
