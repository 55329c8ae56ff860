// A fragment of more registers than a thread has is an array in local memory,
// and every loop over it a loop, 32 elements long and in pieces of 16 bytes: a
// copy, a maximum, an elementwise loop, a sum, one more, a copy.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks --assembler=ptxas --ptxas=/no/ptxas -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s --check-prefix=LLVM
// REMARK:         register-loops.mlir:[[#@LINE+26]]:8: remark: fragment is kept in local memory: it holds 512 registers a thread, more than 255; more `threads(...)`, a smaller tile in a loop, or a tile in shared memory fit
// REMARK-NOT:     is kept in local memory
// PTX:            .local .align 16 .b8 {{.*}}[2048];
// PTX-COUNT-8:    st.local.v4.b32
// PTX-NOT:        st.local
// PTX:            bra
// PTX-COUNT-8:    ld.local.v4.b32
// PTX-NOT:        ld.local
// PTX:            bra
// PTX-COUNT-8:    st.local.v4.b32
// PTX-NOT:        st.local
// PTX:            bra
// PTX-COUNT-8:    ld.local.v4.b32
// PTX-NOT:        ld.local
// PTX:            bra
// PTX-COUNT-8:    st.local.v4.b32
// PTX-NOT:        st.local
// PTX-COUNT-8:    st.global.v4.b32
// PTX-NOT:        st.global
// LLVM:           #llvm.loop_unroll<disable = true>
// LLVM-COUNT-8:   llvm.br {{.*}}{loop_annotation =
// LLVM-NOT:       {loop_annotation =
tile.kernel @softmax(%A: memref<256x2048xf32> {tile.alignment = 16 : i64}, %B: memref<256x2048xf32> {tile.alignment = 16 : i64}) grid(%b) = (8) threads(128) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %x = tile.alloc : memref<32x2048xf32, #tile.fragment>
  %max = tile.alloc : memref<32xf32, #tile.fragment>
  %sum = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %x : memref<256x2048xf32> to memref<32x2048xf32, #tile.fragment>
  tile.reduce max %x to %max dim(1) : memref<32x2048xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 2048) {
    %v = memref.load %x[%i, %j] : memref<32x2048xf32, #tile.fragment>
    %top = memref.load %max[%i] : memref<32xf32, #tile.fragment>
    %d = arith.subf %v, %top : f32
    %e = math.exp %d : f32
    memref.store %e, %x[%i, %j] : memref<32x2048xf32, #tile.fragment>
  }
  tile.reduce sum %x to %sum dim(1) : memref<32x2048xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 2048) {
    %v = memref.load %x[%i, %j] : memref<32x2048xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<32xf32, #tile.fragment>
    %q = arith.divf %v, %s : f32
    memref.store %q, %x[%i, %j] : memref<32x2048xf32, #tile.fragment>
  }
  tile.copy %x to %B[%m, %c0] : memref<32x2048xf32, #tile.fragment> to memref<256x2048xf32>
}
