// The examples parse, verify, and survive generic form and bytecode.
// RUN: tile-opt %tile_src/examples/gemm.mlir > %t.gemm
// RUN: tile-opt %t.gemm | diff %t.gemm -
// RUN: tile-opt %t.gemm --mlir-print-op-generic | tile-opt | diff %t.gemm -
// RUN: tile-opt %t.gemm --emit-bytecode | tile-opt | diff %t.gemm -
// RUN: FileCheck %s --check-prefix=GEMM < %t.gemm
// GEMM: tile.kernel @gemm
// GEMM: tile.pipelined
// GEMM: tile.gemm

// RUN: tile-opt %tile_src/examples/scale.mlir > %t.scale
// RUN: tile-opt %t.scale | diff %t.scale -
// RUN: tile-opt %t.scale --mlir-print-op-generic | tile-opt | diff %t.scale -
// RUN: tile-opt %t.scale --emit-bytecode | tile-opt | diff %t.scale -

// RUN: tile-run %tile_src/examples/gemm.mlir --args=A=200x72,B=72x136,C=200x136 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/scale.mlir --args=X=100x77,Y=100x77,s=2.5 --check | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: PASS

// RUN: tile-run %tile_src/examples/gemm_relu_bias.mlir --args=A=150x72,B=72x136,bias=136,C=150x136 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/softmax.mlir --args=X=37x300,Y=37x300 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/rmsnorm.mlir --args=X=37x300,W=300,Y=37x300,eps=0.00001 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/attention_like_chained.mlir --args=Q=100x64,K=200x64,V=200x64,O=100x64 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-translate %tile_src/examples/gemm_relu_bias.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=MMA
// RUN: tile-translate %tile_src/examples/attention_like_chained.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=MMA
// RUN: tile-translate %tile_src/examples/softmax.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ROWS
// RUN: tile-translate %tile_src/examples/rmsnorm.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ROWS
// MMA: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// ROWS: shfl.sync
// ROWS-NOT: call

// RUN: tile-run %tile_src/examples/gemm_tunable.mlir --args=A=200x72,B=72x136,C=200x136 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/gemm_any.mlir --args=A=200x72,B=136x72,C=200x136 --check | FileCheck %s --check-prefix=OUTPUT
// One of its tiles of few rows, as lowered code, and all of them in an artifact.
// RUN: tile-run %tile_src/examples/gemm_any.mlir --args=A=13x136,B=200x136,C=13x200 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-translate %tile_src/examples/gemm_any.mlir --tile-to-artifact --arch=sm_90a -o %t.any && grep -a -c '"cost": {' %t.any | FileCheck %s --check-prefix=ANY
// ANY: 191
// RUN: tile-run %tile_src/examples/gemm_hopper.mlir --args=A=200x72,B=72x136,C=200x136 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-run %tile_src/examples/attention.mlir --args=Q=2x75x128,K=2x75x128,V=2x75x128,O=2x75x128 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-translate %tile_src/examples/attention.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// ATTENTION-DAG: ex2.approx

// RUN: tile-run %tile_src/examples/conv2d.mlir --args=X=2x9x7x72,W=40x3x3x72,Y=126x40 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-translate %tile_src/examples/conv2d.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=CONV80
// CONV80-NOT: ld.global.b16
// CONV80: cp.async.cg.shared.global
// CONV80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// RUN: tile-translate %tile_src/examples/conv2d.mlir --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=CONV90
// CONV90-NOT: cp.async.cg
// CONV90: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
// CONV90: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CONV90: wgmma.mma_async

// RUN: tile-run %tile_src/examples/gather_gemm.mlir --args=X=9x72,I=150:smallint,W=72x136,J=150:iota,Y=140x136 --check | FileCheck %s --check-prefix=OUTPUT
// RUN: tile-translate %tile_src/examples/gather_gemm.mlir --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=ROWS80
// ROWS80-NOT: ld.global.nc.b16
// ROWS80: cp.async.cg.shared.global
// ROWS80: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
