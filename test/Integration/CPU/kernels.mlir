// Kernels of the kinds people write, on the CPU against their meaning in f64.
// RUN: tile-run %s --kernel=softmax --args=X=100x64:normal,Y=100x64 --check | FileCheck %s
// RUN: tile-run %s --kernel=attention --args=Q=50x32:normal,K=70x32:normal,V=70x32:normal,O=50x32 --check | FileCheck %s
// RUN: tile-run %s --kernel=residual --args=A=37x64:uniform,B=64x64:uniform,D=37x64:uniform,C=37x64 --check | FileCheck %s
// CHECK: of the bound
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @softmax(%X: memref<?x64xf32>, %Y: memref<?x64xf16>)
    grid(%b) = (dim(%X, 0) ceildiv 32) threads(64) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %m = arith.muli %b, %c32 : index
  %x = tile.alloc : memref<32x64xf32, #tile.fragment>
  %top = tile.alloc : memref<32xf32, #tile.fragment>
  %sum = tile.alloc : memref<32xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x64xf32> to memref<32x64xf32, #tile.fragment>
  tile.reduce max %x to %top dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %v = memref.load %x[%i, %j] : memref<32x64xf32, #tile.fragment>
    %t = memref.load %top[%i] : memref<32xf32, #tile.fragment>
    %d = arith.subf %v, %t : f32
    %e = math.exp %d : f32
    memref.store %e, %x[%i, %j] : memref<32x64xf32, #tile.fragment>
  }
  tile.reduce sum %x to %sum dim(1) : memref<32x64xf32, #tile.fragment> to memref<32xf32, #tile.fragment>
  tile.parallel (%i, %j) in (32, 64) {
    %v = memref.load %x[%i, %j] : memref<32x64xf32, #tile.fragment>
    %s = memref.load %sum[%i] : memref<32xf32, #tile.fragment>
    %q = arith.divf %v, %s : f32
    memref.store %q, %x[%i, %j] : memref<32x64xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<32x64xf32, #tile.fragment> to memref<?x64xf16>
}

