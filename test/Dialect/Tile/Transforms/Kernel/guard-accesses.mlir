// An element of a tile in shared memory is touched under a condition where nothing bounds its index.
// RUN: tile-opt %s --split-input-file --tile-guard-accesses --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-guard-accesses=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: tile-opt %s --split-input-file --tile-guard-accesses=guards=false | FileCheck %s --check-prefix=WITHOUT
// A second run finds that the conditions bound the indices.
// RUN: tile-opt %s --split-input-file --tile-guard-accesses --tile-guard-accesses --canonicalize --cse | FileCheck %s
// WITHOUT-NOT: -> (i32) {

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @from_memory
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:   %[[END:.*]] = arith.constant 64 : index
// CHECK:       %[[K:.*]] = arith.index_cast
// CHECK:       %[[INSIDE:.*]] = arith.cmpi ult, %[[K]], %[[END]] : index
// CHECK:       scf.if %[[INSIDE]] -> (f32)
// CHECK-NEXT:    memref.load %{{.*}}[%[[K]]]
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  } else {
// CHECK-NEXT:    scf.yield %[[ZERO]]
// CHECK:       scf.if %[[INSIDE]] {
// CHECK-NEXT:    memref.store
// CHECK-NEXT:  }
// SAYS: guard-accesses.mlir:[[# @LINE + 8]]:10: remark: guarded: index 0 is not known to be below 64; what lies outside of the tile reads as zero and is not written. `tile.assume` can promise the bound
// SAYS: guard-accesses.mlir:[[# @LINE + 8]]:5: remark: guarded: index 0 is not known to be below 64
tile.kernel @from_memory(%A: memref<64xi32>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<64xf32, #shared>
  %t = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%i) in (64) {
    %j = memref.load %A[%i] : memref<64xi32>
    %k = arith.index_cast %j : i32 to index
    %x = memref.load %s[%k] : memref<64xf32, #shared>
    memref.store %x, %t[%k] : memref<64xf32, #shared>
  }
}

// -----

