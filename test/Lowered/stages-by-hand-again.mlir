// A loop whose stages wait by hand, in a loop around it: a slot for each stage only where each has an even number of uses in a run of the loop. A view of a tile keeps one slot, too.
// RUN: tile-run %s --kernel=nested --stage=lowered --arch=sm_90a --check --args=A=64x32:smallint,C=8x32,R=4 | FileCheck %s
// RUN: tile-run %s --kernel=nested --stage=lowered --arch=sm_80 --check --args=A=64x32:smallint,C=8x32,R=3 | FileCheck %s
// RUN: tile-opt %s --tile-to-schedule='arch=sm_90a remarks' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: PASS
// REMARK-DAG: 2 slots would not have an even number of uses each time
// REMARK-DAG: a tile has a view
#shared = #gpu.address_space<workgroup>
tile.kernel @nested(%A: memref<64x32xf32>, %C: memref<8x32xf32>, %R: index) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  scf.for %o = %c0 to %R step %c1 {
    tile.pipelined %i = %c0 to %c2 step %c1 stages(2) {
      %new = arith.remui %i, %c2 : index
      %next = arith.addi %i, %c1 : index
      %old = arith.remui %next, %c2 : index
      tile.on_warps 0 count 4 {
        tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
        %o2 = arith.muli %o, %c2 : index
        %n = arith.addi %o2, %i : index
        %row = arith.muli %n, %c8 : index
        tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
        tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<1>
      }
      tile.on_warps 4 count 4 {
        tile.mbarrier.wait %full[%c0] parity %new : !tile.mbarrier<1>
        tile.parallel (%r, %c) in (8, 32) {
          %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
          %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
          %y = arith.addf %s, %x : f32
          memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        }
        tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
      }
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C : memref<8x32xf32, #tile.fragment> to memref<8x32xf32>
  }
}

tile.kernel @three(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  tile.pipelined %i = %c0 to %c8 step %c1 stages(3) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
      tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<1>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %full[%c0] parity %new : !tile.mbarrier<1>
      %tv = tile.view %t : memref<8x32xf32, #shared> to memref<256xf32, #shared>
      tile.parallel (%r, %c) in (8, 32) {
        %c32 = arith.constant 32 : index
        %q0 = arith.muli %r, %c32 : index
        %q = arith.addi %q0, %c : index
        %x = memref.load %tv[%q] : memref<256xf32, #shared>
        %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        %y = arith.addf %s, %x : f32
        memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

