// Scans by registers, lanes and warps, along either dimension and both ways,
// in place or not, of fragments and shared tiles; also where threads have more
// places than the tile has elements.
// RUN: tile-run %s --kernel=scans --check | FileCheck %s
// RUN: tile-run %s --kernel=scans --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=scans --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=scans --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=one_row --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=one_row --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=nan | FileCheck %s --check-prefix=NAN
// RUN: tile-run %s --kernel=nan --stage=lowered --arch=sm_80 | FileCheck %s --check-prefix=NAN
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// Four neighbours of a row in a thread, 16 lanes: four steps of shuffles.
// PTX-LABEL: .entry scans
// PTX: shfl.sync.idx.b32
tile.kernel @scans(%A: memref<64x64xf32>, %I: memref<64x64xi32>, %R: memref<64x64xf32>, %C: memref<64x64xf32>, %X: memref<64x64xi32>, %U: memref<64x64xi32>, %H: memref<64x64xf16>)
    grid(%b) = (1) threads(128) {
  %a = tile.alloc : memref<64x64xf32, #tile.fragment>
  %s = tile.alloc : memref<64x64xf32, #shared>
  %i = tile.alloc : memref<64x64xi32, #shared>
  %h = tile.alloc : memref<64x64xf16, #tile.fragment>
  tile.copy %A to %a : memref<64x64xf32> to memref<64x64xf32, #tile.fragment>
  tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
  tile.copy %A to %h : memref<64x64xf32> to memref<64x64xf16, #tile.fragment>
  tile.scan sum %a to %a dim(1) : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
  tile.copy %a to %R : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.scan sum %s to %a dim(0) reverse : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
  tile.copy %a to %C : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
  tile.copy %I to %i : memref<64x64xi32> to memref<64x64xi32, #shared>
  tile.scan max %i to %i dim(0) : memref<64x64xi32, #shared> to memref<64x64xi32, #shared>
  tile.copy %i to %X : memref<64x64xi32, #shared> to memref<64x64xi32>
  tile.copy %I to %i : memref<64x64xi32> to memref<64x64xi32, #shared>
  tile.scan min %i to %i dim(1) reverse {is_unsigned} : memref<64x64xi32, #shared> to memref<64x64xi32, #shared>
  tile.copy %i to %U : memref<64x64xi32, #shared> to memref<64x64xi32>
  tile.scan sum %h to %h dim(0) : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #tile.fragment>
  tile.copy %h to %H : memref<64x64xf16, #tile.fragment> to memref<64x64xf16>
}

tile.kernel @odd(%A: memref<5x37xi32>, %B: memref<2x200xi64>, %R: memref<5x37xi32>, %C: memref<5x37xi32>, %L: memref<2x200xi64>, %V: memref<9xi32>)
    grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : memref<5x37xi32, #tile.fragment>
  %s = tile.alloc : memref<5x37xi32, #shared>
  %l = tile.alloc : memref<2x200xi64, #tile.fragment>
  %v = tile.alloc : memref<9xi32, #shared>
  tile.copy %A to %a : memref<5x37xi32> to memref<5x37xi32, #tile.fragment>
  tile.copy %A to %s : memref<5x37xi32> to memref<5x37xi32, #shared>
  tile.scan sum %a to %a dim(1) reverse : memref<5x37xi32, #tile.fragment> to memref<5x37xi32, #tile.fragment>
  tile.copy %a to %R : memref<5x37xi32, #tile.fragment> to memref<5x37xi32>
  tile.scan sum %s to %s dim(0) : memref<5x37xi32, #shared> to memref<5x37xi32, #shared>
  tile.copy %s to %C : memref<5x37xi32, #shared> to memref<5x37xi32>
  tile.copy %B to %l : memref<2x200xi64> to memref<2x200xi64, #tile.fragment>
  tile.scan sum %l to %l dim(1) : memref<2x200xi64, #tile.fragment> to memref<2x200xi64, #tile.fragment>
  tile.copy %l to %L : memref<2x200xi64, #tile.fragment> to memref<2x200xi64>
  // Fewer elements than threads: all warps but one are replicas.
  tile.copy %A[%c0, %c0] sizes [1, 9] to %v : memref<5x37xi32> to memref<9xi32, #shared>
  tile.scan sum %v to %v dim(0) : memref<9xi32, #shared> to memref<9xi32, #shared>
  tile.copy %v to %V : memref<9xi32, #shared> to memref<9xi32>
}

// NAN-DAG: ignored[0]: 4
// NAN-DAG: kept[0]: 2
tile.kernel @nan(%N: memref<4xi32>) grid(%b) = (1) threads(32) {
  %nan = arith.constant 0x7fc00000 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %x = tile.alloc : memref<4xf32, #tile.fragment>
  %y = tile.alloc : memref<4xf32, #tile.fragment>
  %i = tile.alloc : memref<4xi32, #tile.fragment>
  %k = tile.alloc : memref<4xi32, #tile.fragment>
  %n = tile.alloc : memref<1xi32, #tile.fragment>
  tile.parallel (%j) in (4) {
    %is = arith.cmpi eq, %j, %c2 : index
    %v = arith.select %is, %nan, %one : f32
    memref.store %v, %x[%j] : memref<4xf32, #tile.fragment>
  }
  tile.scan max %x to %y dim(0) : memref<4xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.scan max %x to %x dim(0) {propagate_nan} : memref<4xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%j) in (4) {
    %a = memref.load %y[%j] : memref<4xf32, #tile.fragment>
    %b2 = memref.load %x[%j] : memref<4xf32, #tile.fragment>
    %p = arith.cmpf ord, %a, %a : f32
    %q = arith.cmpf ord, %b2, %b2 : f32
    %pi = arith.extui %p : i1 to i32
    %qi = arith.extui %q : i1 to i32
    memref.store %pi, %i[%j] : memref<4xi32, #tile.fragment>
    memref.store %qi, %k[%j] : memref<4xi32, #tile.fragment>
  }
  tile.reduce sum %i to %n dim(0) : memref<4xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.print "ignored" %n : memref<1xi32, #tile.fragment>
  tile.reduce sum %k to %n dim(0) : memref<4xi32, #tile.fragment> to memref<1xi32, #tile.fragment>
  tile.print "kept" %n : memref<1xi32, #tile.fragment>
  tile.copy %k to %N : memref<4xi32, #tile.fragment> to memref<4xi32>
}

// One element along the dimension: the threads that hold none of their own are replicas, no digits of it.
tile.kernel @one_row(%A: memref<1x32xf32>, %B: memref<1x32xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x32xf32, #gpu.address_space<workgroup>>
  %y = tile.alloc : memref<1x32xf32, #gpu.address_space<workgroup>>
  tile.copy %A[%c0, %c0] to %x : memref<1x32xf32> to memref<1x32xf32, #gpu.address_space<workgroup>>
  tile.scan sum %x to %y dim(0) reverse : memref<1x32xf32, #gpu.address_space<workgroup>> to memref<1x32xf32, #gpu.address_space<workgroup>>
  tile.copy %y to %B[%c0, %c0] : memref<1x32xf32, #gpu.address_space<workgroup>> to memref<1x32xf32>
}
