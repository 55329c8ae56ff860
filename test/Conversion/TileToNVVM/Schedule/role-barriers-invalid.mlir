// A block has sixteen barriers, one of which is its own: sixteen roles of two warps need one more.
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: {{.*}}expected roles that need at most 15 barriers (one for each of two warps and more, and one for each warpgroup of those of eight and more), got 16
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<16x128xf32>, %Y: memref<16x128xf32>) grid(%b) = (1) threads(1024) {
  %c0 = arith.constant 0 : index
  %cl = arith.constant 127 : index
  tile.warp_specialize
  role "r0" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 0 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r1" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 1 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r2" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 2 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r3" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 3 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r4" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 4 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r5" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 5 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r6" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 6 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r7" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 7 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r8" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 8 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r9" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 9 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r10" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 10 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r11" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 11 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r12" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 12 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r13" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 13 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r14" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 14 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
  role "r15" warps(2) {
    %s = tile.alloc : memref<128xf32, #shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %o = arith.constant 15 : index
    tile.copy %X[%o, %c0] sizes [1, 128] to %s : memref<16x128xf32> to memref<128xf32, #shared>
    tile.parallel (%i) in (128) {
      %q = arith.subi %cl, %i : index
      %x = memref.load %s[%q] : memref<128xf32, #shared>
      memref.store %x, %f[%i] : memref<128xf32, #tile.fragment>
    }
    tile.copy %f to %Y[%o, %c0] sizes [1, 128] : memref<128xf32, #tile.fragment> to memref<16x128xf32>
  }
}
