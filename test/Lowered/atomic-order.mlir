// Loads and stores with a memory order: each block waits for the one before it
// and reads what that has written; elements of shared memory, relaxed.
// RUN: tile-run %s --kernel=chain --args=F=6:zeros --check | FileCheck %s
// RUN: tile-run %s --kernel=chain --args=F=6:zeros --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=chain --args=F=6:zeros --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=chain --args=F=6:zeros --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-run %s --kernel=relaxed --check | FileCheck %s
// RUN: tile-run %s --kernel=relaxed --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=relaxed --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=turned --check | FileCheck %s
// RUN: tile-run %s --kernel=turned --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// All threads have stored in front of the release, and none reads in front of
// the acquire.
// PTX-LABEL: .entry chain
// PTX: ld.acquire.gpu.global.b32
// PTX: bar.sync 0;
// PTX: ld.global
// PTX: bar.sync 0;
// PTX: st.release.gpu.global.b32
tile.kernel @chain(%X: memref<6x32xf32>, %Y: memref<6x32xf32>, %F: memref<6xi32>) grid(%b) = (6) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f = tile.alloc : memref<32xf32, #tile.fragment>
  %g = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %X[%b, %c0] sizes [1, 32] to %f : memref<6x32xf32> to memref<32xf32, #tile.fragment>
  %isLater = arith.cmpi ne, %b, %c0 : index
  scf.if %isLater {
    %before = arith.subi %b, %c1 : index
    tile.parallel (%i) in (1) {
      scf.while : () -> () {
        %flag = tile.atomic_load acquire %F[%before] : memref<6xi32>
        %waits = arith.cmpi eq, %flag, %none : i32
        scf.condition(%waits)
      } do {
        scf.yield
      }
    }
    tile.copy %Y[%before, %c0] sizes [1, 32] to %g : memref<6x32xf32> to memref<32xf32, #tile.fragment>
    tile.parallel (%i) in (32) {
      %x = memref.load %f[%i] : memref<32xf32, #tile.fragment>
      %y = memref.load %g[%i] : memref<32xf32, #tile.fragment>
      %sum = arith.addf %x, %y : f32
      memref.store %sum, %f[%i] : memref<32xf32, #tile.fragment>
    }
  }
  tile.copy %f to %Y[%b, %c0] sizes [1, 32] : memref<32xf32, #tile.fragment> to memref<6x32xf32>
  tile.parallel (%i) in (1) {
    tile.atomic_store release %one, %F[%b] : memref<6xi32>
  }
}

// PTX-LABEL: .entry relaxed
// PTX: st.relaxed.cta.shared.b32
// PTX: bar.sync 0;
// PTX: ld.relaxed.cta.shared.b32
tile.kernel @relaxed(%X: memref<64xf32>, %Y: memref<64xf32>, %Z: memref<64xi64>) grid(%b) = (1) threads(64) {
  %last = arith.constant 63 : index
  %s = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xf32>
    tile.atomic_store relaxed %x, %s[%i] : memref<64xf32, #shared>
  }
  tile.parallel (%i) in (64) {
    %at = arith.subi %last, %i : index
    %x = tile.atomic_load relaxed %s[%at] : memref<64xf32, #shared>
    memref.store %x, %Y[%i] : memref<64xf32>
    %n = arith.fptosi %x : f32 to i64
    tile.atomic_store relaxed %n, %Z[%i] : memref<64xi64>
  }
}

// A loop that stores and one that loads other elements: threads meet between.
// PTX-LABEL: .entry turned
// PTX: st.relaxed.gpu.global.b32
// PTX: bar.sync 0;
// PTX: ld.relaxed.gpu.global.b32
tile.kernel @turned(%X: memref<64xi32>, %Y: memref<64xi32>, %Z: memref<64xi32>) grid(%b) = (1) threads(64) {
  %last = arith.constant 63 : index
  tile.parallel (%i) in (64) {
    %x = memref.load %X[%i] : memref<64xi32>
    tile.atomic_store relaxed %x, %Y[%i] : memref<64xi32>
  }
  tile.parallel (%i) in (64) {
    %at = arith.subi %last, %i : index
    %x = tile.atomic_load relaxed %Y[%at] : memref<64xi32>
    memref.store %x, %Z[%i] : memref<64xi32>
  }
}
