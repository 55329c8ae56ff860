// Products take columns of a tile where they are: the tile lies in panels of 128 bytes, and a product's operand begins at one.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-infer-layouts | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s --kernel=columns --check
// RUN: tile-run %s --kernel=columns --stage=layouts --arch=sm_90a --check
// RUN: tile-run %s --kernel=columns --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=columns --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=columns --stage=lowered --arch=sm_100a --check
// RUN: tile-run %s --kernel=of_the_second --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=of_the_second --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=of_a_slice --check
// RUN: tile-run %s --kernel=of_a_slice --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=of_a_slice --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=of_a_slice --stage=lowered --arch=sm_100a --check
// RUN: tile-run %s --kernel=narrow --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=ahead --stage=lowered --arch=sm_90a --check
#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
#tail = strided<[192, 1], offset: 128>

// CHECK-LABEL: tile.kernel @columns
// CHECK:         %[[Q:.*]] = tile.alloc {{.*}}modes [(64, 1:1), (64, 0:64), (3, 1:4096)] swizzle(3, 4, 3){{.*}} : memref<64x192xf16
// CHECK:         %[[HEAD:.*]] = memref.subview %[[Q]][0, 0] [64, 128] [1, 1]
// CHECK:         tile.gemm %[[HEAD]],
// CHECK:         %[[TAIL:.*]] = memref.subview %[[Q]][0, 128] [64, 64] [1, 1]
// CHECK:         tile.gemm %[[TAIL]],
// REMARK-NOT: works on a copy
tile.kernel @columns(%Q: memref<64x192xf16> {tile.alignment = 16}, %K: memref<64x192xf16> {tile.alignment = 16}, %S: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %Qs = tile.alloc : memref<64x192xf16, #shared>
  %Ks = tile.alloc : memref<64x128xf16, #shared>
  %Kt = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  tile.copy %Q to %Qs : memref<64x192xf16> to memref<64x192xf16, #shared>
  tile.copy %K[%c0, %c0] to %Ks : memref<64x192xf16> to memref<64x128xf16, #shared>
  tile.copy %K[%c0, %c128] to %Kt : memref<64x192xf16> to memref<64x64xf16, #shared>
  %head = memref.subview %Qs[0, 0] [64, 128] [1, 1] : memref<64x192xf16, #shared> to memref<64x128xf16, strided<[192, 1]>, #shared>
  tile.gemm %head, %Ks, %acc {transpose_b} : memref<64x128xf16, strided<[192, 1]>, #shared>, memref<64x128xf16, #shared>, memref<64x64xf32, #fragment>
  %tail = memref.subview %Qs[0, 128] [64, 64] [1, 1] : memref<64x192xf16, #shared> to memref<64x64xf16, #tail, #shared>
  tile.gemm %tail, %Kt, %acc {transpose_b} : memref<64x64xf16, #tail, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #fragment>
  tile.copy %acc to %S : memref<64x64xf32, #fragment> to memref<64x64xf32>
}

// Columns of the second operand, which threads have written: V as it is, and half of its columns.
// REMARK-NOT: works on a copy
tile.kernel @of_the_second(%A: memref<64x64xf16> {tile.alignment = 16}, %V: memref<64x128xf16> {tile.alignment = 16}, %O: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.parallel (%i, %j) in (64, 128) {
    %x = memref.load %V[%i, %j] : memref<64x128xf16>
    %y = arith.negf %x : f16
    memref.store %y, %Vs[%i, %j] : memref<64x128xf16, #shared>
  }
  %half = memref.subview %Vs[0, 64] [64, 64] [1, 1] : memref<64x128xf16, #shared> to memref<64x64xf16, strided<[128, 1], offset: 64>, #shared>
  tile.gemm %As, %half, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, strided<[128, 1], offset: 64>, #shared>, memref<64x64xf32, #fragment>
  tile.copy %acc to %O : memref<64x64xf32, #fragment> to memref<64x64xf32>
}

