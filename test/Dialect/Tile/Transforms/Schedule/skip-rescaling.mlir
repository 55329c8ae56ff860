// Accumulators are multiplied where a factor is not one, which the loop around computes as the exponential of a difference.
// RUN: tile-opt %s --split-input-file --tile-set-target=arch=sm_90a --tile-infer-layouts --tile-select-copies --tile-pipeline --tile-specialize-warps --tile-skip-rescaling=remarks 2>&1 | FileCheck %s
#shared = #gpu.address_space<workgroup>

// CHECK: remark: a warp skips this loop where all of its factors are one: the maxima of its rows did not grow
// CHECK-LABEL: tile.kernel @online_softmax
tile.kernel @online_softmax(%A: memref<?x64xf16>, %B: memref<64x128xf16>, %G: memref<192xf32>, %C: memref<192x128xf32>) grid(%b) = (1) threads(384) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c0 : memref<?x64xf16>
  %as = tile.alloc : memref<192x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<192x128xf32, #tile.fragment>
  %old = tile.alloc : memref<192xf32, #tile.fragment>
  %new = tile.alloc : memref<192xf32, #tile.fragment>
  %factor = tile.alloc : memref<192xf32, #tile.fragment>
  tile.copy %B[%c0, %c0] to %bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %G[%c0] to %old : memref<192xf32> to memref<192xf32, #tile.fragment>
  tile.copy %G[%c0] to %new : memref<192xf32> to memref<192xf32, #tile.fragment>
  tile.copy %C[%c0, %c0] to %acc : memref<192x128xf32> to memref<192x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c192 stages(2) {
    tile.copy %A[%k, %c0] to %as : memref<?x64xf16> to memref<192x64xf16, #shared>
    tile.parallel (%i) in (192) {
      %x = memref.load %old[%i] : memref<192xf32, #tile.fragment>
      %y = memref.load %new[%i] : memref<192xf32, #tile.fragment>
      %less = arith.subf %x, %y : f32
      %e = math.exp2 %less : f32
      memref.store %e, %factor[%i] : memref<192xf32, #tile.fragment>
    }
    // CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}]
    // CHECK: %[[F:.*]] = memref.load %{{.*}}[%{{[^,]*}}] :
    // CHECK: %[[Y:.*]] = arith.mulf
    // CHECK: %[[D:.*]] = arith.cmpf une, %[[F]], %{{.*}} : f32
    // CHECK-NEXT: scf.if %[[D]] {
    // CHECK-NEXT: memref.store %[[Y]]
    tile.parallel (%i, %j) in (192, 128) {
      %x = memref.load %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
      %f = memref.load %factor[%i] : memref<192xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
    }
    tile.gemm %as, %bs, %acc : memref<192x64xf16, #shared>, memref<64x128xf16, #shared>, memref<192x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<192x128xf32, #tile.fragment> to memref<192x128xf32>
}

// -----

// Factors that are read (a decay) need not ever be one.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @decay
// CHECK-NOT: arith.cmpf une
tile.kernel @decay(%A: memref<?x64xf16>, %B: memref<64x128xf16>, %G: memref<192xf32>, %C: memref<192x128xf32>) grid(%b) = (1) threads(384) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c0 : memref<?x64xf16>
  %as = tile.alloc : memref<192x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<192x128xf32, #tile.fragment>
  %factor = tile.alloc : memref<192xf32, #tile.fragment>
  tile.copy %B[%c0, %c0] to %bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %C[%c0, %c0] to %acc : memref<192x128xf32> to memref<192x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c192 stages(2) {
    tile.copy %A[%k, %c0] to %as : memref<?x64xf16> to memref<192x64xf16, #shared>
    tile.copy %G[%c0] to %factor : memref<192xf32> to memref<192xf32, #tile.fragment>
    tile.parallel (%i, %j) in (192, 128) {
      %x = memref.load %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
      %f = memref.load %factor[%i] : memref<192xf32, #tile.fragment>
      %y = arith.mulf %f, %x : f32
      memref.store %y, %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
    }
    tile.gemm %as, %bs, %acc : memref<192x64xf16, #shared>, memref<64x128xf16, #shared>, memref<192x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<192x128xf32, #tile.fragment> to memref<192x128xf32>
}

