// Other kernels than those of ../check-bounds.mlir by a little.
tile.kernel @narrow(%X: memref<4096xf16>, %Y: memref<4096xf32>) grid(%b) = (1) threads(32) {
  %p = arith.constant 1.1 : f16
  %q = arith.constant 1.01 : f16
  tile.parallel (%i) in (4096) {
    %x = memref.load %X[%i] : memref<4096xf16>
    %1 = arith.mulf %x, %p : f16
    %2 = arith.mulf %1, %p : f16
    %3 = arith.mulf %2, %p : f16
    %4 = arith.mulf %3, %p : f16
    %5 = arith.mulf %4, %p : f16
    %6 = arith.mulf %5, %p : f16
    %7 = arith.mulf %6, %p : f16
    %8 = arith.mulf %7, %p : f16
    %9 = arith.mulf %8, %q : f16
    %y = arith.extf %9 : f16 to f32
    memref.store %y, %Y[%i] : memref<4096xf32>
  }
}
tile.kernel @subnormal(%X: memref<4096xf32>, %Y: memref<4096xf32>) grid(%b) = (1) threads(32) {
  %small = arith.constant 1.0e-6 : f32
  %large = arith.constant 1.2e+6 : f32
  tile.parallel (%i) in (4096) {
    %x = memref.load %X[%i] : memref<4096xf32>
    %s = arith.mulf %x, %small : f32
    %h = arith.truncf %s : f32 to f16
    %w = arith.extf %h : f16 to f32
    %y = arith.mulf %w, %large : f32
    memref.store %y, %Y[%i] : memref<4096xf32>
  }
}
tile.kernel @integers(%X: memref<512x32xi32>, %s: f32, %Y: memref<512xf32>) grid(%b) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %n = tile.alloc : memref<512x32xi32, #gpu.address_space<workgroup>>
  %x = tile.alloc : memref<512x32xf32, #tile.fragment>
  %y = tile.alloc : memref<512xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %n : memref<512x32xi32> to memref<512x32xi32, #gpu.address_space<workgroup>>
  tile.parallel (%i, %j) in (512, 32) {
    %a = memref.load %n[%i, %j] : memref<512x32xi32, #gpu.address_space<workgroup>>
    %f = arith.sitofp %a : i32 to f32
    %one = arith.constant 1.0 : f32
    %e = arith.addf %f, %one : f32
    %v = arith.mulf %e, %s : f32
    memref.store %v, %x[%i, %j] : memref<512x32xf32, #tile.fragment>
  }
  tile.reduce sum %x to %y dim(1) : memref<512x32xf32, #tile.fragment> to memref<512xf32, #tile.fragment>
  tile.copy %y to %Y[%c0] : memref<512xf32, #tile.fragment> to memref<512xf32>
}
