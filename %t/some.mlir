// Four pieces of 12 registers; beside 96 of accumulators 160 leave room for two. The first two are stored at once.
// CHECK: remark: 2 of 4 pieces are stored while the next tile's products run
// CHECK-LABEL: role "mma"
// CHECK: tile.gemm
// CHECK-COUNT-2: tile.copy %{{.*}} to %C[
// CHECK: tile.ring.drain
// CHECK-COUNT-2: tile.copy %{{.*}} to %C[
// CHECK: arith.ori
// CHECK: scf.if
// CHECK-COUNT-2: tile.copy %{{.*}} to %C[
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @some(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 192, dim(%C, 0) ceildiv 192) threads(384) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cm = arith.constant 192 : index
  %cn = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %NB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %NB {divisible_by = 8 : i64} : index
  %N = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %cm : index
  %n = arith.muli %bx, %cn : index
  %As = tile.alloc : memref<192x64xf16, #shared>
  %Bs = tile.alloc : memref<64x192xf16, #shared>
  %acc = tile.alloc : memref<192x192xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<192x192xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<192x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x192xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<192x64xf16, #shared>, memref<64x192xf16, #shared>, memref<192x192xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<192x192xf32, #tile.fragment> to memref<?x?xf16>
}

