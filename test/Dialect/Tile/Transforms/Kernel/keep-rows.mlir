// Rows that several loops read piece by piece come from global memory once.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-keep-rows=remarks -verify-diagnostics | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_86 --tile-keep-rows | FileCheck %s --check-prefix=SMALL
// RUN: tile-run %s --kernel=twice --args=X=3x20000:normal --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run %s --kernel=twice --args=X=3x20000:normal --stage=lowered --arch=sm_80 --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS

// The example of the pass, with pieces that the row ends within: what lies behind it is the same constant in both loops.
// sm_86 has room for it, too.
// CHECK-LABEL:  tile.kernel @twice
// CHECK:          %[[KEPT:.*]] = tile.alloc : memref<1x20480xf16, #gpu.address_space<workgroup>>
// CHECK:          %[[PAD:.*]] = arith.constant -6.000000e+04 : f16
// CHECK:          tile.copy %X[%{{.*}}, %{{.*}}] sizes [1, 20480] to %[[KEPT]] pad(%[[PAD]] : f16)
// CHECK:          scf.for %[[N:.*]] =
// CHECK-NEXT:       tile.copy %[[KEPT]][%{{.*}}, %[[N]]] sizes [1, 4096] to
// CHECK:          scf.for %[[N2:.*]] =
// CHECK-NEXT:       tile.copy %[[KEPT]][%{{.*}}, %[[N2]]] sizes [1, 4096] to
// CHECK-NOT:      tile.copy %X
// SMALL-LABEL:  tile.kernel @twice
// SMALL:          tile.copy %X[%{{.*}}, %{{.*}}] sizes [1, 20480] to
tile.kernel @twice(%X: memref<?x20000xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 3, 20000>}, %M: memref<?xf32> {tile.shape_hint = array<i64: 3>}, %S: memref<?xf32> {tile.shape_hint = array<i64: 3>})
    grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 4096 : index
  %end = arith.constant 20000 : index
  %low = arith.constant -6.0e+4 : f32
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %top = tile.alloc : memref<1xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %top with %low : memref<1xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<1xf32, #tile.fragment>, f32
  scf.for %n = %c0 to %end step %step {
    // expected-remark @+1 {{rows stay in shared memory: 40960 bytes that 2 walks read, and global memory is read once}}
    tile.copy %X[%m, %n] to %x pad(%low : f32) : memref<?x20000xf16> to memref<1x4096xf32, #tile.fragment>
    tile.reduce max %x to %top dim(1) accumulate : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%m, %n] to %x pad(%low : f32) : memref<?x20000xf16> to memref<1x4096xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %v = memref.load %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
      %t = memref.load %top[%i] : memref<1xf32, #tile.fragment>
      %d = arith.subf %v, %t : f32
      %e = math.exp %d : f32
      memref.store %e, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %x to %sum dim(1) accumulate : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %top to %M[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
  tile.copy %sum to %S[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// -----

// Nothing lies outside: pads do not count. Where the rows are those of blocks of 4, something may.
// CHECK-LABEL:  tile.kernel @pads
// CHECK:          tile.copy %X[%{{.*}}, %{{.*}}] sizes [1, 16384] to %{{.*}} :
// CHECK:          tile.copy %Y[%{{.*}}, %{{.*}}] to
// CHECK:          tile.copy %Y[%{{.*}}, %{{.*}}] to
tile.kernel @pads(%X: memref<?x16384xf16>, %Y: memref<?x16384xf16>) grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %step = arith.constant 4096 : index
  %end = arith.constant 16384 : index
  %one = arith.constant 1.0 : f32
  %rows = arith.muli %m, %c4 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %y = tile.alloc : memref<4x4096xf32, #tile.fragment>
  scf.for %n = %c0 to %end step %step {
    // expected-remark @+1 {{rows stay in shared memory}}
    tile.copy %X[%m, %n] to %x pad(%one : f32) : memref<?x16384xf16> to memref<1x4096xf32, #tile.fragment>
    // expected-remark @+1 {{read from global memory in each walk: its walks may reach beyond the buffer and pad differently, or by what its elements cannot be; the same constant `pad` in all walks serves}}
    tile.copy %Y[%rows, %n] to %y pad(%one : f32) : memref<?x16384xf16> to memref<4x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%m, %n] to %x : memref<?x16384xf16> to memref<1x4096xf32, #tile.fragment>
    tile.copy %Y[%rows, %n] to %y : memref<?x16384xf16> to memref<4x4096xf32, #tile.fragment>
  }
}

// -----

