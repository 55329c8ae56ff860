// 512 elements of a thread in one basic block of more than 10,000 instructions with comparisons: LLVM's list scheduler takes
// minutes for it, so the executor's code is generated without. (The time is the bound of a hang, not a measurement.)
// RUN: timeout 150 tile-run %s --stage=lowered --arch=sm_90a --args=X=128x128:smallint:1,Y=128x128:smallint:2,Z=128x128 --check | FileCheck %s
// CHECK: PASS
tile.kernel @compares(%X: memref<128x128xf16>, %Y: memref<128x128xf16>, %Z: memref<128x128xf16>) grid(%b) = (1) threads(32) {
  %s = tile.alloc : memref<128x128xf16, #gpu.address_space<workgroup>>
  tile.copy %X to %s : memref<128x128xf16> to memref<128x128xf16, #gpu.address_space<workgroup>>
  tile.parallel (%i, %j) in (128, 128) {
    %x = memref.load %s[%i, %j] : memref<128x128xf16, #gpu.address_space<workgroup>>
    %y = memref.load %Y[%i, %j] : memref<128x128xf16>
    %a = arith.cmpf olt, %x, %y : f16
    %p = arith.select %a, %x, %y : f16
    %q = arith.select %a, %y, %x : f16
    %d = arith.subf %q, %p : f16
    %e = arith.cmpf oge, %d, %p : f16
    %f = arith.cmpf une, %q, %d : f16
    %g = arith.andi %e, %f : i1
    %h = arith.select %g, %d, %q : f16
    %k = arith.mulf %h, %p : f16
    %l = arith.cmpf ogt, %k, %x : f16
    %m = arith.ori %l, %a : i1
    %n = arith.select %m, %k, %h : f16
    memref.store %n, %Z[%i, %j] : memref<128x128xf16>
  }
}
