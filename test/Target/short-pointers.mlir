// Where tensor cores read shared memory by descriptors, pointers into it have 32 bits: an index is added to them in one instruction, and
// nothing of 64 bits is cut. Elsewhere they keep the 64 bits that LLVM gives them.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o - | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90 -o - | FileCheck %s --check-prefix=LONG
module {
  llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>
  // CHECK-LABEL: .entry shifted(
  // CHECK:         .reg .b64 %rd<2>;
  // CHECK:         mov.b32 %[[BASE:r[0-9]+]], arena;
  // CHECK:         add.s32 %[[PLACE:r[0-9]+]], %[[BASE]], %{{r[0-9]+}};
  // CHECK:         ld.volatile.shared.b32 %{{r[0-9]+}}, [%[[PLACE]]];
  // CHECK:         st.global.b32 [%rd{{[0-9]+}}], %{{r[0-9]+}};
  // LONG-LABEL:  .entry shifted(
  // LONG:          mov.b64 %[[BASE:rd[0-9]+]], arena;
  // LONG:          add.s64 %[[PLACE:rd[0-9]+]], %[[BASE]], %{{rd[0-9]+}};
  // LONG:          ld.volatile.shared.b32 %{{r[0-9]+}}, [%[[PLACE]]];
  llvm.func @shifted(%out: !llvm.ptr<1>, %at: i32) attributes {nvvm.kernel} {
    %arena = llvm.mlir.addressof @arena : !llvm.ptr<3>
    %place = llvm.getelementptr %arena[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %x = llvm.load volatile %place : !llvm.ptr<3> -> i32
    llvm.store %x, %out : i32, !llvm.ptr<1>
    llvm.return
  }
}