// Rows that are too long.
// CHECK-LABEL:  tile.kernel @long
// CHECK-NOT:      sizes
tile.kernel @long(%X: memref<?x131072xf16>) grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 4096 : index
  %end = arith.constant 131072 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  scf.for %n = %c0 to %end step %step {
    // expected-remark @+1 {{read from global memory in each walk: its rows take 262144 bytes of shared memory, 224256 are left; fewer rows a block, or rows divided among blocks, fit}}
    tile.copy %X[%m, %n] to %x : memref<?x131072xf16> to memref<1x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%m, %n] to %x : memref<?x131072xf16> to memref<1x4096xf32, #tile.fragment>
  }
}

// -----

// Too few threads to bring a row at once.
// CHECK-LABEL:  tile.kernel @few
// CHECK-NOT:      sizes
tile.kernel @few(%X: memref<?x32768xf16>) grid(%m) = (dim(%X, 0)) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %piece = arith.constant 1024 : index
  %pieces = arith.constant 32 : index
  %x = tile.alloc : memref<1x1024xf32, #tile.fragment>
  scf.for %n = %c0 to %pieces step %c1 {
    %j = arith.muli %n, %piece : index
    // expected-remark @+1 {{read from global memory in each walk: its rows take 1024 bytes of a thread, more than 512; more `threads(...)` bring them at once}}
    tile.copy %X[%m, %j] to %x : memref<?x32768xf16> to memref<1x1024xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %pieces step %c1 {
    %j = arith.muli %n, %piece : index
    tile.copy %X[%m, %j] to %x : memref<?x32768xf16> to memref<1x1024xf32, #tile.fragment>
  }
}

// -----

// Pieces are counted, and what says where rows begin stands in each loop.
// CHECK-LABEL:  tile.kernel @counted
// CHECK:          tile.copy %X[%{{.*}}, %{{.*}}] sizes [2, 20480] to %[[KEPT:.*]] pad
// CHECK:          scf.for
// CHECK:            %[[J:.*]] = arith.muli
// CHECK-NEXT:       tile.copy %[[KEPT]][%{{.*}}, %[[J]]] sizes [2, 4096]
// CHECK:          scf.for
// CHECK:            tile.copy %[[KEPT]][
tile.kernel @counted(%X: memref<?x20000xf16>) grid(%b) = (dim(%X, 0) ceildiv 2) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %piece = arith.constant 4096 : index
  %one = arith.constant 1.0 : f32
  %x = tile.alloc : memref<2x4096xf32, #tile.fragment>
  scf.for %n = %c0 to %c5 step %c1 {
    %m = arith.muli %b, %c2 : index
    %j = arith.muli %n, %piece : index
    // expected-remark @+1 {{rows stay in shared memory: 81920 bytes that 2 walks read, and global memory is read once}}
    tile.copy %X[%m, %j] to %x pad(%one : f32) : memref<?x20000xf16> to memref<2x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %c5 step %c1 {
    %m = arith.muli %b, %c2 : index
    %j = arith.muli %piece, %n : index
    tile.copy %X[%m, %j] to %x pad(%one : f32) : memref<?x20000xf16> to memref<2x4096xf32, #tile.fragment>
  }
}

// -----

// Short rows, which the caches have; one walk; other rows; a buffer that the kernel writes; pieces with gaps.
// CHECK-LABEL:  tile.kernel @left
// CHECK-NOT:      sizes
tile.kernel @left(%S: memref<?x8192xf16>, %X: memref<?x16384xf16>, %W: memref<?x16384xf32>) grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 4096 : index
  %c2048 = arith.constant 2048 : index
  %short = arith.constant 8192 : index
  %end = arith.constant 16384 : index
  %other = arith.addi %m, %c1 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %half = tile.alloc : memref<1x2048xf32, #tile.fragment>
  scf.for %n = %c0 to %short step %step {
    tile.copy %S[%m, %n] to %x : memref<?x8192xf16> to memref<1x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %short step %step {
    tile.copy %S[%m, %n] to %x : memref<?x8192xf16> to memref<1x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%m, %n] to %x : memref<?x16384xf16> to memref<1x4096xf32, #tile.fragment>
    tile.copy %W[%m, %n] to %x : memref<?x16384xf32> to memref<1x4096xf32, #tile.fragment>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%other, %n] to %x : memref<?x16384xf16> to memref<1x4096xf32, #tile.fragment>
    tile.copy %W[%m, %n] to %x : memref<?x16384xf32> to memref<1x4096xf32, #tile.fragment>
    tile.copy %x to %W[%m, %n] : memref<1x4096xf32, #tile.fragment> to memref<?x16384xf32>
  }
  scf.for %n = %c0 to %end step %step {
    tile.copy %X[%m, %n] to %half : memref<?x16384xf16> to memref<1x2048xf32, #tile.fragment>
  }
}
