// The example, from tile IR to everything that tile-translate writes.
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-llvmir --arch=sm_90a | FileCheck %s --check-prefix=LLVM
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-artifact --arch=sm_80 -o %t.tile
// RUN: FileCheck %s --check-prefix=ARTIFACT < %t.tile
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --arch=sm_80 --time-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-layout-to-text --arch=sm_80 | FileCheck %s --check-prefix=LAYOUTS
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --arch=sm_80 --verify-each -o %t.each
// RUN: tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --arch=sm_80 -o %t.once
// RUN: cmp %t.each %t.once

// PTX: .target sm_90a
// PTX: .entry gemm(
// PTX: .maxntid 256
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTX-NOT: .local
// PTX-NOT: ldmatrix
// PTX-NOT: cp.async.c{{[ag]}}
// PTX-NOT: {{[^a-z]}}mma.sync
// LLVM: define ptx_kernel void @gemm(
// ARTIFACT: "compiler": "mlir-tile
// ARTIFACT: "name": "gemm"
// ARTIFACT: "access": "r"
// ARTIFACT: "access": "r"
// ARTIFACT: "access": "w"
// ARTIFACT: "threads": 128
// TIME: parse
// TIME: tile-infer-layouts
// TIME: convert-tile-to-nvvm
// TIME: translate to LLVM
// TIME: LLVM -O3
// TIME: LLVM code generation
// TIME: own passes together
// TIME: total
// LAYOUTS: tile.alloc
// LAYOUTS: shape [128, 128] reg
// LAYOUTS: CuTe:
