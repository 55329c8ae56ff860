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
