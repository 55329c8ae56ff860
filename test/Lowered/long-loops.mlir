// Loops of thousands of elements a thread that use no fragment: they stay loops, whatever they do with an element.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tile-run %s --kernel=transposed --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=transposed --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=sums --stage=lowered --arch=sm_90a --args=A=200x72:smallint,B=72:zeros --check | FileCheck %s
// RUN: tile-run %s --kernel=packed --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=packed --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=through_shared --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=through_shared --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=replicated --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// A part of them is written out.
// PTX-LABEL: .entry transposed
// PTX-COUNT-85: st.global
// PTX-NOT: st.global
// PTX-LABEL: .entry sums
tile.kernel @transposed(%A: memref<200x136xf32>, %B: memref<136x200xf32>) grid(%b) = (1) threads(32) {
  tile.parallel (%i, %j) in (200, 136) {
    %x = memref.load %A[%i, %j] : memref<200x136xf32>
    memref.store %x, %B[%j, %i] : memref<136x200xf32>
  }
}

tile.kernel @sums(%A: memref<200x72xf32>, %B: memref<72xf32>) grid(%b) = (1) threads(32) {
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i, %j) in (200, 72) {
    %x = memref.load %A[%i, %j] : memref<200x72xf32>
    %some = arith.cmpf ogt, %x, %zero : f32
    scf.if %some {
      %old = memref.atomic_rmw addf %x, %B[%j] : (f32, memref<72xf32>) -> f32
    }
  }
}

tile.kernel @packed(%A: memref<64x512xi4>, %B: memref<64x512xi4>, %C: memref<64x512xi8>) grid(%b) = (1) threads(32) {
  tile.parallel (%i, %j) in (64, 512) {
    %x = memref.load %A[%i, %j] : memref<64x512xi4>
    %y = arith.extsi %x : i4 to i8
    memref.store %x, %B[%i, %j] : memref<64x512xi4>
    memref.store %y, %C[%i, %j] : memref<64x512xi8>
  }
}

tile.kernel @through_shared(%A: memref<100x256xf32>, %B: memref<100x256xf16>) grid(%b) = (1) threads(32) {
  %two = arith.constant 2.0 : f32
  %s = tile.alloc : memref<100x256xf32, #shared>
  tile.fill %s with %two : memref<100x256xf32, #shared>, f32
  tile.parallel (%i, %j) in (100, 256) {
    %x = memref.load %s[%i, %j] : memref<100x256xf32, #shared>
    %y = memref.load %A[%i, %j] : memref<100x256xf32>
    %z = arith.mulf %x, %y : f32
    memref.store %z, %s[%i, %j] : memref<100x256xf32, #shared>
  }
  tile.copy %s to %B : memref<100x256xf32, #shared> to memref<100x256xf16>
}

// Fewer elements than threads along the inner dimension: some threads do the same.
tile.kernel @replicated(%A: memref<3000x3xf32>, %B: memref<3000x3xf32>) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (3000, 3) {
    %x = memref.load %A[%i, %j] : memref<3000x3xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %B[%i, %j] : memref<3000x3xf32>
  }
}
