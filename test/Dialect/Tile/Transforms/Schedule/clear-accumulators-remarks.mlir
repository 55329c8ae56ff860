// Why accumulators are still filled before a loop.
// RUN: tile-opt %s --tile-clear-accumulators=remarks -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
#wgmma = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>
!a = memref<64x64xf16, #shared>
!acc = memref<64x64xf32, #tile.fragment>

tile.kernel @reasons(%C: memref<64x64xf32>, %n: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : !a
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  // expected-remark @below {{accumulators are filled before the loop: the loop may have no iterations}}
  scf.for %k = %c0 to %n step %c1 {
    %t = tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc -> !tile.token
    tile.await %t
  }
  tile.copy %C to %acc : memref<64x64xf32> to !acc
  // expected-remark @below {{accumulators are filled before the loop: they do not start from zero}}
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc
  }
  tile.fill %acc with %zero : !acc, f32
  // expected-remark @below {{accumulators are filled before the loop: the loop also uses them in something other than the product}}
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc
    tile.copy %acc to %C : !acc to memref<64x64xf32>
  }
  // What starts from zero says nothing.
  tile.fill %acc with %zero : !acc, f32
  scf.for %k = %c0 to %c8 step %c1 {
    tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc
  }
  tile.copy %acc to %C : !acc to memref<64x64xf32>
}

// A branch that asks another loop says nothing about this one.
tile.kernel @other_loop(%n: index, %m: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = tile.alloc : !a
  %acc = tile.alloc : !acc
  tile.fill %acc with %zero : !acc, f32
  %runs = tile.iteration exists(0) in %c0 to %m step %c1
  scf.if %runs {
    // expected-remark @below {{accumulators are filled before the loop: the loop may have no iterations}}
    scf.for %k = %c0 to %n step %c1 {
      %t = tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc -> !tile.token
      tile.await %t
    }
  }
  // Nor does one that asks for a second iteration of it, which is more than is needed.
  %second = tile.iteration exists(1) in %c0 to %n step %c1
  scf.if %second {
    // expected-remark @below {{accumulators are filled before the loop: the loop may have no iterations}}
    scf.for %k = %c0 to %n step %c1 {
      %t = tile.gemm %a, %a, %acc {plan = #wgmma} : !a, !a, !acc -> !tile.token
      tile.await %t
    }
  }
}
