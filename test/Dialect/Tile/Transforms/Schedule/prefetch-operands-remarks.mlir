// Which gemms stay whole, and which loops keep their checks.
// RUN: tile-opt %s --tile-set-target=arch=sm_80 --canonicalize --cse --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-prefetch-operands=remarks=true --split-input-file --verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

tile.kernel @one_step(%A: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %As = tile.alloc : memref<64x16xf16, #shared>
  %Bs = tile.alloc : memref<16x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c16 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<512x512xf16> to memref<64x16xf16, #shared>
    tile.copy %A[%k, %c0] to %Bs : memref<512x512xf16> to memref<16x64xf16, #shared>
    // expected-remark @+1 {{operands not loaded ahead: its k steps are 1, expected an even number}}
    tile.gemm %As, %Bs, %acc : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// One operand stays for the whole loop.
tile.kernel @not_in_ring(%A: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %A[%c0, %c0] to %As : memref<512x512xf16> to memref<64x64xf16, #shared>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %Bs : memref<512x512xf16> to memref<64x64xf16, #shared>
    // expected-remark @+1 {{operands not loaded ahead: an operand is not in the loop's ring}}
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// The buffer is read twice.
tile.kernel @two_readers(%A: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %As : memref<512x512xf16> to memref<64x64xf16, #shared>
    // expected-remark @+1 {{operands not loaded ahead: the ring's buffer has another reader}}
    tile.gemm %As, %As, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// 512 threads have 128 registers each.
tile.kernel @registers(%A: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(512) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<256x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<256x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%c0, %k] to %As : memref<512x512xf16> to memref<256x64xf16, #shared>
    tile.copy %A[%k, %c0] to %Bs : memref<512x512xf16> to memref<64x128xf16, #shared>
    // expected-remark @+1 {{operands not loaded ahead: a thread's fragments would take 112 registers, expected at most 88}}
    tile.gemm %As, %Bs, %acc : memref<256x64xf16, #shared>, memref<64x128xf16, #shared>, memref<256x128xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// Rows are taken in a table's order: what overhangs when is not known.
tile.kernel @gathered(%A: memref<512x512xf16> {tile.alignment = 16}, %rows: memref<64xindex>, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    %i = arith.divui %k, %c64 : index
    %row = memref.load %rows[%i] : memref<64xindex>
    tile.copy %A[%c0, %k] to %As : memref<512x512xf16> to memref<64x64xf16, #shared>
    tile.copy %A[%row, %c0] to %Bs : memref<512x512xf16> to memref<64x64xf16, #shared>
    // expected-remark @+1 {{operands loaded a k step ahead; copies keep their checks: its production does more than copying}}
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

tile.kernel @not_linear(%A: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c448 = arith.constant 448 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    %row = arith.subi %c448, %k : index
    tile.copy %A[%c0, %k] to %As : memref<512x512xf16> to memref<64x64xf16, #shared>
    tile.copy %A[%row, %c0] to %Bs : memref<512x512xf16> to memref<64x64xf16, #shared>
    // expected-remark @+1 {{operands loaded a k step ahead; copies keep their checks: an offset is not linear in the iteration's number}}
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

#shared = #gpu.address_space<workgroup>

// Three columns fewer than the tile has: no production lies inside, so there is
// no loop for those that do.
tile.kernel @never_inside(%A: memref<512x61xf16> {tile.alignment = 16}, %B: memref<512x512xf16> {tile.alignment = 16}, %K: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(2) {
    tile.copy %A[%k, %c0] to %As : memref<512x61xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<512x512xf16> to memref<64x64xf16, #shared>
    // expected-remark @+1 {{operands loaded a k step ahead; copies keep their checks: no iteration's production lies inside its sources}}
    tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}
