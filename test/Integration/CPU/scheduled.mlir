// Scheduled IR computes what the source means: rings of the pipelined example with
// fewer iterations than stages, one, none, and many.
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=130x200:normal,B=200x140:normal,C=130x140 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=130x64:smallint,B=64x140:smallint,C=130x140 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=3x1:smallint,B=1x5:smallint,C=3x5 --check | FileCheck %s
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=scheduled --args=A=3x0,B=0x5,C=3x5 --check | FileCheck %s --check-prefix=NONE
// RUN: tile-run %tile_src/examples/gemm.mlir --stage=layouts --args=A=130x200:normal,B=200x140:normal,C=130x140 --check | FileCheck %s
// RUN: tile-run %S/kernels.mlir --stage=scheduled --kernel=attention --args=Q=50x32:normal,K=70x32:normal,V=70x32:normal,O=50x32 --check | FileCheck %s
// RUN: tile-run %S/kernels.mlir --stage=scheduled --kernel=softmax --args=X=100x64:normal,Y=100x64 --check | FileCheck %s
// CHECK: PASS
// NONE: check C: 15 elements equal
// NONE: PASS
