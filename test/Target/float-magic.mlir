// Weights of four bits in words: a mask and the power of two around it are one instruction, and codes that lie four bits up in a byte stay there.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s
// RUN: tile-run %s --kernel=signed --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=unsigned --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=signed --stage=lowered --arch=sm_80 --check
#shift = affine_map<(d0) -> ((d0 floordiv 2) * 4 + (d0 mod 2) * 16)>

// CHECK-LABEL: .entry signed
// CHECK-NOT:     xor.b32
// CHECK-DAG:     lop3.b32 {{.*}}, 0xf000f, 0x64086408, 0x6a;
// CHECK-DAG:     lop3.b32 {{.*}}, 0xf000f0, 0x64806480, 0x6a;
// CHECK-DAG:     fma.rn.f16x2
// CHECK:         ret
tile.kernel @signed(%W: memref<64xi32> {tile.alignment = 16}, %O: memref<64x8xf16> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 8) {
    %sh = affine.apply #shift(%j)
    %w = memref.load %W[%i] : memref<64xi32>
    %sh32 = arith.index_cast %sh : index to i32
    %ww = arith.shrui %w, %sh32 : i32
    %q = arith.trunci %ww : i32 to i4
    %f = arith.sitofp %q : i4 to f16
    memref.store %f, %O[%i, %j] : memref<64x8xf16>
  }
}

// CHECK-LABEL: .entry unsigned
// CHECK-DAG:     lop3.b32 {{.*}}, 0xf000f, 0x64006400, 0x6a;
// CHECK-DAG:     lop3.b32 {{.*}}, 0xf000f0, 0x64006400, 0x6a;
tile.kernel @unsigned(%W: memref<64xi32> {tile.alignment = 16}, %O: memref<64x8xf16> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 8) {
    %sh = affine.apply #shift(%j)
    %w = memref.load %W[%i] : memref<64xi32>
    %sh32 = arith.index_cast %sh : index to i32
    %ww = arith.shrui %w, %sh32 : i32
    %q = arith.trunci %ww : i32 to i4
    %f = arith.uitofp %q : i4 to f16
    memref.store %f, %O[%i, %j] : memref<64x8xf16>
  }
}
