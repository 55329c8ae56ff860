// Which tensor stores may begin at a negative index: loads may as well, but nobody has to know.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts '--tile-select-copies=remarks=true' --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

#shared = #gpu.address_space<workgroup>

// The block's index is not negative.
// REMARK: :[[# @LINE + 8]]:3: remark: shared to global copy: tma{{$}}
// CHECK-LABEL: @own_rows
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
tile.kernel @own_rows(%Y: memref<?x32xf32> {tile.alignment = 16}) grid(%b) = (dim(%Y, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  %row = arith.muli %b, %c16 : index
  tile.copy %s to %Y[%row, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// The last block's number is (n - 1) / 16, and no block runs where n is 0.
// CHECK-LABEL: @from_the_last_block
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
tile.kernel @from_the_last_block(%Y: memref<?x32xf32> {tile.alignment = 16}) grid(%b) = (dim(%Y, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  %n = memref.dim %Y, %c0 : memref<?x32xf32>
  %last = arith.subi %n, %c1 : index
  %block = arith.divui %last, %c16 : index
  %mine = arith.subi %block, %b : index
  %row = arith.muli %mine, %c16 : index
  tile.copy %s to %Y[%row, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Counted from the end, the first block's rows may begin in front of the first one.
// REMARK: remark: shared to global copy: tma; where it begins at a negative index, threads store it element by element, for no tensor copy may: `tile.assume` with `min = 0` can promise that it does not
// CHECK-LABEL: @from_the_end
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {in_front, layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
tile.kernel @from_the_end(%Y: memref<?x32xf32> {tile.alignment = 16}) grid(%b) = (dim(%Y, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  %n = memref.dim %Y, %c0 : memref<?x32xf32>
  %next = arith.addi %b, %c1 : index
  %up = arith.muli %next, %c16 : index
  %row = arith.subi %n, %up : index
  tile.copy %s to %Y[%row, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// What the program promises, or asks before.
// CHECK-LABEL: @promised
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
// CHECK: tile.atomic add %{{.*}} to %Y{{.*}} decided {in_front, layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
tile.kernel @promised(%Y: memref<?x32xf32> {tile.alignment = 16}, %at: index, %from: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<16x32xf32, #shared>
  tile.assume %at {min = 0 : i64} : index
  tile.copy %s to %Y[%at, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
  %inside = arith.cmpi sge, %from, %c0 : index
  scf.if %inside {
    tile.copy %s to %Y[%from, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
  }
  tile.atomic add %s to %Y[%from, %c0] : memref<16x32xf32, #shared> to memref<?x32xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Quotients and remainders of numbers that are not negative are not, whatever they are divided by.
// CHECK-LABEL: @rounds
// CHECK: tile.copy %{{.*}} to %Y{{.*}} decided {layout = {{.*}}, plan = #tile.copy_plan<tma, bytes = 4>}
tile.kernel @rounds(%Y: memref<?x?x32xf32> {tile.alignment = 16}, %i: i32, %j: i32) grid(%b) = (dim(%Y, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %any = arith.index_cast %i : i32 to index
  %rounds = arith.divui %any, %c16 : index
  %heads = memref.dim %Y, %c0 : memref<?x?x32xf32>
  %s = tile.alloc : memref<16x32xf32, #shared>
  scf.for %k = %c0 to %heads step %c1 {
    %round = arith.remui %k, %rounds : index
    %row = arith.muli %round, %c16 : index
    %head = arith.divui %k, %rounds : index
    tile.copy %s to %Y[%head, %row, %c0] sizes [1, 16, 32] : memref<16x32xf32, #shared> to memref<?x?x32xf32>
  }
}
