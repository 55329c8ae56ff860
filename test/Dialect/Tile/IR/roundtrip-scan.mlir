// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @scans
tile.kernel @scans() grid(%bx) = (1) threads(128) {
  %f = tile.alloc : memref<64x32xf32, #tile.fragment>
  %s = tile.alloc : memref<64x32xf32, #shared>
  %i = tile.alloc : memref<64xi32, #shared>
  %rows = tile.alloc : memref<1xi32, #tile.fragment>
  // CHECK: tile.scan sum %[[F:.*]] to %[[F]] dim(1) : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #tile.fragment>
  // GENERIC: "tile.scan"({{.*}}) <{dim = 1 : i64, kind = #tile.reduce_kind<sum>}>
  tile.scan sum %f to %f dim(1) : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #tile.fragment>
  // CHECK: tile.scan max %{{.*}} dim(0) reverse {propagate_nan} : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #gpu.address_space<workgroup>>
  // GENERIC: "tile.scan"({{.*}}) <{{{.*}}reverse}>
  tile.scan max %f to %s dim(0) reverse {propagate_nan} : memref<64x32xf32, #tile.fragment> to memref<64x32xf32, #shared>
  // CHECK: tile.scan min %{{.*}} dim(0) {is_unsigned}
  tile.scan min %i to %i dim(0) {is_unsigned} : memref<64xi32, #shared> to memref<64xi32, #shared>
  // CHECK: tile.reduce bitand
  tile.reduce bitand %i to %rows dim(0) : memref<64xi32, #shared> to memref<1xi32, #tile.fragment>
  // CHECK: tile.reduce bitor
  tile.reduce bitor %i to %rows dim(0) : memref<64xi32, #shared> to memref<1xi32, #tile.fragment>
  // CHECK: tile.reduce bitxor
  tile.reduce bitxor %i to %rows dim(0) accumulate : memref<64xi32, #shared> to memref<1xi32, #tile.fragment>
}
