// What was chosen for a program's tunables stands in the artifact.
// RUN: tile-translate %tile_src/examples/gemm_tunable.mlir --tile-to-artifact --arch=sm_90a --tunables=bm=128,bn=256,stages=3 --ptxas=%S/Inputs/old-ptxas -o %t.tile
// RUN: FileCheck %s < %t.tile

// CHECK:      "chosen": [
// CHECK-DAG:  "name": "bm",{{[[:space:]]+}}"value": 128
// CHECK-DAG:  "name": "bn",{{[[:space:]]+}}"value": 256
// CHECK-DAG:  "name": "stages",{{[[:space:]]+}}"value": 3
// CHECK:      ],
// CHECK:      "assumptions"