// What an atomic gives outside is zero, too; where nobody uses it there is no other way.
// CHECK-LABEL: tile.kernel @atomics
// CHECK:       scf.if %{{.*}} -> (i32)
// CHECK-NEXT:    memref.atomic_rmw
// CHECK:       scf.if %{{.*}} {
// CHECK-NEXT:    memref.atomic_rmw
// CHECK-NEXT:  }
// SAYS: remark: guarded: index 0 is not known to be below 2 and 1 is not known to be below 4
#shared = #gpu.address_space<workgroup>
tile.kernel @atomics(%A: memref<64xi32>) grid(%b) = (1) threads(64) {
  %one = arith.constant 1 : i32
  %s = tile.alloc : memref<2x4xi32, #shared>
  tile.parallel (%i) in (64) {
    %j = memref.load %A[%i] : memref<64xi32>
    %k = arith.index_cast %j : i32 to index
    %old = memref.atomic_rmw addi %one, %s[%k, %k] : (i32, memref<2x4xi32, #shared>) -> i32
    memref.store %old, %A[%i] : memref<64xi32>
    %unused = memref.atomic_rmw maxs %one, %s[%k, %k] : (i32, memref<2x4xi32, #shared>) -> i32
  }
}

// -----

// E8M0 has no zero: all bits are.
// CHECK-LABEL: tile.kernel @bits
// CHECK:       %[[ZERO:.*]] = arith.constant 5.877470e-39 : f8E8M0FNU
// CHECK:       scf.if
// CHECK:       } else {
// CHECK-NEXT:    scf.yield %[[ZERO]]
#shared = #gpu.address_space<workgroup>
tile.kernel @bits(%A: memref<64xi32>, %B: memref<64xf8E8M0FNU>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<64xf8E8M0FNU, #shared>
  tile.parallel (%i) in (64) {
    %j = memref.load %A[%i] : memref<64xi32>
    %k = arith.index_cast %j : i32 to index
    %x = memref.load %s[%k] : memref<64xf8E8M0FNU, #shared>
    memref.store %x, %B[%i] : memref<64xf8E8M0FNU>
  }
}

// -----

// Extents of loops, remainders, masks, shifts, unsigned numbers of few bits, minima and promises bound an index.
// CHECK-LABEL: tile.kernel @bounded
// CHECK-NOT:   scf.if
// CHECK-NOT:   arith.cmpi
// CHECK:       tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @bounded(%A: memref<64xi32>, %n: index) grid(%b) = (1) threads(64) {
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c60 = arith.constant 60 : i32
  %s = tile.alloc : memref<64xi32, #shared>
  tile.assume %n {min = 0, max = 48} : index
  tile.parallel (%i, %j) in (4, 16) {
    %a = arith.muli %i, %c16 : index
    %b0 = arith.addi %a, %j : index
    %x0 = memref.load %s[%b0] : memref<64xi32, #shared>
    %b1 = arith.remui %n, %c64 : index
    %x1 = memref.load %s[%b1] : memref<64xi32, #shared>
    %k = arith.index_cast %x0 : i32 to index
    %b2 = arith.andi %k, %c15 : index
    %b3 = arith.shli %b2, %c2 : index
    %x3 = memref.load %s[%b3] : memref<64xi32, #shared>
    %q = arith.shrui %x0, %c60 : i32
    %q4 = arith.trunci %q : i32 to i4
    %q32 = arith.extui %q4 : i4 to i32
    %b4 = arith.index_cast %q32 : i32 to index
    %x4 = memref.load %s[%b4] : memref<64xi32, #shared>
    %b5 = arith.minui %k, %c15 : index
    %x5 = memref.load %s[%b5] : memref<64xi32, #shared>
    %b6 = arith.addi %n, %j : index
    %x6 = memref.load %s[%b6] : memref<64xi32, #shared>
    %y0 = arith.addi %x1, %x3 : i32
    %y1 = arith.addi %x4, %x5 : i32
    %y2 = arith.addi %y0, %y1 : i32
    %y3 = arith.addi %y2, %x6 : i32
    memref.store %y3, %A[%b0] : memref<64xi32>
  }
}

// -----

// So do conditions of branches around the access, and those that do not hold in the other way.
// CHECK-LABEL: tile.kernel @branches
// CHECK:       %[[HAS:.*]] = arith.cmpi uge
// CHECK:       scf.if %[[HAS]]
// CHECK-NOT:   arith.cmpi ult
// CHECK:       memref.load %{{.*}}[%[[FROM:.*]]]
// CHECK:       else
// CHECK-NOT:   arith.cmpi ult
// CHECK:       memref.load
#shared = #gpu.address_space<workgroup>
tile.kernel @branches(%A: memref<64xf32>, %d: index) grid(%b) = (1) threads(64) {
  %c63 = arith.constant 63 : index
  %s = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%t) in (64) {
    %has = arith.cmpi uge, %t, %d : index
    %from = arith.subi %t, %d : index
    %x = scf.if %has -> (f32) {
      %l = memref.load %s[%from] : memref<64xf32, #shared>
      scf.yield %l : f32
    } else {
      %l = memref.load %s[%t] : memref<64xf32, #shared>
      scf.yield %l : f32
    }
    %greater = arith.cmpi sgt, %d, %c63 : index
    %y = scf.if %greater -> (f32) {
      scf.yield %x : f32
    } else {
      %l = memref.load %s[%t] : memref<64xf32, #shared>
      scf.yield %l : f32
    }
    memref.store %y, %A[%t] : memref<64xf32>
  }
}

// -----

// A sum of 32 bits that may leave its type says nothing, though both parts are positive; one that stays inside does.
// CHECK-LABEL: tile.kernel @wraps
// CHECK:       %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:       scf.if %[[INSIDE]] -> (i32)
// CHECK-NOT:   scf.if
// CHECK:       tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @wraps(%A: memref<64xi32>, %n: i32, %m: i32) grid(%b) = (1) threads(64) {
  %c64 = arith.constant 64 : i32
  %s = tile.alloc : memref<64xi32, #shared>
  tile.assume %n {min = 0, max = 2147483647} : i32
  tile.assume %m {min = 0, max = 31} : i32
  tile.parallel (%i) in (64) {
    %sum = arith.addi %n, %c64 : i32
    %rest = arith.remsi %sum, %c64 : i32
    %k = arith.index_cast %rest : i32 to index
    %x = memref.load %s[%k] : memref<64xi32, #shared>
    %sum2 = arith.addi %m, %m : i32
    %k2 = arith.index_cast %sum2 : i32 to index
    %y = memref.load %s[%k2] : memref<64xi32, #shared>
    %z = arith.addi %x, %y : i32
    memref.store %z, %A[%i] : memref<64xi32>
  }
}

// -----

