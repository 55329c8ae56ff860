// What is loaded in front of the loop for its end takes registers, too.
// CHECK: remark: stored before the next tile's products: the role's 232 registers hold no piece of it beside the accumulators
// CHECK-LABEL: role "mma"
// CHECK-NOT: arith.ori
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @across(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %R: memref<?x?xf16> {tile.alignment = 16},
    %C: memref<?x?xf16> {tile.alignment = 16})
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
  %N = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c128 : index
  %n = arith.muli %bx, %c256 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  %early = tile.alloc : memref<128x256xf16, #tile.fragment>
  tile.copy %R[%m, %n] to %early : memref<?x?xf16> to memref<128x256xf16, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 256) {
    %x = memref.load %acc[%i, %j] : memref<128x256xf32, #tile.fragment>
    %r = memref.load %early[%i, %j] : memref<128x256xf16, #tile.fragment>
    %e = arith.extf %r : f16 to f32
    %y = arith.addf %x, %e : f32
    memref.store %y, %acc[%i, %j] : memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}

