// Roles of one warp meet without a barrier: seventeen roles, two of which have two warps, take two barriers beside the block's.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --args=X=17x64,Y=17x64 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RIGHT
// RIGHT: PASS
// CHECK:     {{bar.sync|barrier.sync}} 1, 64;
// CHECK:     {{bar.sync|barrier.sync}} 2, 64;
// CHECK-NOT: {{bar.sync|barrier.sync}} {{[3-9]|1[0-9]}},
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<17x64xf32>, %Y: memref<17x64xf32>) grid(%b) = (1) threads(608) {
  %c0 = arith.constant 0 : index
  %cl = arith.constant 63 : index
  tile.warp_specialize
  role "r0" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 0 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r1" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 1 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r2" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 2 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r3" warps(2) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 3 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r4" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 4 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r5" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 5 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r6" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 6 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r7" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 7 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r8" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 8 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r9" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 9 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r10" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 10 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r11" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 11 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r12" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 12 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r13" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 13 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r14" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 14 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r15" warps(1) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 15 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
  role "r16" warps(2) {
    %s = tile.alloc : memref<64xf32, #shared>
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %o = arith.constant 16 : index
    tile.copy %X[%o, %c0] sizes [1, 64] to %s : memref<17x64xf32> to memref<64xf32, #shared>
    tile.parallel (%i) in (64) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<64xf32, #shared>
      memref.store %x, %f[%i] : memref<64xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 64] : memref<64xf32, #tile.fragment> to memref<17x64xf32>
  }
}
