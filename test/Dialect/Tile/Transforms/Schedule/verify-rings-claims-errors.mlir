// Attributes that speak of the schedule and are not so: what mbarriers count (R9).
// RUN: tile-opt %s --tile-verify-rings -split-input-file -verify-diagnostics=only-expected -o /dev/null

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x64xf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>
!gemms = !tile.ring<2 x [!a, !b], tma -> wgmma>
!role = !tile.ring<2 x [!a, !b], threads_mbarrier -> wgmma>
!both = !tile.ring<2 x [!a, !b], tma -> (wgmma, threads)>

// Two warpgroups release, one is counted: the slot would be filled too early.
tile.kernel @empty(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R9] a phase of its empty mbarriers counts 1 arrivals, but 2 are made by who releases}}
  %r = tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 1 : i64, full = 1 : i64}} : !gemms
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !gemms
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !gemms
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !gemms
      tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      tile.ring.release %r[%k] : !gemms
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x64xf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>
!role = !tile.ring<2 x [!a, !b], threads_mbarrier -> wgmma>

// Each of four warps arrives after its stores, one is counted.
tile.kernel @full(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{[R9] a phase of its full mbarriers counts 1 arrivals, but 4 are made by who commits}}
  %r = tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}} : !role
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !role
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !role
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !role
      tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      tile.ring.release %r[%k] : !role
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x64xf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>
!half = memref<128x64xf16, #tile.fragment>
!both = !tile.ring<2 x [!a, !b], tma -> (wgmma, threads)>

// Threads read, and one of them arrives for 128 that have not met.
tile.kernel @meet(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}} : !both
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !both
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !both
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    %f = tile.alloc : !half
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !both
      tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      tile.copy %a to %f : !a to !half
      // expected-error @below {{[R9] ring[0] was read by threads, for which the ring's arrivals by warpgroup do not speak: expected arrivals by warp}}
      tile.ring.release %r[%k] : !both
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [8, 1]>
!a = memref<128x64xf16, #shared>
!b = memref<64x64xf16, #shared>
!acc = memref<128x64xf32, #tile.fragment>
!gemms = !tile.ring<2 x [!a, !b], tma -> wgmma>

// The gemm may be left out; one thread of the warpgroup arrives all the same.
tile.kernel @skipped(%A: memref<128x64xf16>, %B: memref<64x64xf16>, %n: index, %m: index) grid(%bx) = (1) threads(384) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}} : !gemms
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.acquire %r[%k] : !gemms
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.copy %B to %b : memref<64x64xf16> to !b
      tile.ring.commit %r[%k] : !gemms
    }
  }
  role "mma" warps(8) {
    %acc = tile.alloc : !acc
    scf.for %k = %c0 to %n step %c1 {
      %a, %b = tile.ring.wait %r[%k] : !gemms
      %is = arith.cmpi slt, %k, %m : index
      scf.if %is {
        tile.gemm %a, %b, %acc {plan = #wgmma} : !a, !b, !acc
      }
      // expected-error @below {{[R9] one thread of each warpgroup arrives for ring[0], but no wgmma read it: nothing shows that the other warps have passed the wait}}
      tile.ring.release %r[%k] : !gemms
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
!a = memref<128x64xf16, #shared>
!read = !tile.ring<2 x [!a], tma -> threads>

// Each warp arrives for itself: there is nothing to meet for.
tile.kernel @needless(%A: memref<128x64xf16>, %n: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create {tile.arrivals = {by = "warp", empty = 4 : i64, full = 1 : i64}} : !read
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %k = %c0 to %n step %c1 {
      %a = tile.ring.acquire %r[%k] : !read
      tile.copy %A to %a : memref<128x64xf16> to !a
      tile.ring.commit %r[%k] : !read
    }
  }
  role "use" warps(4) {
    %f = tile.alloc : memref<128x64xf16, #tile.fragment>
    scf.for %k = %c0 to %n step %c1 {
      %a = tile.ring.wait %r[%k] : !read
      tile.copy %a to %f : !a to memref<128x64xf16, #tile.fragment>
      // expected-error @below {{[R9] warpgroups meet for a ring whose arrivals are not by warpgroups}}
      tile.ring.release %r[%k] {tile.meet} : !read
    }
  }
}
