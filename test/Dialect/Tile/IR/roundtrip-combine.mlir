// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @combined
tile.kernel @combined() grid(%bx) = (1) threads(128) {
  %lowest = arith.constant -1.0 : f32
  %none = arith.constant 64 : i32
  %x = tile.alloc : memref<8x64xf16, #tile.fragment>
  %c = tile.alloc : memref<8x64xi32, #shared>
  %best = tile.alloc : memref<8xf16, #tile.fragment>
  %where = tile.alloc : memref<8xi32, #tile.fragment>
  // CHECK: tile.reduce_with(%{{.*}}, %{{.*}}) to(%{{.*}}, %{{.*}}) dim(1) neutral(%{{.*}}, %{{.*}} : f32, i32) accumulate : (memref<8x64xf16, #tile.fragment>, memref<8x64xi32, #gpu.address_space<workgroup>>) to(memref<8xf16, #tile.fragment>, memref<8xi32, #tile.fragment>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  tile.reduce_with (%x, %c) to (%best, %where) dim(1) neutral(%lowest, %none : f32, i32) accumulate
      : (memref<8x64xf16, #tile.fragment>, memref<8x64xi32, #shared>) to (memref<8xf16, #tile.fragment>, memref<8xi32, #tile.fragment>) {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %value = arith.maximumf %a, %b : f32
    %place = arith.minsi %i, %j : i32
    tile.yield %value, %place : f32, i32
  }
  // CHECK: tile.scan_with(%[[X:.*]]) to(%[[X]]) dim(0) neutral(%{{.*}} : f32) reverse exclusive carry(%{{.*}} : memref<64xf16, #gpu.address_space<workgroup>>) : (memref<8x64xf16, #tile.fragment>) to(memref<8x64xf16, #tile.fragment>) {
  %carry = tile.alloc : memref<64xf16, #shared>
  tile.scan_with (%x) to (%x) dim(0) neutral(%lowest : f32) reverse exclusive carry(%carry : memref<64xf16, #shared>)
      : (memref<8x64xf16, #tile.fragment>) to (memref<8x64xf16, #tile.fragment>) {
  ^bb0(%a: f32, %b: f32):
    %value = arith.maximumf %a, %b : f32
    tile.yield %value : f32
  }
  // CHECK: tile.sort %{{.*}} dim(0) : memref<8x64xf16, #tile.fragment>
  tile.sort %x dim(0) : memref<8x64xf16, #tile.fragment>
  // CHECK: tile.sort %{{.*}}, %{{.*}} dim(1) descending {is_unsigned} : memref<8x64xi32, #gpu.address_space<workgroup>>, memref<8x64xf16, #tile.fragment>
  tile.sort %c, %x dim(1) descending {is_unsigned} : memref<8x64xi32, #shared>, memref<8x64xf16, #tile.fragment>
  %v = tile.alloc : memref<8x5xf16, #tile.fragment>
  %p = tile.alloc : memref<8x5xi64, #shared>
  // CHECK: tile.topk %{{.*}} to %{{.*}}, %{{.*}} dim(1) smallest : memref<8x64xf16, #tile.fragment> to memref<8x5xf16, #tile.fragment>, memref<8x5xi64, #gpu.address_space<workgroup>>
  tile.topk %x to %v, %p dim(1) smallest : memref<8x64xf16, #tile.fragment> to memref<8x5xf16, #tile.fragment>, memref<8x5xi64, #shared>
  // CHECK: tile.scan sum %{{.*}} to %{{.*}} dim(1) exclusive carry(%{{.*}} : memref<8xi32, #tile.fragment>)
  tile.scan sum %c to %c dim(1) exclusive carry(%where : memref<8xi32, #tile.fragment>) : memref<8x64xi32, #shared> to memref<8x64xi32, #shared>
  // CHECK: tile.scan prod
  tile.scan prod %c to %c dim(1) : memref<8x64xi32, #shared> to memref<8x64xi32, #shared>
  // CHECK: tile.reduce prod
  tile.reduce prod %c to %where dim(1) : memref<8x64xi32, #shared> to memref<8xi32, #tile.fragment>
}
