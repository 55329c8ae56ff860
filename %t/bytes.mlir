// Two bytes at a time go to shared memory: each would take a register.
// CHECK: remark: stored before the next tile's products: it is no whole words, or is used elsewhere
// CHECK-LABEL: role "mma"
// CHECK-NOT: arith.ori
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @bytes(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf8E4M3FN> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %NB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %NB {divisible_by = 8 : i64} : index
  %N = memref.dim %C, %c1 : memref<?x?xf8E4M3FN>
  tile.assume %N {divisible_by = 16 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c256 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf8E4M3FN>
}
