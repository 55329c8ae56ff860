// Stages of a loop whose warps wait by hand are slots of its tiles and barriers. Where the program's waits would not mean the
// same in each slot, the loop keeps its one, and the remark says why.
// RUN: tile-opt %s --tile-form-roles=remarks --canonicalize --split-input-file --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed '/expected-/d; /^\/\/ -----/,$d' %s > %t.first.mlir
// RUN: tile-run %t.first.mlir --check
// RUN: tile-run %t.first.mlir --stage=lowered --arch=sm_90a --check
// RUN: tile-run %t.first.mlir --stage=lowered --arch=sm_80 --seed=5 --check
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @three
// CHECK-DAG:     %[[TILES:.*]] = tile.alloc : memref<3x8x32xf32, #gpu.address_space<workgroup>>
// CHECK-DAG:     %[[FULL:.*]] = tile.mbarrier.create arrivals [128] : !tile.mbarrier<3>
// CHECK-DAG:     %[[FREE:.*]] = tile.mbarrier.create arrivals [128] : !tile.mbarrier<3>
// CHECK:         role "warps 0 to 3"
// CHECK:           scf.for %[[I:.*]] = %c0
// CHECK-DAG:         %[[SLOT:.*]] = arith.remui %[[I]], %c3
// CHECK-DAG:         %[[USE:.*]] = arith.divui %[[I]], %c3
// CHECK-DAG:         %[[OWN:.*]] = memref.subview %[[TILES]][%[[SLOT]], 0, 0] [1, 8, 32] [1, 1, 1]
// CHECK:             %[[NEXT:.*]] = arith.addi %[[USE]], %c1
// CHECK:             %[[PARITY:.*]] = arith.remui %[[NEXT]], %c2
// CHECK:             tile.mbarrier.wait %[[FREE]][%[[SLOT]]] parity %[[PARITY]]
// CHECK:             tile.copy %A{{.*}} to %[[OWN]]
// CHECK:             tile.mbarrier.arrive %[[FULL]][%[[SLOT]]]
// CHECK:         role "warps 4 to 7"
// CHECK:             %[[OTHER:.*]] = arith.divui %{{.*}}, %c3
// CHECK:             %[[PARITY:.*]] = arith.remui %[[OTHER]], %c2
// CHECK:             tile.mbarrier.wait %[[FULL]][%{{.*}}] parity %[[PARITY]]
// CHECK:             tile.mbarrier.arrive %[[FREE]]
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
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{3 slots of each tile and of each barrier: iterations take them by turns, and wait as the program says}}
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// Two barriers of one operation: those of a slot stand together.
// CHECK-LABEL: tile.kernel @several
// CHECK:         tile.mbarrier.create arrivals [128, 128, 128, 128] : !tile.mbarrier<4>
// CHECK:         %[[SLOT:.*]] = arith.remui
// CHECK:         %[[FIRST:.*]] = arith.muli %[[SLOT]], %c2
// CHECK:         %[[PLACE:.*]] = arith.addi %[[FIRST]], %c1
// CHECK:         tile.mbarrier.wait %{{.*}}[%[[PLACE]]] parity
tile.kernel @several(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %both = tile.mbarrier.create arrivals [128, 128] : !tile.mbarrier<2>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{2 slots of each tile and of each barrier}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %both[%c1] parity %old : !tile.mbarrier<2>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
      tile.mbarrier.arrive %both[%c0] : !tile.mbarrier<2>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %both[%c0] parity %new : !tile.mbarrier<2>
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
        %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        %y = arith.addf %s, %x : f32
        memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %both[%c1] : !tile.mbarrier<2>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @counts_from_one
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @counts_from_one(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: the loop does not count from 0 by 1}}
  tile.pipelined %i = %c1 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @other_parity
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @other_parity(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: a wait has another parity than that of the iteration's number plus a constant}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.mbarrier.wait %full[%c0] parity %c0 : !tile.mbarrier<1>
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @own_slots
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @own_slots(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: the program chooses among several barriers itself}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
      tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<2>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %full[%new] parity %new : !tile.mbarrier<2>
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @two_phases
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @two_phases(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: an iteration does not complete one phase of each barrier}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
      tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<1>
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
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @half_a_phase
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @half_a_phase(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [256] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: an iteration does not complete one phase of each barrier}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @kept_over_iterations
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @kept_over_iterations(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: a tile is not overwritten as a whole before anything else of an iteration uses it}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [4, 32] to %t[%c0, %c0] sizes [4, 32] : memref<64x32xf32> to memref<8x32xf32, #shared>
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
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @sometimes
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @sometimes(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: 'tile.mbarrier.arrive' stands in control flow of its own}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [8, 32] to %t : memref<64x32xf32> to memref<8x32xf32, #shared>
      %even = arith.cmpi eq, %new, %c0 : index
      scf.if %even {
        tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<1>
      }
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
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @used_behind
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @used_behind(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: a tile is used outside of the loop, too}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
        %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        %y = arith.addf %s, %x : f32
        memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %t to %C[%c8, %c0] sizes [8, 32] : memref<8x32xf32, #shared> to memref<64x32xf32>
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @waited_for_behind
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @waited_for_behind(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: a barrier is used outside of the loop, too}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
        %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        %y = arith.addf %s, %x : f32
        memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
      }
      tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 0 count 4 {
    tile.mbarrier.wait %free[%c0] parity %c1 : !tile.mbarrier<1>
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @stores
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @stores(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: 'tile.copy' writes global memory, and the barriers may order that}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
        %s = memref.load %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
        %y = arith.addf %s, %x : f32
        memref.store %y, %sum[%r, %c] : memref<8x32xf32, #tile.fragment>
      }
      tile.copy %sum to %C[%i, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
      tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %sum to %C[%c0, %c0] sizes [8, 32] : memref<8x32xf32, #tile.fragment> to memref<64x32xf32>
  }
}

