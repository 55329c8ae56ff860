// What --remarks prints for a user: of an operation everything once, though it is
// copied into pieces and versions; bank conflicts; registers and spills where
// there is an assembler; what to write for something else.
// RUN: tile-translate %s --tile-to-llvmir --arch=sm_90a --remarks -o /dev/null > %t.90 2>&1
// RUN: grep remark: %t.90 | sort | uniq -d | count 0
// RUN: FileCheck %s --check-prefix=ONCE < %t.90
// RUN: tile-translate %tile_src/examples/scale.mlir --tile-to-artifact --arch=sm_80 --remarks -o /dev/null > %t.scale 2>&1
// RUN: grep remark: %t.scale | sort | uniq -d | count 0
// RUN: FileCheck %s --check-prefix=VERSION < %t.scale
// RUN: sed 's/threads(128)/threads(160)/' %s | tile-translate - --tile-to-llvmir --arch=sm_80 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONFLICT
#shared = #gpu.address_space<workgroup>
tile.kernel @gemm(%A: memref<1024x1024xf16> {tile.alignment = 16}, %B: memref<1024x1024xf16> {tile.alignment = 16}, %C: memref<1024x1024xf16> {tile.alignment = 16})
    grid(%bx, %by) = (8, 8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c128 : index
  // ONCE-DAG: :[[@LINE+1]]:9: remark: shared memory: in panels that matrix descriptors and TMA express, no bank conflicts
  %As = tile.alloc : memref<128x32xf16, #shared>
  %Bs = tile.alloc : memref<32x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c1024 step %c32 stages(3) {
    // ONCE-DAG: :[[@LINE+1]]:5: remark: global to shared copy: tma{{$}}
    tile.copy %A[%m, %k] to %As : memref<1024x1024xf16> to memref<128x32xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<1024x1024xf16> to memref<32x128xf16, #shared>
    // ONCE-DAG: :[[@LINE+1]]:5: remark: chose plan {{.*}}; `policy` or `plan` on the gemm states another
    tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  // One remark of the store; that it is converted, goes to shared memory and on from there are notes of it.
  // ONCE-DAG: :[[@LINE+4]]:3: remark: stored through 128 x 128 elements of shared memory, in 1 part; `disable_tma` on the operation has registers go there directly
  // ONCE-DAG: :[[@LINE+3]]:3: note: registers to registers copy: renamed or exchanged, 4 bytes
  // ONCE-DAG: :[[@LINE+2]]:3: note: registers to shared copy: stmatrix, 16 bytes
  // ONCE-DAG: :[[@LINE+1]]:3: note: shared to global copy: tma{{$}}
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<1024x1024xf16>
}
// VERSION-DAG: scale.mlir:2:1: remark: compiled a second time, as 'scale__aligned', {{.*}}`tile.alignment = 16` and `tile.assume` promise it
// The limit that a promise lifts, not the layout that follows from it.
// VERSION-DAG: scale.mlir:9:3: remark: global to registers copy: scalar, 4 bytes; vector not taken: {{.*}}(`tile.
// VERSION-DAG: scale.mlir:9:3: note: in 'scale__aligned': global to registers copy: vector, 16 bytes
// CONFLICT: remark: shared memory: {{.*}}
