// The example parses, verifies, and survives generic form and bytecode.
// RUN: tile-opt %tile_src/examples/gemm.mlir > %t.custom
// RUN: tile-opt %t.custom | diff %t.custom -
// RUN: tile-opt %t.custom --mlir-print-op-generic | tile-opt | diff %t.custom -
// RUN: tile-opt %t.custom --emit-bytecode | tile-opt | diff %t.custom -
// RUN: FileCheck %s < %t.custom
// CHECK: tile.kernel @gemm
// CHECK: tile.pipelined
// CHECK: tile.gemm
