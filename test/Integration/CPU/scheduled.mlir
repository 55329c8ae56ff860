// Scheduled IR computes what the source means: rings of the pipelined example with
// fewer iterations than stages, one, and many.
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=136x200:normal,B=200x144:normal,C=136x144 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=136x64:smallint,B=64x144:smallint,C=136x144 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=3x8:smallint,B=8x8:smallint,C=3x8 --check | FileCheck %s
// Operands a k step ahead: no iteration, as many as stages, one more; whole tiles and edges.
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=136x0:smallint,B=0x144:smallint,C=136x144 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=128x96:smallint,B=96x128:smallint,C=128x128 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=256x128:smallint,B=128x136:smallint,C=256x136 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=128x360:smallint,B=360x128:smallint,C=128x128 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=layouts --args=A=136x200:normal,B=200x144:normal,C=136x144 --check | FileCheck %s
// RUN: tile-run %S/kernels.mlir --stage=scheduled --kernel=attention --args=Q=50x32:normal,K=70x32:normal,V=70x32:normal,O=50x32 --check | FileCheck %s
// RUN: tile-run %S/kernels.mlir --stage=scheduled --kernel=softmax --args=X=100x64:normal,Y=100x64 --check | FileCheck %s
// CHECK: PASS
