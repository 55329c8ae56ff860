// Weights of four bits in words: a mask and the power of two around it are one instruction, and codes that lie four bits up in a byte stay there.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s
// RUN: tile-run %s --kernel=signed --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=unsigned --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=signed --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=bytes --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=unsigned_bytes --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=all_bytes --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=four_bytes --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=four_bytes --stage=lowered --arch=sm_80 --check
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

// Bytes fit into f16's mantissa, too.
// CHECK-LABEL: .entry bytes
// CHECK-NOT:     cvt.rn.f16
// CHECK:         lop3.b32 {{.*}}, 0xff00ff, 0x64806480, 0x6a;
// CHECK-NOT:     cvt.rn.f16
// CHECK:         ret
tile.kernel @bytes(%W: memref<64xi32> {tile.alignment = 16}, %O: memref<64x4xf16> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 4) {
    %sh = affine.apply affine_map<(d0) -> ((d0 floordiv 2) * 8 + (d0 mod 2) * 16)>(%j)
    %w = memref.load %W[%i] : memref<64xi32>
    %sh32 = arith.index_cast %sh : index to i32
    %ww = arith.shrui %w, %sh32 : i32
    %q = arith.trunci %ww : i32 to i8
    %f = arith.sitofp %q : i8 to f16
    memref.store %f, %O[%i, %j] : memref<64x4xf16>
  }
}

// CHECK-LABEL: .entry unsigned_bytes
// CHECK-NOT:     cvt.rn.f16
// CHECK:         lop3.b32 {{.*}}, 0xff00ff, 0x64006400, 0x6a;
// CHECK-NOT:     cvt.rn.f16
// CHECK:         ret
tile.kernel @unsigned_bytes(%W: memref<64xi32> {tile.alignment = 16}, %O: memref<64x4xf16> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 4) {
    %sh = affine.apply affine_map<(d0) -> ((d0 floordiv 2) * 8 + (d0 mod 2) * 16)>(%j)
    %w = memref.load %W[%i] : memref<64xi32>
    %sh32 = arith.index_cast %sh : index to i32
    %ww = arith.shrui %w, %sh32 : i32
    %q = arith.trunci %ww : i32 to i8
    %f = arith.uitofp %q : i8 to f16
    memref.store %f, %O[%i, %j] : memref<64x4xf16>
  }
}

// Each byte.
// CHECK-LABEL: .entry all_bytes
tile.kernel @all_bytes(%O: memref<256x2xf16>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.parallel (%i) in (256) {
    %n = arith.index_cast %i : index to i32
    %q = arith.trunci %n : i32 to i8
    %s = arith.sitofp %q : i8 to f16
    %u = arith.uitofp %q : i8 to f16
    memref.store %s, %O[%i, %c0] : memref<256x2xf16>
    memref.store %u, %O[%i, %c1] : memref<256x2xf16>
  }
}

// Four codes become four signed bytes: one mask with the flipped bits, one subtraction, and the top bits flipped back.
// CHECK-LABEL: .entry four_bytes
// CHECK-NOT:     bfe.s32
// CHECK-DAG:     lop3.b32 {{.*}}, 0xf0f0f0f, 0x88888888, 0x6a;
// CHECK-DAG:     add.s32 {{.*}}, -134744072;
// CHECK-DAG:     xor.b32 {{.*}}, -2139062144;
// CHECK-NOT:     bfe.s32
// CHECK:         ret
#byte = affine_map<(d0) -> ((d0 floordiv 4) * 4 + (d0 mod 4) * 8)>
tile.kernel @four_bytes(%W: memref<64xi32> {tile.alignment = 16}, %O: memref<64x8xi8> {tile.alignment = 16}) grid(%b) = (1) threads(64) {
  tile.parallel (%i, %j) in (64, 8) {
    %sh = affine.apply #byte(%j)
    %w = memref.load %W[%i] : memref<64xi32>
    %sh32 = arith.index_cast %sh : index to i32
    %ww = arith.shrui %w, %sh32 : i32
    %q = arith.trunci %ww : i32 to i4
    %f = arith.extsi %q : i4 to i8
    memref.store %f, %O[%i, %j] : memref<64x8xi8>
  }
}
