// LLVM knows how arguments are aligned: elements that a thread loads one after the other become one wide load.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --kernel=aligned --args=A=1024,C=128 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN
// RUN: tile-run %s --kernel=unaligned --args=A=1024,C=128 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN
// RUN: tile-run %s --kernel=offset --args=A=1024,C=128 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN

// RAN: PASS

// CHECK-LABEL: .entry aligned(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 aligned_param_0
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.global.nc.b16
tile.kernel @aligned(%A: memref<1024xf16> {tile.alignment = 16}, %C: memref<128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c8 : index
    %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
      %at = arith.addi %first, %k : index
      %v = memref.load %A[%at] : memref<1024xf16>
      %w = arith.extf %v : f16 to f32
      %next = arith.addf %s, %w : f32
      scf.yield %next : f32
    }
    memref.store %sum, %C[%i] : memref<128xf32>
  }
}

// Addresses of elements are all that is promised.
// CHECK-LABEL: .entry unaligned(
// CHECK-NEXT: .param .u64 .ptr .global .align 2 unaligned_param_0
// CHECK-NOT: ld.global.nc.v
tile.kernel @unaligned(%A: memref<1024xf16>, %C: memref<128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c8 : index
    %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
      %at = arith.addi %first, %k : index
      %v = memref.load %A[%at] : memref<1024xf16>
      %w = arith.extf %v : f16 to f32
      %next = arith.addf %s, %w : f32
      scf.yield %next : f32
    }
    memref.store %sum, %C[%i] : memref<128xf32>
  }
}

// The buffer is aligned, and what a thread loads starts 2 bytes behind such an address.
// CHECK-LABEL: .entry offset(
// CHECK: ld.global.nc.b16 {{.*}}+2];
// CHECK: ld.global.nc.v2.b16 {{.*}}+4];
// CHECK: ld.global.nc.v4.b16 {{.*}}+8];
tile.kernel @offset(%A: memref<1024xf16> {tile.alignment = 16}, %C: memref<128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  tile.parallel (%i) in (128) {
    %first = arith.muli %i, %c8 : index
    %sum = scf.for %k = %c1 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
      %at = arith.addi %first, %k : index
      %v = memref.load %A[%at] : memref<1024xf16>
      %w = arith.extf %v : f16 to f32
      %next = arith.addf %s, %w : f32
      scf.yield %next : f32
    }
    memref.store %sum, %C[%i] : memref<128xf32>
  }
}
