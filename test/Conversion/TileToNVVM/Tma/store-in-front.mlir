// Where a store may begin at a negative index, each group of warps asks, and stores its part by threads there: a tensor copy that begins in
// front of a buffer is an illegal instruction. The group of bulk copies is committed on both ways, since who waits counts groups.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-place-shared-memory --tile-insert-barriers --convert-tile-to-nvvm --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 4>

// CHECK-LABEL: llvm.func @may_begin_in_front
// CHECK: %[[FRONT:.*]] = llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.cond_br %[[FRONT]]
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr<1>
// CHECK: fence.proxy.async.global
// CHECK: llvm.xor %[[FRONT]]
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0
tile.kernel @may_begin_in_front(%Y: memref<?x32xf32> {tile.alignment = 16}, %at: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  tile.copy %s to %Y[%at, %c0] decided {in_front, plan = #tma} : memref<16x32xf32, #shared> to memref<?x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 4>

// Four groups of warps: each asks for where its own four rows begin.
// CHECK-LABEL: llvm.func @groups
// CHECK: %[[GROUP:.*]] = llvm.udiv
// CHECK: llvm.mul %[[GROUP]], %{{.*}} : i32
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
tile.kernel @groups(%Y: memref<?x32xf32> {tile.alignment = 16}, %at: index) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  %t = tile.copy %s to %Y[%at, %c0] decided {groups = array<i64: 4, 1>, in_front, plan = #tma} : memref<16x32xf32, #shared> to memref<?x32xf32> -> !tile.token
  tile.await %t
}

// -----

#shared = #gpu.address_space<workgroup>
#tma = #tile.copy_plan<tma, bytes = 4>

// Nothing of an empty buffer is stored: the coordinate lies behind its map's one row, not in front of it.
// CHECK-LABEL: llvm.func @empty
// CHECK-NOT: llvm.icmp "slt"
// CHECK-DAG: %[[BEHIND:.*]] = llvm.mlir.constant(2147483615 : i32) : i32
// CHECK: llvm.select %{{.*}}, %[[BEHIND]], %{{.*}} : i1, i32
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
tile.kernel @empty(%Y: memref<?x32xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  tile.copy %s to %Y[%c0, %c0] decided {plan = #tma} : memref<16x32xf32, #shared> to memref<?x32xf32>
}