// Two gemms, the first one's accumulator an operand of the second; the running
// maximum and sum of attention; columns beyond the keys do not count.
tile.kernel @attention(%Q: memref<?x32xf16>, %K: memref<?x32xf16>, %V: memref<?x32xf16>, %O: memref<?x32xf16>)
    grid(%b) = (dim(%Q, 0) ceildiv 16) threads(64) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %keys = memref.dim %K, %c0 : memref<?x32xf16>
  %m = arith.muli %b, %c16 : index
  %q = tile.alloc : memref<16x32xf16, #shared>
  %k = tile.alloc : memref<16x32xf16, #shared>
  %v = tile.alloc : memref<16x32xf16, #shared>
  %s = tile.alloc : memref<16x16xf32, #tile.fragment>
  %p = tile.alloc : memref<16x16xf16, #tile.fragment>
  %o = tile.alloc : memref<16x32xf32, #tile.fragment>
  %top = tile.alloc : memref<16xf32, #tile.fragment>
  %old = tile.alloc : memref<16xf32, #tile.fragment>
  %sum = tile.alloc : memref<16xf32, #tile.fragment>
  %part = tile.alloc : memref<16xf32, #tile.fragment>
  tile.fill %o with %zero : memref<16x32xf32, #tile.fragment>, f32
  tile.fill %sum with %zero : memref<16xf32, #tile.fragment>, f32
  tile.fill %top with %low : memref<16xf32, #tile.fragment>, f32
  tile.copy %Q[%m, %c0] to %q : memref<?x32xf16> to memref<16x32xf16, #shared>
  tile.pipelined %n = %c0 to %keys step %c16 stages(2) {
    tile.copy %K[%n, %c0] to %k : memref<?x32xf16> to memref<16x32xf16, #shared>
    tile.copy %V[%n, %c0] to %v : memref<?x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %q, %k, %s {transpose_b, clear} : memref<16x32xf16, #shared>, memref<16x32xf16, #shared>, memref<16x16xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 16) {
      %at = arith.addi %n, %j : index
      %inside = arith.cmpi slt, %at, %keys : index
      %x = memref.load %s[%i, %j] : memref<16x16xf32, #tile.fragment>
      %y = arith.select %inside, %x, %low : f32
      memref.store %y, %s[%i, %j] : memref<16x16xf32, #tile.fragment>
    }
    tile.copy %top to %old : memref<16xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.reduce max %s to %top dim(1) accumulate : memref<16x16xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 16) {
      %x = memref.load %s[%i, %j] : memref<16x16xf32, #tile.fragment>
      %t = memref.load %top[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %x, %t : f32
      %e = math.exp %d : f32
      memref.store %e, %s[%i, %j] : memref<16x16xf32, #tile.fragment>
    }
    tile.reduce sum %s to %part dim(1) : memref<16x16xf32, #tile.fragment> to memref<16xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 32) {
      %t = memref.load %top[%i] : memref<16xf32, #tile.fragment>
      %u = memref.load %old[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %u, %t : f32
      %f = math.exp %d : f32
      %x = memref.load %o[%i, %j] : memref<16x32xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      memref.store %y, %o[%i, %j] : memref<16x32xf32, #tile.fragment>
    }
    tile.parallel (%i) in (16) {
      %t = memref.load %top[%i] : memref<16xf32, #tile.fragment>
      %u = memref.load %old[%i] : memref<16xf32, #tile.fragment>
      %d = arith.subf %u, %t : f32
      %f = math.exp %d : f32
      %x = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
      %z = memref.load %part[%i] : memref<16xf32, #tile.fragment>
      %y = arith.mulf %x, %f : f32
      %w = arith.addf %y, %z : f32
      memref.store %w, %sum[%i] : memref<16xf32, #tile.fragment>
    }
    tile.copy %s to %p : memref<16x16xf32, #tile.fragment> to memref<16x16xf16, #tile.fragment>
    tile.gemm %p, %v, %o : memref<16x16xf16, #tile.fragment>, memref<16x32xf16, #shared>, memref<16x32xf32, #tile.fragment>
  }
  tile.parallel (%i, %j) in (16, 32) {
    %x = memref.load %o[%i, %j] : memref<16x32xf32, #tile.fragment>
    %z = memref.load %sum[%i] : memref<16xf32, #tile.fragment>
    %y = arith.divf %x, %z : f32
    memref.store %y, %o[%i, %j] : memref<16x32xf32, #tile.fragment>
  }
  tile.copy %o to %O[%m, %c0] : memref<16x32xf32, #tile.fragment> to memref<?x32xf16>
}

// C = relu(A B - D)
tile.kernel @residual(%A: memref<?x64xf16>, %B: memref<64x64xf16>, %D: memref<?x64xf32>, %C: memref<?x64xf32>)
    grid(%b) = (dim(%A, 0) ceildiv 16) threads(64) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %b, %c16 : index
  %a = tile.alloc : memref<16x64xf16, #shared>
  %x = tile.alloc : memref<64x64xf16, #shared>
  %d = tile.alloc : memref<16x64xf32, #tile.fragment>
  %c = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.copy %A[%m, %c0] to %a : memref<?x64xf16> to memref<16x64xf16, #shared>
  tile.copy %B to %x : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %D[%m, %c0] to %d : memref<?x64xf32> to memref<16x64xf32, #tile.fragment>
  tile.gemm %a, %x, %c {clear} : memref<16x64xf16, #shared>, memref<64x64xf16, #shared>, memref<16x64xf32, #tile.fragment>
  tile.parallel (%i, %j) in (16, 64) {
    %p = memref.load %c[%i, %j] : memref<16x64xf32, #tile.fragment>
    %q = memref.load %d[%i, %j] : memref<16x64xf32, #tile.fragment>
    %r = arith.subf %p, %q : f32
    %s = arith.maximumf %r, %zero : f32
    memref.store %s, %c[%i, %j] : memref<16x64xf32, #tile.fragment>
  }
  tile.copy %c to %C[%m, %c0] : memref<16x64xf32, #tile.fragment> to memref<?x64xf32>
}
