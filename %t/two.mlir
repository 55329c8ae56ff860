// CHECK-LABEL: role "mma"
// The trip count is the same for every tile: one iteration for each piece behind the first.
// CHECK:       %[[LAST:.*]] = arith.constant 2 : index
// CHECK:       %[[LONG:.*]] = arith.cmpi slt, %{{.*}}, %[[TRIPS:[0-9]+]] : index
// CHECK:       %[[F0:[0-9]+]] = tile.alloc {{.*}} : memref<128x128xf16, #tile.fragment>
// CHECK:       %[[F1:[0-9]+]] = tile.alloc {{.*}} : memref<128x128xf16, #tile.fragment>
// CHECK:       scf.for %[[T:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %[[STEP:.*]] iter_args({{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (index, !tile.token) {
// Nothing is computed between two tiles' products that they do not need.
// CHECK-NOT:     tile.block_coordinates
// CHECK:         %[[ANOTHER:.*]] = arith.cmpi ne, %[[T]], %[[FIRST]] : index
// CHECK:         %[[OPEN:.*]] = arith.andi %[[ANOTHER]], %[[LONG]] : i1
// CHECK:         %[[EARLIER:.*]] = arith.subi %[[T]], %[[STEP]] : index
// CHECK:         %[[REACHED:.*]] = scf.if
// CHECK:           scf.for %[[K:.*]] = %{{.*}} to %[[TRIPS]] step {{.*}} iter_args({{.*}}, %[[TOKEN:[^ ]*]] = %[[BEFORE]]) -> (!tile.token, index, !tile.token) {
// CHECK:             tile.gemm
// CHECK:             tile.ring.release
// CHECK:             %[[NOW:.*]] = arith.cmpi eq, %[[K]], %{{.*}} : index
// CHECK:             %[[BOTH:.*]] = arith.andi %[[NOW]], %[[OPEN]] : i1
// CHECK:             %[[STORED:.*]] = scf.if %[[BOTH]] -> (!tile.token) {
// CHECK:               tile.block_coordinates %[[EARLIER]]
// CHECK:               tile.await read %[[TOKEN]]
// CHECK-NEXT:          tile.copy %[[F0]] to %[[STAGING:[0-9]+]] {groups
// CHECK-NEXT:          %[[STORE:.*]] = tile.copy %[[STAGING]] to %C[
// CHECK-NEXT:          scf.yield %[[STORE]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %[[TOKEN]]
// CHECK:             scf.if {{.*}} -> (!tile.token) {
// CHECK:               tile.await read %[[STORED]]
// CHECK-NEXT:          tile.copy %[[F1]] to %[[STAGING]] {groups
// CHECK:         } else {
// CHECK:           scf.yield %[[BEFORE]] : !tile.token
// CHECK:         tile.copy %[[ACC:.*]][%{{.*}}] sizes [128, 128] to %[[F0]]
// CHECK:         tile.copy %[[ACC]][%{{.*}}] sizes [128, 128] to %[[F1]]
// The last tile, and each where the loop is too short.
// CHECK:         %[[NEXT:.*]] = arith.addi %[[T]], %[[STEP]] : index
// CHECK:         %[[ENDS:.*]] = arith.cmpi sge, %[[NEXT]], %[[END]] : index
// CHECK:         %[[SHORT:.*]] = arith.xori %[[LONG]], %{{.*}} : i1
// CHECK:         %[[STORES:.*]] = arith.ori %[[ENDS]], %[[SHORT]] : i1
// CHECK:         scf.if %[[STORES]] -> (!tile.token) {
// CHECK:           tile.block_coordinates %[[T]]
// CHECK:           tile.await read %[[REACHED]]
// CHECK-NEXT:      tile.copy %[[F0]] to %[[STAGING]]
// CHECK:           tile.copy %[[F1]] to %[[STAGING]]
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[REACHED]] : !tile.token
#shared = #gpu.address_space<workgroup>
tile.kernel @two(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
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
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}