// -----
#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @stated
// CHECK-NOT:     memref<2x8x32xf32
tile.kernel @stated(%A: memref<64x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc layout(#tile.shared_layout<shape [8, 32] bits 32 modes [(32, 1:1), (8, 0:36)]>) : memref<8x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: the layout of a tile is stated}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
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
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<8x32xf32, #shared>
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

// -----
#shared = #gpu.address_space<workgroup>

// Two slots of 128 KB are more than a block has.
module attributes {tile.target = #tile.target<"sm_90a">} {
// CHECK-LABEL: tile.kernel @large
// CHECK-NOT:     memref<2x
tile.kernel @large(%A: memref<1024x32xf32>, %C: memref<64x32xf32>) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = tile.alloc : memref<1024x32xf32, #shared>
  %sum = tile.alloc : memref<8x32xf32, #tile.fragment>
  %full = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  // expected-remark @+1 {{roles as stated}}
  tile.on_warps 4 count 4 {
    tile.fill %sum with %one : memref<8x32xf32, #tile.fragment>, f32
  }
  // expected-remark @+1 {{not pipelined: two slots of its tiles may not fit the 232448 bytes of shared memory of a block}}
  tile.pipelined %i = %c0 to %c8 step %c1 stages(2) {
    %new = arith.remui %i, %c2 : index
    %next = arith.addi %i, %c1 : index
    %old = arith.remui %next, %c2 : index
    tile.on_warps 0 count 4 {
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %row = arith.muli %i, %c8 : index
      tile.copy %A[%row, %c0] sizes [1024, 32] to %t : memref<1024x32xf32> to memref<1024x32xf32, #shared>
      tile.mbarrier.arrive %full[%c0] : !tile.mbarrier<1>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %full[%c0] parity %new : !tile.mbarrier<1>
      tile.parallel (%r, %c) in (8, 32) {
        %x = memref.load %t[%r, %c] : memref<1024x32xf32, #shared>
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
}
