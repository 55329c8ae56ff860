// A program that copies ahead by itself, into one part of a tile while it reads another: threads wait for the copy before, not for
// the one under way.
// RUN: tile-opt %s --tile-place-shared-memory --tile-insert-barriers --split-input-file | FileCheck %s

#shared = #gpu.address_space<workgroup>
#slots = #tile.shared_layout<shape [2, 16, 64] bits 32 modes [(64, 2:1), (16, 1:64), (2, 0:1024)]>
#three = #tile.shared_layout<shape [3, 16, 64] bits 32 modes [(64, 2:1), (16, 1:64), (3, 0:1024)]>
#wide = #tile.shared_layout<shape [16, 256] bits 32 modes [(256, 1:1), (16, 0:256)]>
#rows = #tile.shared_layout<shape [16, 64] bits 32 modes [(64, 1:1), (16, 0:64)]>
#loop = #tile.fragment_layout<shape [16, 64] reg [(4, 1:1), (2, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#plan = #tile.copy_plan<cp_async, bytes = 16>
module attributes {tile.target = #tile.target<"sm_90">} {
  // The copy under the condition goes where the iteration before has read; what is read has landed but for that copy. Who does
  // not copy has an empty group in its place.
  // CHECK-LABEL: tile.kernel @conditional
  // CHECK:         tile.copy %{{.*}} to %{{.*}}[%c0, %c0, %c0]
  // CHECK-NEXT:    tile.commit_copies
  // CHECK-NEXT:    scf.for
  // CHECK:           scf.if
  // CHECK:             tile.barrier{{$}}
  // CHECK-NEXT:        tile.copy
  // CHECK-NEXT:        tile.commit_copies
  // CHECK-NEXT:      } else {
  // CHECK-NEXT:        tile.commit_copies
  // CHECK:           tile.fence copies in_flight(1){{$}}
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.copy {{.*}} to %B
  // CHECK-NEXT:      {{^ *}}}
  // CHECK-NEXT:    tile.fence copies{{$}}
  // CHECK-NEXT:    tile.return
  tile.kernel @conditional(%A: memref<?x64xf32> {tile.alignment = 16}, %B: memref<?x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %s = tile.alloc layout(#slots) : memref<2x16x64xf32, #shared>
    tile.copy %A[%c0, %c0] sizes [16, 64] to %s[%c0, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<2x16x64xf32, #shared>
    scf.for %n = %c0 to %c9 step %c1 {
      %next = arith.addi %n, %c1 : index
      %more = arith.cmpi slt, %next, %c9 : index
      scf.if %more {
        %first = arith.muli %next, %c16 : index
        %here = arith.remui %n, %c2 : index
        %there = arith.subi %c1, %here : index
        tile.copy %A[%first, %c0] sizes [16, 64] to %s[%there, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<2x16x64xf32, #shared>
      }
      %slot = arith.remui %n, %c2 : index
      %out = arith.muli %n, %c16 : index
      tile.copy %s[%slot, %c0, %c0] sizes [1, 16, 64] to %B[%out, %c0] sizes [16, 64] decided {layout = #loop} : memref<2x16x64xf32, #shared> to memref<?x64xf32>
    }
  }
  // Both of one slot: the copy is waited for where it is read. The slot that the iteration before has read is the other one.
  // CHECK-LABEL: tile.kernel @same_slot
  // CHECK:         scf.for
  // CHECK-NOT:       tile.barrier
  // CHECK:           tile.copy
  // CHECK-NEXT:      tile.fence copies{{$}}
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.copy
  // CHECK-NEXT:    {{^ *}}}
  tile.kernel @same_slot(%A: memref<?x64xf32> {tile.alignment = 16}, %B: memref<?x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %s = tile.alloc layout(#slots) : memref<2x16x64xf32, #shared>
    scf.for %n = %c0 to %c9 step %c1 {
      %first = arith.muli %n, %c16 : index
      %third = arith.addi %n, %c2 : index
      %there = arith.remui %third, %c2 : index
      %slot = arith.remui %n, %c2 : index
      tile.copy %A[%first, %c0] sizes [16, 64] to %s[%there, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<2x16x64xf32, #shared>
      tile.copy %s[%slot, %c0, %c0] sizes [1, 16, 64] to %B[%first, %c0] sizes [16, 64] decided {layout = #loop} : memref<2x16x64xf32, #shared> to memref<?x64xf32>
    }
  }
  // Columns in front of those that are copied, read by each thread at an index of its own. The copy stays under way where threads
  // meet for another tile.
  // CHECK-LABEL: tile.kernel @columns
  // CHECK:         scf.for
  // CHECK:           tile.copy
  // CHECK-NEXT:      tile.commit_copies
  // CHECK-NEXT:      tile.fence copies in_flight(1){{$}}
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.parallel
  // CHECK:           memref.store
  // CHECK:           tile.barrier{{$}}
  // CHECK-NEXT:      tile.copy %{{.*}} to %B
  // CHECK-NEXT:    {{^ *}}}
  // CHECK-NEXT:    tile.fence copies{{$}}
  // CHECK-NEXT:    tile.return
  tile.kernel @columns(%A: memref<16x256xf32> {tile.alignment = 16}, %B: memref<?x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc layout(#wide) : memref<16x256xf32, #shared>
    %t = tile.alloc layout(#rows) : memref<16x64xf32, #shared>
    tile.copy %A[%c0, %c0] sizes [16, 64] to %s[%c0, %c0] sizes [16, 64] decided {layout = #loop, plan = #plan} : memref<16x256xf32> to memref<16x256xf32, #shared>
    scf.for %n = %c1 to %c4 step %c1 {
      %at = arith.muli %n, %c64 : index
      %before = arith.subi %n, %c1 : index
      %start = arith.muli %before, %c64 : index
      tile.copy %A[%c0, %at] sizes [16, 64] to %s[%c0, %at] sizes [16, 64] decided {layout = #loop, plan = #plan} : memref<16x256xf32> to memref<16x256xf32, #shared>
      tile.parallel (%i, %j) in (16, 64) layout(#loop) {
        %column = arith.addi %start, %j : index
        %v = memref.load %s[%i, %column] : memref<16x256xf32, #shared>
        memref.store %v, %t[%i, %j] : memref<16x64xf32, #shared>
      }
      %out = arith.muli %n, %c16 : index
      tile.copy %t to %B[%out, %c0] sizes [16, 64] decided {layout = #loop} : memref<16x64xf32, #shared> to memref<?x64xf32>
    }
  }
  // Two ahead in three slots: two groups stay under way.
  // CHECK-LABEL: tile.kernel @three
  // CHECK:         scf.for
  // CHECK:           scf.if
  // CHECK:             tile.barrier{{$}}
  // CHECK-NEXT:        tile.copy
  // CHECK-NEXT:        tile.commit_copies
  // CHECK-NEXT:      } else {
  // CHECK-NEXT:        tile.commit_copies
  // CHECK:           tile.fence copies in_flight(2){{$}}
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      tile.copy {{.*}} to %B
  tile.kernel @three(%A: memref<?x64xf32> {tile.alignment = 16}, %B: memref<?x64xf32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %s = tile.alloc layout(#three) : memref<3x16x64xf32, #shared>
    tile.copy %A[%c0, %c0] sizes [16, 64] to %s[%c0, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<3x16x64xf32, #shared>
    tile.copy %A[%c16, %c0] sizes [16, 64] to %s[%c1, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<3x16x64xf32, #shared>
    scf.for %n = %c0 to %c9 step %c1 {
      %next = arith.addi %n, %c2 : index
      %more = arith.cmpi slt, %next, %c9 : index
      scf.if %more {
        %first = arith.muli %next, %c16 : index
        %there = arith.remui %next, %c3 : index
        tile.copy %A[%first, %c0] sizes [16, 64] to %s[%there, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<3x16x64xf32, #shared>
      }
      %slot = arith.remui %n, %c3 : index
      %out = arith.muli %n, %c16 : index
      tile.copy %s[%slot, %c0, %c0] sizes [1, 16, 64] to %B[%out, %c0] sizes [16, 64] decided {layout = #loop} : memref<3x16x64xf32, #shared> to memref<?x64xf32>
    }
  }
  // Into which slot is not known: the copy of before has to land in front of the branch, where the wait is not for the new one.
  // CHECK-LABEL: tile.kernel @unknown_slot
  // CHECK:         scf.for
  // CHECK:           tile.fence copies{{$}}
  // CHECK-NEXT:      tile.barrier{{$}}
  // CHECK-NEXT:      scf.if
  // CHECK-NOT:         tile.barrier
  // CHECK:           }
  tile.kernel @unknown_slot(%A: memref<?x64xf32> {tile.alignment = 16}, %T: memref<16xi32>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %s = tile.alloc layout(#slots) : memref<2x16x64xf32, #shared>
    scf.for %n = %c0 to %c9 step %c1 {
      %word = memref.load %T[%n] : memref<16xi32>
      %more = arith.cmpi sgt, %word, %zero : i32
      %there = arith.index_cast %word : i32 to index
      scf.if %more {
        %first = arith.muli %n, %c16 : index
        tile.copy %A[%first, %c0] sizes [16, 64] to %s[%there, %c0, %c0] sizes [1, 16, 64] decided {layout = #loop, plan = #plan} : memref<?x64xf32> to memref<2x16x64xf32, #shared>
      }
    }
  }
}

// -----

#shared = #gpu.address_space<workgroup>
#rows = #tile.shared_layout<shape [16, 64] bits 32 modes [(64, 1:1), (16, 0:64)]>
#loop = #tile.fragment_layout<shape [16, 64] reg [(4, 1:1), (2, 0:8)] lane [(16, 1:4), (2, 0:1)] warp [(4, 0:2)]>
#plan = #tile.copy_plan<cp_async, bytes = 16>
module attributes {tile.target = #tile.target<"sm_90">} {
  // What another table points to is other memory than what cp.async still reads; what the same table points to may be the same.
  // CHECK-LABEL: tile.kernel @tables
  // CHECK:         tile.copy
  // CHECK-NEXT:    tile.fill
  // CHECK-NEXT:    tile.fence copies{{$}}
  // CHECK-NEXT:    tile.barrier{{$}}
  // CHECK-NEXT:    tile.fill
  tile.kernel @tables(%P: memref<4xi64>, %Q: memref<4xi64>) grid(%bx) = (1) threads(128) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %p = memref.load %P[%c0] : memref<4xi64>
    %p1 = memref.load %P[%c1] : memref<4xi64>
    %q = memref.load %Q[%c0] : memref<4xi64>
    %a = tile.from_address %p {tile.alignment = 16} : memref<16x64xf32>
    %b = tile.from_address %q {tile.alignment = 16} : memref<16x64xf32>
    %c = tile.from_address %p1 {tile.alignment = 16} : memref<16x64xf32>
    %s = tile.alloc layout(#rows) : memref<16x64xf32, #shared>
    tile.copy %a to %s decided {layout = #loop, plan = #plan} : memref<16x64xf32> to memref<16x64xf32, #shared>
    tile.fill %b with %zero {layout = #loop} : memref<16x64xf32>, f32
    tile.fill %c with %zero {layout = #loop} : memref<16x64xf32>, f32
  }
}
