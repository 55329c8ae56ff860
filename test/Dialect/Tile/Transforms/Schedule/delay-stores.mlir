// One tile is stored while the products of the next one run, as far as registers hold it.
// RUN: split-file %s %t
// DEFINE: %{to-roles} = tile-opt --tile-set-target=arch=sm_90a --tile-make-persistent --tile-lower-affine-accesses --canonicalize --cse --tile-infer-layouts --tile-stage-stores --tile-select-copies --tile-pipeline --tile-specialize-warps --tile-schedule-gemms --tile-clear-accumulators --tile-schedule-stores
// RUN: %{to-roles} %t/two.mlir -o %t/two.roles.mlir
// RUN: tile-opt %t/two.roles.mlir --tile-delay-stores | FileCheck %t/two.mlir
// What comes out keeps the rules of rings and tokens, in every interleaving.
// RUN: tile-opt %t/two.roles.mlir --tile-delay-stores --tile-verify-rings=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROVED
// PROVED: remark: rings are proved
// RUN: %{to-roles} %t/large.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/large.mlir
// RUN: %{to-roles} %t/some.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/some.mlir
// RUN: %{to-roles} %t/varying.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/varying.mlir
// RUN: %{to-roles} %t/across.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/across.mlir
// RUN: %{to-roles} %t/singles.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/singles.mlir
// RUN: %{to-roles} %t/bytes.mlir --tile-delay-stores=remarks 2>&1 | FileCheck %t/bytes.mlir
// RUN: tile-translate %t/two.mlir --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: tile-run %t/two.mlir --stage=scheduled --arch=sm_90a --blocks=3 --args=A=500x200,B=200x304,C=500x304 --check

// In the loop: products in flight, then stores of the tile before, and no
// accumulator on its way to memory. Halves stay packed across tiles.
// PTX-LABEL: .entry two(
// PTX:       wgmma.commit_group.sync.aligned;
// PTX:       wgmma.wait_group.sync.aligned 1;
// PTX-NOT:   cvt.rn.f16x2
// PTX:       stmatrix.sync.aligned
// PTX:       cp.async.bulk.tensor.2d.global.shared
// PTX:       wgmma.wait_group.sync.aligned 0;
// PTX-COUNT-64: cvt.rn.f16x2.f32
// PTX-NOT:   prmt

//--- two.mlir
// CHECK-LABEL: role "mma"
// The trip count is the same for every tile: one iteration for each piece behind the first.
// CHECK:       %[[LONG:.*]] = tile.iteration exists(2) in %{{.*}} to %[[TRIPS:[0-9]+]] step
// CHECK:       %[[F0:[0-9]+]] = tile.alloc {{.*}} : memref<128x128xf16, #tile.fragment>
// CHECK:       %[[F1:[0-9]+]] = tile.alloc {{.*}} : memref<128x128xf16, #tile.fragment>
// CHECK:       scf.for %[[T:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %[[STEP:.*]] iter_args({{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (index, !tile.token) {
// Nothing is computed between two tiles' products that they do not need.
// CHECK-NOT:     tile.block_coordinates
// CHECK:         %[[ANOTHER:.*]] = tile.iteration past(1) of %[[T]] in %[[FIRST]] to %[[END]] step %[[STEP]]
// CHECK:         %[[OPEN:.*]] = arith.andi %[[ANOTHER]], %[[LONG]] : i1
// CHECK:         %[[EARLIER:.*]] = arith.subi %[[T]], %[[STEP]] : index
// CHECK:         %[[REACHED:.*]] = scf.if
// CHECK:           scf.for %[[K:.*]] = %{{.*}} to %[[TRIPS]] step {{.*}} iter_args({{.*}}, %[[TOKEN:[^ ]*]] = %[[BEFORE]]) -> (!tile.token, index, !tile.token) {
// CHECK:             tile.gemm
// CHECK:             tile.ring.release
// CHECK:             %[[NOW:.*]] = tile.iteration is(1) of %[[K]] in
// CHECK:             %[[BOTH:.*]] = arith.andi %[[NOW]], %[[OPEN]] : i1
// CHECK:             %[[STORED:.*]] = scf.if %[[BOTH]] -> (!tile.token) {
// CHECK:               tile.block_coordinates %[[EARLIER]]
// CHECK:               tile.await read %[[TOKEN]]
// CHECK-NEXT:          tile.copy %[[F0]] to %[[STAGING:[0-9]+]] decided {groups
// CHECK-NEXT:          %[[STORE:.*]] = tile.copy %[[STAGING]] to %C[
// CHECK-NEXT:          scf.yield %[[STORE]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %[[TOKEN]]
// CHECK:             tile.iteration is(2) of %[[K]] in
// CHECK:             scf.if {{.*}} -> (!tile.token) {
// CHECK:               tile.await read %[[STORED]]
// CHECK-NEXT:          tile.copy %[[F1]] to %[[STAGING]] decided {groups
// CHECK:         } else {
// CHECK:           scf.yield %[[BEFORE]] : !tile.token
// CHECK:         tile.copy %[[ACC:.*]][%{{.*}}] sizes [128, 128] to %[[F0]]
// CHECK:         tile.copy %[[ACC]][%{{.*}}] sizes [128, 128] to %[[F1]]
// The last tile, and each where the loop is too short.
// CHECK:         %[[FOLLOWED:.*]] = tile.iteration ahead(1) of %[[T]] in %[[FIRST]] to %[[END]] step %[[STEP]]
// CHECK:         %[[ENDS:.*]] = arith.xori %[[FOLLOWED]], %{{.*}} : i1
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