// Neither does a product of 64 bits, nor what a branch says of one; nor the bounds of a loop that compares without a sign.
// CHECK-LABEL: tile.kernel @products
// CHECK:       arith.remsi
// CHECK:       arith.cmpi ult
// CHECK:       scf.if %{{.*}} -> (i32)
// CHECK:       arith.cmpi ult, %[[HASH:.*]], %{{.*}} : i64
// CHECK:       scf.if
// CHECK:         arith.cmpi ult
// CHECK:         scf.if %{{.*}} -> (i32)
// CHECK:       scf.for unsigned
// CHECK:         arith.cmpi ult
// CHECK:         scf.if %{{.*}} -> (i32)
#shared = #gpu.address_space<workgroup>
tile.kernel @products(%N: memref<64xi64>, %A: memref<64xi32>) grid(%b) = (1) threads(64) {
  %c64 = arith.constant 64 : i64
  %factor = arith.constant 636413622384679 : i64
  %factor2 = arith.constant 69069 : i64
  %limit = arith.constant 2210208 : i64
  %u5 = arith.constant 5 : index
  %end = arith.constant -5 : index
  %step = arith.constant 1152921504606846976 : index
  %s = tile.alloc : memref<64xi32, #shared>
  tile.parallel (%i) in (64) {
    %n = memref.load %N[%i] : memref<64xi64>
    %n32 = arith.trunci %n : i64 to i32
    %positive = arith.extui %n32 : i32 to i64
    %hash = arith.muli %positive, %factor : i64
    %rest = arith.remsi %hash, %c64 : i64
    %k = arith.index_cast %rest : i64 to index
    %x = memref.load %s[%k] : memref<64xi32, #shared>
    %h = arith.muli %n, %factor2 : i64
    %small = arith.cmpi ult, %h, %limit : i64
    %kn = arith.index_cast %n : i64 to index
    scf.if %small {
      %y = memref.load %s[%kn] : memref<64xi32, #shared>
      memref.store %y, %A[%i] : memref<64xi32>
    } else {
      memref.store %x, %A[%i] : memref<64xi32>
    }
    scf.for unsigned %q = %u5 to %end step %step {
      %z = memref.load %s[%q] : memref<64xi32, #shared>
      memref.store %z, %A[%i] : memref<64xi32>
    }
  }
}

// -----

// Loads and stores in a memory order are accesses, too.
// CHECK-LABEL: tile.kernel @ordered
// CHECK:       scf.if %{{.*}} -> (i32)
// CHECK-NEXT:    tile.atomic_load
// CHECK:       scf.if %{{.*}} {
// CHECK-NEXT:    tile.atomic_store
#shared = #gpu.address_space<workgroup>
tile.kernel @ordered(%N: memref<64xi32>) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<64xi32, #shared>
  tile.parallel (%i) in (64) {
    %n = memref.load %N[%i] : memref<64xi32>
    %k = arith.index_cast %n : i32 to index
    %x = tile.atomic_load relaxed %s[%k] : memref<64xi32, #shared>
    tile.atomic_store relaxed %x, %s[%k] : memref<64xi32, #shared>
  }
}

// -----

// A branch that is never taken may name what does not exist.
// CHECK-LABEL: tile.kernel @dead
// CHECK-NOT:   memref.load {{.*}}#gpu
// CHECK:       tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @dead(%A: memref<64xf32>, %never: i1) grid(%b) = (1) threads(64) {
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64xf32, #shared>
  tile.parallel (%i) in (64) {
    scf.if %never {
      %x = memref.load %s[%c64] : memref<64xf32, #shared>
      memref.store %x, %A[%i] : memref<64xf32>
    }
  }
}

// -----

// Global memory is the program's business, and a row of tables that a block reads is guarded outside of loops, too.
// CHECK-LABEL: tile.kernel @of_the_block
// CHECK:       memref.load %A[%n]
// CHECK:       scf.if %{{.*}} -> (i32)
// CHECK-NEXT:    memref.load %{{.*}}[%n]
#shared = #gpu.address_space<workgroup>
tile.kernel @of_the_block(%A: memref<?xi32>, %n: index) grid(%b) = (1) threads(64) {
  %s = tile.alloc : memref<64xi32, #shared>
  %x = memref.load %A[%n] : memref<?xi32>
  %y = memref.load %s[%n] : memref<64xi32, #shared>
  %z = arith.addi %x, %y : i32
  memref.store %z, %A[%n] : memref<?xi32>
}
