// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-translate %s --tile-to-ptx --arch=sm_120 | FileCheck %s --check-prefixes=CHECK,SM120
// A module in the LLVM and NVVM dialects becomes PTX: kernels are entries, the
// PTX version is the lowest that the target and the instructions need.

// SM80: .version 7.0
// SM80: .target sm_80
// SM120: .version 8.7
// SM120: .target sm_120
// CHECK: .entry multiply(
// CHECK: .maxntid 128
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
llvm.mlir.global external @tile.shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

llvm.func @multiply(%out: !llvm.ptr<1> {llvm.noalias}) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 128>} {
  %base = llvm.mlir.addressof @tile.shared : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %row = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16 x i8>
  %a = nvvm.ldmatrix %row {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %i0 = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
  %i1 = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
  %i2 = llvm.extractvalue %a[2] : !llvm.struct<(i32, i32, i32, i32)>
  %i3 = llvm.extractvalue %a[3] : !llvm.struct<(i32, i32, i32, i32)>
  %a0 = llvm.bitcast %i0 : i32 to vector<2xf16>
  %a1 = llvm.bitcast %i1 : i32 to vector<2xf16>
  %a2 = llvm.bitcast %i2 : i32 to vector<2xf16>
  %a3 = llvm.bitcast %i3 : i32 to vector<2xf16>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%a0, %a2] C[%zero, %zero, %zero, %zero]
    {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
  %address = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %d0, %address : f32, !llvm.ptr<1>
  llvm.return
}