// Columns of a slice, which only the loop's index names: of the second operand as K and as V of a pipeline written by hand.
// CHECK-LABEL: tile.kernel @of_a_slice
// CHECK:         tile.alloc {{.*}}modes [(64, 2:1), (64, 1:64), (3, 2:4096), (2, 0:12288)] swizzle(3, 4, 3){{.*}} : memref<2x64x192xf16
// CHECK:         %[[SLOT:.*]] = memref.subview %{{.*}}[%{{.*}}, 0, 0] [1, 64, 192] [1, 1, 1]
// CHECK-NEXT:    %[[K:.*]] = memref.subview %[[SLOT]][0, 64] [64, 128] [1, 1]
// CHECK:         tile.gemm %{{.*}}, %[[K]], %{{.*}} {{{.*}}transpose_b}
// REMARK-NOT: works on a copy
tile.kernel @of_a_slice(%A: memref<64x128xf16> {tile.alignment = 16}, %B: memref<64x64xf16> {tile.alignment = 16}, %V: memref<2x64x192xf16> {tile.alignment = 16}, %O: memref<64x64xf32>, %P: memref<64x128xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x128xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %Vs = tile.alloc : memref<2x64x192xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  %out = tile.alloc : memref<64x128xf32, #fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  tile.fill %out with %zero : memref<64x128xf32, #fragment>, f32
  tile.copy %A to %As : memref<64x128xf16> to memref<64x128xf16, #shared>
  tile.copy %B to %Bs : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.parallel (%s, %i, %j) in (2, 64, 192) {
    %x = memref.load %V[%s, %i, %j] : memref<2x64x192xf16>
    %y = arith.negf %x : f16
    memref.store %y, %Vs[%s, %i, %j] : memref<2x64x192xf16, #shared>
  }
  scf.for %k = %c0 to %c2 step %c1 {
    %keys = memref.subview %Vs[%k, 0, 64] [1, 64, 128] [1, 1, 1] : memref<2x64x192xf16, #shared> to memref<64x128xf16, strided<[192, 1], offset: ?>, #shared>
    tile.gemm %As, %keys, %acc {transpose_b} : memref<64x128xf16, #shared>, memref<64x128xf16, strided<[192, 1], offset: ?>, #shared>, memref<64x64xf32, #fragment>
    %values = memref.subview %Vs[%k, 0, 0] [1, 64, 128] [1, 1, 1] : memref<2x64x192xf16, #shared> to memref<64x128xf16, strided<[192, 1], offset: ?>, #shared>
    tile.gemm %Bs, %values, %out : memref<64x64xf16, #shared>, memref<64x128xf16, strided<[192, 1], offset: ?>, #shared>, memref<64x128xf32, #fragment>
  }
  tile.copy %acc to %O : memref<64x64xf32, #fragment> to memref<64x64xf32>
  tile.copy %out to %P : memref<64x128xf32, #fragment> to memref<64x128xf32>
}

// 32 columns of f16 are half a panel.
// REMARK: remark: {{.*}}works on a copy of a part of a tile
tile.kernel @narrow(%A: memref<64x64xf16> {tile.alignment = 16}, %B: memref<32x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<32x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  tile.copy %A to %As : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.copy %B to %Bs : memref<32x64xf16> to memref<32x64xf16, #shared>
  %half = memref.subview %As[0, 32] [64, 32] [1, 1] : memref<64x64xf16, #shared> to memref<64x32xf16, strided<[64, 1], offset: 32>, #shared>
  tile.gemm %half, %Bs, %acc : memref<64x32xf16, strided<[64, 1], offset: 32>, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>
  tile.copy %acc to %C : memref<64x64xf32, #fragment> to memref<64x64xf32>
}

// A tile that copies fill ahead of the loop becomes slots of a ring: its columns are copied.
// REMARK: remark: {{.*}}works on a copy of a part of a tile
tile.kernel @ahead(%A: memref<64x512xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<64x64xf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x128xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  tile.pipelined %k = %c0 to %c4 step %c1 stages(2) {
    %a = arith.muli %k, %c128 : index
    %r = arith.muli %k, %c64 : index
    tile.copy %A[%c0, %a] to %As : memref<64x512xf16> to memref<64x128xf16, #shared>
    tile.copy %B[%r, %c0] to %Bs : memref<256x64xf16> to memref<64x64xf16, #shared>
    %half = memref.subview %As[0, 64] [64, 64] [1, 1] : memref<64x128xf16, #shared> to memref<64x64xf16, strided<[128, 1], offset: 64>, #shared>
    tile.gemm %half, %Bs, %acc : memref<64x64xf16, strided<[128, 1], offset: 64>, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #fragment>
  }
  tile.copy %acc to %C : memref<64x64xf32, #fragment> to memref<64x64xf32>
}
