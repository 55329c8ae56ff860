// Weights in fp8 (e4m3) with one scale a row, and A in f16.
// Look at: cvt of two elements at a time, exact.
// Printed by: benchmarks/program.py quantized name=f8a16 weights=f8 group=0 packing=rows tile=32,64,128 hints=A=16x256,W=64x256,S=64,C=16x64
#shared = #gpu.address_space<workgroup>
tile.kernel @f8a16(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 256>}, %W: memref<?x?xf8E4M3FN> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 256>}, %S: memref<?xf32> {tile.alignment = 16, tile.shape_hint = array<i64: 64>}, %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 16, 64>})
    grid(%bx, %by) = (dim(%W, 0) ceildiv 64, dim(%A, 0) ceildiv 32) threads(128) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 32 : i64} : index
  %rowW = memref.dim %W, %c1 : memref<?x?xf8E4M3FN>
  tile.assume %rowW {divisible_by = 16 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c32 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<32x128xf16, #shared>
  %Ws = tile.alloc : memref<64x128xf8E4M3FN, #shared>
  %wq = tile.alloc : memref<64x128xf8E4M3FN, #tile.fragment>
  %wf = tile.alloc : memref<64x128xf16, #tile.fragment>
  %acc = tile.alloc : memref<64x32xf32, #tile.fragment>
  %zero = arith.constant 0.0 : f32
  tile.fill %acc with %zero : memref<64x32xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c128 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<32x128xf16, #shared>
    tile.copy %W[%n, %k] to %Ws : memref<?x?xf8E4M3FN> to memref<64x128xf8E4M3FN, #shared>
    tile.copy %Ws to %wq : memref<64x128xf8E4M3FN, #shared> to memref<64x128xf8E4M3FN, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      %q = memref.load %wq[%i, %j] : memref<64x128xf8E4M3FN, #tile.fragment>
      %f = arith.extf %q : f8E4M3FN to f16
      memref.store %f, %wf[%i, %j] : memref<64x128xf16, #tile.fragment>
    }
    tile.gemm %wf, %As, %acc {transpose_b} : memref<64x128xf16, #tile.fragment>, memref<32x128xf16, #shared>, memref<64x32xf32, #tile.fragment>
  }
  %sn = tile.alloc : memref<64xf32, #tile.fragment>
  tile.copy %S[%n] to %sn : memref<?xf32> to memref<64xf32, #tile.fragment>
  %Cs = tile.alloc : memref<32x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 32) {
    %x = memref.load %acc[%i, %j] : memref<64x32xf32, #tile.fragment>
    %snx = memref.load %sn[%i] : memref<64xf32, #tile.fragment>
    %xsnx = arith.mulf %x, %snx : f32
    %h = arith.truncf %xsnx : f32 to f16
    memref.store %h, %Cs[%j, %i] : memref<32x64xf16, #shared>
  }
  tile.copy %Cs to %C[%m, %n] : memref<32x64xf16, #shared> to memref<?x?xf16>
}
