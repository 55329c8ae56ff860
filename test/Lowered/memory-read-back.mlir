// Iterations that change memory and read it, in a loop whose elements of f16, eight a thread, are one warp's: the four
// warps of the block would repeat it, since all of them hold the fragment.
// RUN: tile-opt --tile-to-layouts='arch=sm_90a remarks' %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s --kernel=stored --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=conditional --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: tile-run %s --kernel=conditional --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=replaced --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// REMARK-NOT: remark: accesses a fragment
tile.kernel @stored(%x: memref<3x128xf16> {tile.alignment = 16}, %y: memref<3xf32>) grid(%bx) = (3) threads(128) {
  %zero = arith.constant 0.0 : f16
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<1x256xf16, #shared>
  %f = tile.alloc : memref<1x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 256) {
    %in = arith.cmpi slt, %j, %c128 : index
    %v = scf.if %in -> (f16) {
      %row = arith.addi %bx, %i : index
      %e = memref.load %x[%row, %j] : memref<3x128xf16>
      scf.yield %e : f16
    } else {
      scf.yield %zero : f16
    }
    memref.store %v, %s[%i, %j] : memref<1x256xf16, #shared>
    %w = memref.load %s[%i, %j] : memref<1x256xf16, #shared>
    %e = arith.extf %w : f16 to f32
    memref.store %e, %f[%i, %j] : memref<1x256xf32, #tile.fragment>
  }
  tile.reduce sum %f to %sum dim(1) : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %sum to %y[%bx] : memref<1xf32, #tile.fragment> to memref<3xf32>
}

// REMARK: memory-read-back.mlir:[[@LINE+10]]:3: remark: accesses a fragment through shared memory: several threads would repeat each iteration, which changes memory that it reads; a loop of its own for one of the two needs no trip
tile.kernel @conditional(%x: memref<3x128xf16> {tile.alignment = 16}, %y: memref<3xf32>, %z: memref<3x256xf16>)
    grid(%bx) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %c128 = arith.constant 128 : index
  %s = tile.alloc : memref<1x256xf16, #shared>
  %f = tile.alloc : memref<1x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %s with %zero : memref<1x256xf16, #shared>, f16
  tile.parallel (%i, %j) in (1, 256) {
    %in = arith.cmpi slt, %j, %c128 : index
    scf.if %in {
      %row = arith.addi %bx, %i : index
      %v = memref.load %x[%row, %j] : memref<3x128xf16>
      memref.store %v, %s[%i, %j] : memref<1x256xf16, #shared>
    }
    %w = memref.load %s[%i, %j] : memref<1x256xf16, #shared>
    %e = arith.extf %w : f16 to f32
    memref.store %e, %f[%i, %j] : memref<1x256xf32, #tile.fragment>
  }
  tile.reduce sum %f to %sum dim(1) : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %sum to %y[%bx] : memref<1xf32, #tile.fragment> to memref<3xf32>
  tile.copy %s to %z[%bx, %c0] : memref<1x256xf16, #shared> to memref<3x256xf16>
}

// REMARK: memory-read-back.mlir:[[@LINE+8]]:3: remark: accesses a fragment through shared memory: several threads
tile.kernel @replaced(%x: memref<3x256xf16> {tile.alignment = 16}, %y: memref<3xf32>) grid(%bx) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %c128 = arith.constant 128 : index
  %f = tile.alloc : memref<1x256xf32, #tile.fragment>
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  // In global memory.
  tile.parallel (%i, %j) in (1, 256) {
    %w = memref.load %x[%bx, %j] : memref<3x256xf16>
    memref.store %zero, %x[%bx, %j] : memref<3x256xf16>
    %e = arith.extf %w : f16 to f32
    memref.store %e, %f[%i, %j] : memref<1x256xf32, #tile.fragment>
  }
  tile.reduce sum %f to %sum dim(1) : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %sum to %y[%bx] : memref<1xf32, #tile.fragment> to memref<3xf32>
}
