// What comes out is upstream's: its own tool, which cannot parse the tile dialect,
// reads it.
// REQUIRES: mlir-opt
// RUN: tile-opt %tile_src/examples/gemm.mlir --convert-tile-to-cpu | mlir-opt | FileCheck %s
// CHECK: func.func @gemm.cpu