// -----

// A factor for each element: as many questions as products.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @each_its_own
// CHECK-NOT: arith.cmpf une
tile.kernel @each_its_own(%A: memref<?x64xf16>, %B: memref<64x128xf16>, %C: memref<192x128xf32>) grid(%b) = (1) threads(384) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c0 : memref<?x64xf16>
  %as = tile.alloc : memref<192x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<192x128xf32, #tile.fragment>
  %factor = tile.alloc : memref<192x128xf32, #tile.fragment>
  tile.copy %B[%c0, %c0] to %bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %C[%c0, %c0] to %acc : memref<192x128xf32> to memref<192x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c192 stages(2) {
    tile.copy %A[%k, %c0] to %as : memref<?x64xf16> to memref<192x64xf16, #shared>
    tile.parallel (%i, %j) in (192, 128) {
      %x = memref.load %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
      %less = arith.subf %x, %x : f32
      %e = math.exp %less : f32
      memref.store %e, %factor[%i, %j] : memref<192x128xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (192, 128) {
      %x = memref.load %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
      %f = memref.load %factor[%i, %j] : memref<192x128xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
    }
    tile.gemm %as, %bs, %acc : memref<192x64xf16, #shared>, memref<64x128xf16, #shared>, memref<192x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<192x128xf32, #tile.fragment> to memref<192x128xf32>
}

// -----

// Without roles registers decide how many blocks run at a time.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: tile.kernel @not_alone
// CHECK-NOT: arith.cmpf une
tile.kernel @not_alone(%A: memref<?x64xf16>, %B: memref<64x128xf16>, %G: memref<192xf32>, %C: memref<192x128xf32>) grid(%b) = (1) threads(384) attributes {specialize = false} {
  %c0 = arith.constant 0 : index
  %c192 = arith.constant 192 : index
  %K = memref.dim %A, %c0 : memref<?x64xf16>
  %as = tile.alloc : memref<192x64xf16, #shared>
  %bs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<192x128xf32, #tile.fragment>
  %old = tile.alloc : memref<192xf32, #tile.fragment>
  %new = tile.alloc : memref<192xf32, #tile.fragment>
  %factor = tile.alloc : memref<192xf32, #tile.fragment>
  tile.copy %B[%c0, %c0] to %bs : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %G[%c0] to %old : memref<192xf32> to memref<192xf32, #tile.fragment>
  tile.copy %G[%c0] to %new : memref<192xf32> to memref<192xf32, #tile.fragment>
  tile.copy %C[%c0, %c0] to %acc : memref<192x128xf32> to memref<192x128xf32, #tile.fragment>
  tile.pipelined %k = %c0 to %K step %c192 stages(2) {
    tile.copy %A[%k, %c0] to %as : memref<?x64xf16> to memref<192x64xf16, #shared>
    tile.parallel (%i) in (192) {
      %x = memref.load %old[%i] : memref<192xf32, #tile.fragment>
      %y = memref.load %new[%i] : memref<192xf32, #tile.fragment>
      %less = arith.subf %x, %y : f32
      %e = math.exp2 %less : f32
      memref.store %e, %factor[%i] : memref<192xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (192, 128) {
      %x = memref.load %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
      %f = memref.load %factor[%i] : memref<192xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %acc[%i, %j] : memref<192x128xf32, #tile.fragment>
    }
    tile.gemm %as, %bs, %acc : memref<192x64xf16, #shared>, memref<64x128xf16, #shared>, memref<192x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] : memref<192x128xf32, #tile.fragment> to memref<192x128xf32>
}

