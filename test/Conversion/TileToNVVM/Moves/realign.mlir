// Rows that start anywhere: two aligned loads a run, shifted into place, and one store of 16 bytes.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --tile-to-cubin --arch=sm_90a -o /dev/null

#shared = #gpu.address_space<workgroup>

// Inside the buffer loads are plain; at its edges they are predicated, never branched around; near its end, where an aligned
// piece reaches beyond it, elements go one by one.
// CHECK-LABEL: llvm.func @rows
// CHECK:         llvm.icmp "ugt"
// CHECK:         llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         llvm.intr.fshr
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         llvm.inline_asm {{.*}}@$5 ld.global.v4.b32
// PTX-LABEL: .entry rows
// PTX:         ld.global{{.*}}v4.{{[bu]}}32
// PTX:         prmt.b32.f4e
// PTX:         st.shared.v4.{{[bu]}}32
tile.kernel @rows(%A: memref<?x4001xf16>, %B: memref<?x64xf16> {tile.alignment = 16}) grid(%bx, %by) = (63, 8) threads(128) {
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c64 : index
  %k = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A[%m, %k] to %As : memref<?x4001xf16> to memref<64x64xf16, #shared>
  tile.copy %As to %B[%m, %k] : memref<64x64xf16, #shared> to memref<?x64xf16>
}

// One byte an element: 16 a run, shifted by bytes.
// CHECK-LABEL: llvm.func @bytes
// CHECK:         llvm.intr.fshr
tile.kernel @bytes(%A: memref<?x101xi8>, %B: memref<?x64xi8> {tile.alignment = 16}) grid(%by) = (8) threads(128) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %by, %c64 : index
  %As = tile.alloc : memref<64x64xi8, #shared>
  tile.copy %A[%m, %c0] to %As : memref<?x101xi8> to memref<64x64xi8, #shared>
  tile.copy %As to %B[%m, %c0] : memref<64x64xi8, #shared> to memref<?x64xi8>
}

// In a persistent kernel, too: block coordinates are not negative.
// CHECK-LABEL: llvm.func @persistent
// CHECK:         llvm.intr.fshr
tile.kernel @persistent(%A: memref<4001x4099xf16>, %B: memref<?x64xf16> {tile.alignment = 16}) grid(%bx) = (65) threads(128) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  tile.copy %A[%c0, %n] to %As : memref<4001x4099xf16> to memref<64x64xf16, #shared>
  tile.copy %As to %B[%n, %c0] : memref<64x64xf16, #shared> to memref<?x64xf16>
}
