// RUN: tile-opt %s --split-input-file --tile-to-schedule="arch=sm_90a remarks" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

#shared = #gpu.address_space<workgroup>

// Two products with arithmetic between them: the copies that each reads alone
// have a ring of their own, and the first product of an iteration stands before
// the second one of the iteration before. The loop that stored both the
// exponentials and their rounded form is divided.
// REMARK: the first products of an iteration are issued before the last ones
// CHECK-LABEL: tile.kernel @chain(
// CHECK-DAG: %[[KEYS:.*]] = tile.ring.create {{.*}} : !tile.ring<2 x [memref<64x64xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
// CHECK: role "mma"
// CHECK: scf.if
// CHECK: tile.gemm {{.*}} {clear
// CHECK: math.exp2
// CHECK: scf.for %[[I:.*]] = %{{.*}} to
// CHECK: tile.ring.wait %[[R:.*]][%[[USE:.*]]] :
// CHECK-NEXT: %[[S:.*]] = tile.gemm {{.*}} {clear
// CHECK: %[[BEFORE:.*]] = arith.subi %[[I]],
// CHECK: tile.ring.wait %[[R2:.*]][%[[LAST:.*]]] :
// CHECK-NEXT: %[[O:.*]] = tile.gemm
// CHECK-NEXT: tile.await %[[S]]
// CHECK-NEXT: tile.ring.release %[[R]][%[[USE]]]
// CHECK: math.exp2
// CHECK-NOT: arith.truncf
// CHECK: tile.await %[[O]]
// CHECK-NEXT: tile.ring.release %[[R2]][%[[LAST]]]
// CHECK: arith.truncf
// CHECK: }
// CHECK: tile.gemm
// CHECK: tile.ring.drain
tile.kernel @chain(%A: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %O: memref<?x64xf32> {tile.alignment = 16})
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  %m = arith.muli %b, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %P = tile.alloc : memref<128x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %keys step %c64 stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %w = math.exp2 %x fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %p = arith.truncf %w : f32 to f16
      memref.store %p, %P[%i, %j] : memref<128x64xf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<128x64xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 64) {
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %y = arith.divf %x, %l : f32
    memref.store %y, %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// Three warpgroups hide each other's arithmetic: one ring, nothing is moved.
// REMARK: no product runs beside the loop's arithmetic: 12 warps hide each other's arithmetic; with two warpgroups products can run beside it
// CHECK-LABEL: tile.kernel @three_warpgroups(
// CHECK: tile.ring.create {{.*}} : !tile.ring<2 x [memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
tile.kernel @three_warpgroups(%A: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %O: memref<?x64xf32> {tile.alignment = 16})
    grid(%b) = (dim(%A, 0) ceildiv 192) threads(384) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  %m = arith.muli %b, %c128 : index
  %As = tile.alloc : memref<192x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<192x64xf32, #tile.fragment>
  %P = tile.alloc : memref<192x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<192x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<192xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<192x64xf16, #shared>
  tile.fill %acc with %zero : memref<192x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<192xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %keys step %c64 stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<192x64xf16, #shared>, memref<64x64xf16, #shared>, memref<192x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (192, 64) {
      %x = memref.load %S[%i, %j] : memref<192x64xf32, #tile.fragment>
      %w = math.exp2 %x fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<192x64xf32, #tile.fragment>
      %p = arith.truncf %w : f32 to f16
      memref.store %p, %P[%i, %j] : memref<192x64xf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<192x64xf32, #tile.fragment> to memref<192xf32, #tile.fragment>
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<192x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<192x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (192, 64) {
    %x = memref.load %acc[%i, %j] : memref<192x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<192xf32, #tile.fragment>
    %y = arith.divf %x, %l : f32
    memref.store %y, %acc[%i, %j] : memref<192x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<192x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// The arithmetic writes an operand of the first product: a recurrence.
// REMARK: no product runs beside the loop's arithmetic: the loop writes an operand of its first product; prepare it before the loop, or copy it into a ring
// CHECK-LABEL: tile.kernel @recurrence(
tile.kernel @recurrence(%A: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %O: memref<?x64xf32> {tile.alignment = 16})
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  %m = arith.muli %b, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %P = tile.alloc : memref<128x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  %Af = tile.alloc : memref<128x64xf16, #tile.fragment>
  tile.copy %As to %Af : memref<128x64xf16, #shared> to memref<128x64xf16, #tile.fragment>
  tile.pipelined %n = %c0 to %keys step %c64 stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %Af, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %w = math.exp2 %x fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %p = arith.truncf %w : f32 to f16
      memref.store %p, %Af[%i, %j] : memref<128x64xf16, #tile.fragment>
      memref.store %p, %P[%i, %j] : memref<128x64xf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<128x64xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 64) {
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %y = arith.divf %x, %l : f32
    memref.store %y, %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}

// -----

#shared = #gpu.address_space<workgroup>

// All of the arithmetic reads what the second product adds to.
// REMARK: no product runs beside the loop's arithmetic: all that is computed with the first product's result touches what the last product reads or writes; write the operand of the last product by a loop of its own
// CHECK-LABEL: tile.kernel @reads_sum(
tile.kernel @reads_sum(%A: memref<?x64xf16> {tile.alignment = 16}, %K: memref<?x64xf16> {tile.alignment = 16}, %V: memref<?x64xf16> {tile.alignment = 16}, %O: memref<?x64xf32> {tile.alignment = 16})
    grid(%b) = (dim(%A, 0) ceildiv 128) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %keys = memref.dim %K, %c0 : memref<?x64xf16>
  %m = arith.muli %b, %c128 : index
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Ks = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x64xf16, #shared>
  %S = tile.alloc : memref<128x64xf32, #tile.fragment>
  %P = tile.alloc : memref<128x64xf16, #tile.fragment>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %sum = tile.alloc : memref<128xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %As : memref<?x64xf16> to memref<128x64xf16, #shared>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %keys step %c64 stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.copy %V[%n, %c0] to %Vs : memref<?x64xf16> to memref<64x64xf16, #shared>
    tile.gemm %As, %Ks, %S {clear, transpose_b, policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #shared>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 64) {
      %x = memref.load %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %y = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
      %xy = arith.addf %x, %y : f32
      %w = math.exp2 %xy fastmath<afn> : f32
      memref.store %w, %S[%i, %j] : memref<128x64xf32, #tile.fragment>
      %p = arith.truncf %w : f32 to f16
      memref.store %p, %P[%i, %j] : memref<128x64xf16, #tile.fragment>
    }
    tile.reduce sum %S to %sum dim(1) accumulate : memref<128x64xf32, #tile.fragment> to memref<128xf32, #tile.fragment>
    tile.gemm %P, %Vs, %acc {policy = #tile.warp_policy<full_row>} : memref<128x64xf16, #tile.fragment>, memref<64x64xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (128, 64) {
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %l = memref.load %sum[%i] : memref<128xf32, #tile.fragment>
    %y = arith.divf %x, %l : f32
    memref.store %y, %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf32>
}