//--- large.mlir
// 192 registers of accumulators and 96 of results are more than a thread has.
// CHECK: remark: store is not delayed into the next tile: the role's 232 registers have no room for a piece beside the accumulators
// CHECK-LABEL: role "mma"
// CHECK: tile.gemm
// CHECK-NOT: arith.ori
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @large(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 192, dim(%C, 0) ceildiv 256) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cm = arith.constant 256 : index
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
  %As = tile.alloc : memref<256x64xf16, #shared>
  %Bs = tile.alloc : memref<64x192xf16, #shared>
  %acc = tile.alloc : memref<256x192xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<256x192xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<256x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x192xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<256x64xf16, #shared>, memref<64x192xf16, #shared>, memref<256x192xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<256x192xf32, #tile.fragment> to memref<?x?xf16>
}

//--- some.mlir
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

//--- varying.mlir
// A loop that may be shorter for the next tile than for this one.
// CHECK: remark: store is not delayed into the next tile: how long a loop runs depends on the tile
// CHECK-LABEL: role "mma"
// CHECK-NOT: arith.ori
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @varying(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cm = arith.constant 128 : index
  %cn = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %NB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %NB {divisible_by = 8 : i64} : index
  %N = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %N {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %cm : index
  %n = arith.muli %bx, %cn : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x256xf16, #shared>
  %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
  %up = arith.addi %m, %cm : index
  %last = arith.minui %up, %K : index
  tile.pipelined %k = %c0 to %last step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x256xf16, #shared>
    tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x256xf16, #shared>, memref<128x256xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
}

//--- across.mlir
// What is loaded in front of the loop for its end takes registers, too.
// CHECK: remark: store is not delayed into the next tile: the role's 232 registers have no room for a piece beside the accumulators
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

//--- singles.mlir
// Elements of 32 bits are words, too: two pieces of 32 registers fit beside 128.
// CHECK: remark: 2 of 4 pieces are stored while the next tile's products run
// CHECK-LABEL: role "mma"
// CHECK: arith.ori
// CHECK: tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @singles(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf32> {tile.alignment = 16})
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
  %N = memref.dim %C, %c1 : memref<?x?xf32>
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
  tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf32>
}

//--- bytes.mlir
// Two bytes at a time go to shared memory: each would take a register.
// CHECK: remark: store is not delayed into the next tile: its elements do not fill 32-bit registers, or the fragment has other uses
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
