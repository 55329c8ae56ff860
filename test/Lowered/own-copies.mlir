// Threads that copy for themselves, asynchronously: arrivals that follow the copies, arrivals and barriers that wait for them,
// and copies that cp.async cannot make.
// RUN: tile-run %s --kernel=arrive --args=rows=128:range:-2:40 --check | FileCheck %s
// RUN: tile-run %s --kernel=arrive --args=rows=128:range:-2:40 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=arrive --args=rows=128:range:-2:40 --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=arrive --args=rows=128:range:-2:40 --stage=lowered --arch=sm_90a --check --seed=7 | FileCheck %s
// RUN: tile-run %s --kernel=wait --check | FileCheck %s
// RUN: tile-run %s --kernel=wait --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=wait --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --check | FileCheck %s
// RUN: tile-run %s --kernel=odd --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// Two slots: rows below zero are zeros, by plain stores, which the thread's own arrival releases. Nobody waits for a copy but
// those who wait at the barrier.
// PTX-LABEL: .entry arrive
// PTX-DAG: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// PTX-DAG: cp.async.mbarrier.arrive.shared.b64
// PTX-DAG: mbarrier.arrive.shared::cta.b64 _,
// PTX-LABEL: .entry wait
tile.kernel @arrive(%X: memref<40x64xf16> {tile.alignment = 16}, %rows: memref<128xi32>, %out: memref<16x64xf32>)
    grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %low = arith.constant 0 : i32
  %slots = tile.alloc : memref<2x16x64xf16, #shared>
  %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  tile.on_warps 0 count 4 {
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %other = arith.addi %round, %c1 : index
      tile.mbarrier.wait %free[%slot] parity %other : !tile.mbarrier<2>
      tile.parallel (%t) in (128) attributes {coalesced_width = 1 : i64} {
        %i = arith.divui %t, %c8 : index
        %piece = arith.remui %t, %c8 : index
        %first = arith.muli %piece, %c8 : index
        %at = arith.muli %k, %c16 : index
        %named = arith.addi %at, %i : index
        %row = memref.load %rows[%named] : memref<128xi32>
        %is = arith.cmpi sge, %row, %low : i32
        scf.if %is {
          %r = arith.index_cast %row : i32 to index
          scf.for %e = %c0 to %c8 step %c1 {
            %j = arith.addi %first, %e : index
            %x = memref.load %X[%r, %j] : memref<40x64xf16>
            memref.store %x, %slots[%slot, %i, %j] : memref<2x16x64xf16, #shared>
          } {tile.async_copy}
        } else {
          scf.for %e = %c0 to %c8 step %c1 {
            %j = arith.addi %first, %e : index
            memref.store %none, %slots[%slot, %i, %j] : memref<2x16x64xf16, #shared>
          }
        }
      }
      tile.mbarrier.arrive %ready[%slot] after_copies : !tile.mbarrier<2>
    }
  }
  tile.on_warps 4 count 4 {
    tile.fill %sum with %zero : memref<16x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %c8 step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      tile.mbarrier.wait %ready[%slot] parity %round : !tile.mbarrier<2>
      tile.parallel (%i, %j) in (16, 64) {
        %x = memref.load %slots[%slot, %i, %j] : memref<2x16x64xf16, #shared>
        %wide = arith.extf %x : f16 to f32
        %s = memref.load %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
        %next = arith.addf %s, %wide : f32
        memref.store %next, %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %free[%slot] : !tile.mbarrier<2>
    }
    tile.copy %sum to %out : memref<16x64xf32, #tile.fragment> to memref<16x64xf32>
  }
}

// A barrier of the block between copies and who reads them waits for the copies; so does the end of a kernel for copies that
// nothing reads.
// PTX: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8;
// PTX: cp.async.wait_{{all|group 0}}
// PTX: bar.sync
// PTX-LABEL: .entry odd
tile.kernel @wait(%X: memref<32x32xf32> {tile.alignment = 16}, %out: memref<32x32xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<32x32xf32, #shared>
  %n = tile.alloc : memref<32x32xf32, #shared>
  scf.for %p = %c0 to %c2 step %c1 {
    tile.parallel (%i, %q) in (32, 16) attributes {coalesced_width = 1 : i64} {
      %first = arith.muli %q, %c2 : index
      scf.for %e = %c0 to %c2 step %c1 {
        %j = arith.addi %first, %e : index
        %x = memref.load %X[%i, %j] : memref<32x32xf32>
        memref.store %x, %s[%i, %j] : memref<32x32xf32, #shared>
      } {tile.async_copy}
      scf.for %e = %c0 to %c2 step %c1 {
        %j = arith.addi %first, %e : index
        %x = memref.load %X[%i, %j] : memref<32x32xf32>
        memref.store %x, %n[%i, %j] : memref<32x32xf32, #shared>
      } {tile.async_copy}
    }
    tile.parallel (%i, %j) in (32, 32) {
      %x = memref.load %s[%j, %i] : memref<32x32xf32, #shared>
      memref.store %x, %out[%i, %j] : memref<32x32xf32>
    }
  }
}

// Three elements at places of no known alignment: loads and stores.
// PTX-NOT: cp.async.c{{[ag]}}.shared
tile.kernel @odd(%X: memref<16x33xf16>, %out: memref<16x33xf16>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = tile.alloc : memref<16x33xf16, #shared>
  tile.parallel (%i, %q) in (16, 11) attributes {coalesced_width = 1 : i64} {
    %first = arith.muli %q, %c3 : index
    scf.for %e = %c0 to %c3 step %c1 {
      %j = arith.addi %first, %e : index
      %x = memref.load %X[%i, %j] : memref<16x33xf16>
      memref.store %x, %s[%i, %j] : memref<16x33xf16, #shared>
    } {tile.async_copy}
  }
  tile.copy %s to %out : memref<16x33xf16, #shared> to memref<16x33xf16>
}
