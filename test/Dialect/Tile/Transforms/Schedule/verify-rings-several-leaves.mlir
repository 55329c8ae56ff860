// The keys of a sequence are dealt out in parts: no leaf alone (the length, the room, the number of parts, the block) makes the
// loop run more than once, while the others are 0, 1 or much. Several at a time do.
// RUN: tile-opt %s --tile-to-schedule=arch=sm_90a --tile-verify-rings=remarks --verify-diagnostics=only-expected -o /dev/null
// RUN: tile-opt %s --tile-to-schedule=arch=sm_80 --tile-verify-rings=remarks --verify-diagnostics=only-expected -o /dev/null
#shared = #gpu.address_space<workgroup>
// expected-remark @below {{rings are proved for}}
tile.kernel @parts_of_keys(%A: memref<?x64xf16> {tile.alignment = 16}, %L: memref<?xi32>, %C: memref<64x64xf32>, %parts: i32)
    grid(%part, %b) = (%parts, dim(%L, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant 0.0 : f32
  %count = arith.index_cast %parts : i32 to index
  %room = memref.dim %A, %c0 : memref<?x64xf16>
  %stated = memref.load %L[%b] : memref<?xi32>
  %wanted = arith.index_cast %stated : i32 to index
  %few = arith.minsi %wanted, %room : index
  %length = arith.maxsi %few, %c0 : index
  %rounded = arith.addi %length, %c63 : index
  %steps = arith.divui %rounded, %c64 : index
  %more = arith.addi %steps, %count : index
  %least = arith.subi %more, %c1 : index
  %each = arith.divui %least, %count : index
  %share = arith.muli %each, %c64 : index
  %from = arith.muli %part, %share : index
  %begin = arith.minsi %from, %length : index
  %to = arith.addi %begin, %share : index
  %end = arith.minsi %to, %length : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  // expected-note @below {{0 to 8 iterations}}
  tile.pipelined %k = %begin to %end step %c64 stages(3) {
    tile.copy %A[%k, %c0] to %As {disable_tma} : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %As, %acc {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 1]>} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<64x64xf32, #tile.fragment> to memref<64x64xf32>
}
