// Fragments of more registers than a thread has are kept in local memory and
// gone through in loops: beyond a tile's edge, with fragments in registers
// beside them, reduced to few rows and to many, from and to shared memory.
// RUN: tile-run %s --kernel=softmax --stage=lowered --arch=sm_80 --args=A=7x2040,B=7x2040 --check | FileCheck %s
// RUN: tile-run %s --kernel=softmax --stage=lowered --arch=sm_90a --args=A=7x2040,B=7x2040 --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_80 --args=A=150x64:smallint,R=160,C=60 --check | FileCheck %s
// RUN: tile-run %s --kernel=rows --stage=lowered --arch=sm_100a --args=A=150x64:smallint,R=160,C=60 --check | FileCheck %s
// RUN: tile-run %s --kernel=many_rows --stage=lowered --arch=sm_80 --args=A=9600x3:smallint,R=9600 --check | FileCheck %s
// RUN: tile-run %s --kernel=narrow --stage=lowered --arch=sm_90a --args=A=96x96:smallint,B=96x96,C=96x96 --check | FileCheck %s
// CHECK: PASS

tile.kernel @softmax(%A: memref<?x?xf32>, %B: memref<?x?xf32>) grid(%b) = (dim(%A, 0) ceildiv 4) threads(32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %row = arith.muli %b, %c4 : index
  %x = tile.alloc : memref<4x2048xf32, #tile.fragment>
  %max = tile.alloc : memref<4xf32, #tile.fragment>
  %sum = tile.alloc : memref<4xf32, #tile.fragment>
  tile.copy %A[%row, %c0] sizes [4, 2048] to %x pad(%low : f32) : memref<?x?xf32> to memref<4x2048xf32, #tile.fragment>
  tile.reduce max %x to %max dim(1) : memref<4x2048xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 2048) {
    %v = memref.load %x[%i, %j] : memref<4x2048xf32, #tile.fragment>
    %m = memref.load %max[%i] : memref<4xf32, #tile.fragment>
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    memref.store %e, %x[%i, %j] : memref<4x2048xf32, #tile.fragment>
  }
  tile.reduce sum %x to %sum dim(1) : memref<4x2048xf32, #tile.fragment> to memref<4xf32, #tile.fragment>
  tile.parallel (%i, %j) in (4, 2048) {
    %v = memref.load %x[%i, %j] : memref<4x2048xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<4xf32, #tile.fragment>
    %q = arith.divf %v, %s : f32
    memref.store %q, %x[%i, %j] : memref<4x2048xf32, #tile.fragment>
  }
  tile.copy %x to %B[%row, %c0] sizes [4, 2048] : memref<4x2048xf32, #tile.fragment> to memref<?x?xf32>
}

// Both dimensions, one after the other, and through shared memory.
tile.kernel @rows(%A: memref<?x64xf16> {tile.alignment = 16}, %R: memref<160xf32>, %C: memref<?xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<160x64xf16, #gpu.address_space<workgroup>>
  %h = tile.alloc : memref<160x64xf16, #tile.fragment>
  %x = tile.alloc : memref<160x64xf32, #tile.fragment>
  %y = tile.alloc : memref<160x64xf32, #tile.fragment>
  %r = tile.alloc : memref<160xf32, #tile.fragment>
  %k = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] sizes [160, 64] to %s : memref<?x64xf16> to memref<160x64xf16, #gpu.address_space<workgroup>>
  tile.copy %s to %h : memref<160x64xf16, #gpu.address_space<workgroup>> to memref<160x64xf16, #tile.fragment>
  tile.copy %h to %x : memref<160x64xf16, #tile.fragment> to memref<160x64xf32, #tile.fragment>
  tile.fill %y with %zero : memref<160x64xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (160, 64) {
    %v = memref.load %x[%i, %j] : memref<160x64xf32, #tile.fragment>
    %w = memref.load %y[%i, %j] : memref<160x64xf32, #tile.fragment>
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %a = math.fma %v, %f, %w : f32
    memref.store %a, %y[%i, %j] : memref<160x64xf32, #tile.fragment>
  }
  tile.reduce sum %x to %r dim(1) : memref<160x64xf32, #tile.fragment> to memref<160xf32, #tile.fragment>
  tile.reduce sum %y to %k dim(0) : memref<160x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
  tile.copy %r to %R : memref<160xf32, #tile.fragment> to memref<160xf32>
  tile.copy %k to %C[%c0] sizes [64] : memref<64xf32, #tile.fragment> to memref<?xf32>
}

// More rows than a thread has registers.
tile.kernel @many_rows(%A: memref<9600x3xf32>, %R: memref<9600xf32>) grid(%b) = (1) threads(32) {
  %one = arith.constant 1.0 : f32
  %x = tile.alloc : memref<9600x3xf32, #tile.fragment>
  %r = tile.alloc : memref<9600xf32, #tile.fragment>
  tile.copy %A to %x : memref<9600x3xf32> to memref<9600x3xf32, #tile.fragment>
  tile.fill %r with %one : memref<9600xf32, #tile.fragment>, f32
  tile.reduce sum %x to %r dim(1) accumulate : memref<9600x3xf32, #tile.fragment> to memref<9600xf32, #tile.fragment>
  tile.copy %r to %R : memref<9600xf32, #tile.fragment> to memref<9600xf32>
}

// Turned over, and a part of it filled: what loops cannot go through is written
// out as ever.
tile.kernel @narrow(%A: memref<96x96xf32>, %B: memref<96x96xf32>, %C: memref<96x96xi8>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %two = arith.constant 2.0 : f32
  %x = tile.alloc : memref<96x96xf32, #tile.fragment>
  %n = tile.alloc : memref<96x96xi8, #tile.fragment>
  tile.copy %A to %x : memref<96x96xf32> to memref<96x96xf32, #tile.fragment>
  tile.fill %x[%c5, %c0] sizes [3, 96] with %two : memref<96x96xf32, #tile.fragment>, f32
  tile.parallel (%i, %j) in (96, 96) {
    %v = memref.load %x[%i, %j] : memref<96x96xf32, #tile.fragment>
    memref.store %v, %B[%j, %i] : memref<96x96xf32>
    %k = arith.fptosi %v : f32 to i8
    memref.store %k, %n[%i, %j] : memref<96x96xi8, #tile.fragment>
  }
  tile.copy %n to %C : memref<96x96xi8, #tile.fragment> to memref<96x96xi8>
}
