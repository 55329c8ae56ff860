// RUN: split-file %s %t
// RUN: tile-translate %t/plain.mlir --tile-to-ptx --arch=sm_89 | FileCheck %s --check-prefix=PLAIN89
// RUN: tile-translate %t/fp8.mlir --tile-to-ptx --arch=sm_89 | FileCheck %s --check-prefix=FP8
// RUN: tile-translate %t/stmatrix.mlir --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=STMATRIX
// RUN: tile-translate %t/elect.mlir --tile-to-ptx --arch=sm_90 | FileCheck %s --check-prefix=ELECT
// RUN: tile-translate %t/plain.mlir --tile-to-ptx --arch=sm_80 --ptx-version=86 | FileCheck %s --check-prefix=ASKED
// RUN: not tile-translate %t/fp8.mlir --tile-to-ptx --arch=sm_89 --ptx-version=78 2>&1 | FileCheck %s --check-prefix=TOOLOW
// RUN: not tile-translate %t/fp8.mlir --tile-to-ptx --arch=sm_89 --ptx-version=99 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=warning
// The PTX version is the lowest that the target and each instruction need.

// PLAIN89: .version 7.8
// FP8: .version 8.4
// FP8: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// STMATRIX: .version 7.8
// STMATRIX: stmatrix.sync.aligned.m8n8.x1.shared.b16
// ELECT: .version 8.0
// ELECT: elect.sync
// ASKED: .version 8.6
// TOOLOW: error: expected PTX version 8.4 or newer for the instructions used, got 7.8
// UNKNOWN: error: expected a PTX version that LLVM knows, ten times its number (84, 85, 86{{.*}}), got 99

//--- plain.mlir
llvm.func @plain(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(1.0 : f32) : f32
  llvm.store %c, %out : f32, !llvm.ptr<1>
  llvm.return
}
//--- fp8.mlir
llvm.func @fp8(%out: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %d = llvm.inline_asm has_side_effects asm_dialect = att
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {$0,$1,$2,$3}, {$4,$4,$4,$4}, {$4,$4}, {$5,$5,$5,$5};",
    "=f,=f,=f,=f,r,f" %a, %zero : (i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.store %d0, %out : f32, !llvm.ptr<1>
  llvm.return
}
//--- stmatrix.mlir
llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
llvm.func @stmatrix(%a: i32) attributes {nvvm.kernel} {
  %p = llvm.mlir.addressof @shared : !llvm.ptr<3>
  nvvm.stmatrix %p, %a {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32
  llvm.return
}
//--- elect.mlir
llvm.func @elect(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %p = nvvm.elect.sync -> i1
  %c = llvm.mlir.constant(1.0 : f32) : f32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %v = llvm.select %p, %c, %zero : i1, f32
  llvm.store %v, %out : f32, !llvm.ptr<1>
  llvm.return
}
