// C = A * B where A is sparse, 2 of 4: of each four neighbours in a row of A two are
// zeros. %A holds the values that are kept, half of the columns, and %E says where they
// stood: four bits for each four columns, two places of which the first is in the lower
// two bits. Tensor cores with an instruction for that (wgmma.sp on sm_90a, mma.sp from
// sm_80 on) take the metadata from registers and make half of the products; elsewhere
// the compiler writes A with its zeros to shared memory first. The step of 128 columns
// gives rows of 16 bytes of metadata, which the tensor memory accelerator copies.
#shared = #gpu.address_space<workgroup>
tile.kernel @sparse_gemm(%A: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 256>},
                         %E: memref<?x?xi16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 32>},
                         %B: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 512, 256>},
                         %C: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 256, 256>})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %tile = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // Rows of whole 16-byte pieces, which the launcher checks.
  %kept = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %kept {divisible_by = 8 : i64} : index
  %places = memref.dim %E, %c1 : memref<?x?xi16>
  tile.assume %places {divisible_by = 8 : i64} : index
  %columns = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %columns {divisible_by = 8 : i64} : index
  %K = memref.dim %B, %c0 : memref<?x?xf16>
  %m = arith.muli %by, %tile : index
  %n = arith.muli %bx, %tile : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Es = tile.alloc : memref<128x8xi16, #shared>
  %Bs = tile.alloc : memref<128x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %tile stages(3) {
    %half = arith.divui %k, %c2 : index
    %word = arith.divui %k, %c16 : index
    tile.copy %A[%m, %half] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %E[%m, %word] to %Es : memref<?x?xi16> to memref<128x8xi16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<128x128xf16, #shared>
    tile.gemm %As, %Bs, %acc metadata(%Es : memref<128x8xi16, #shared>) : memref<128x64xf16, #shared>, memref<128x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
