// The choice follows the problem: sizes given by hints, by attributes, or the
// default; other targets choose otherwise. Remarks say what came next and why
// combinations are not possible.
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_90a --tile-choose-tunables="hints=A=8192x8192,B=8192x8192,C=8192x8192" | FileCheck %s --check-prefix=LARGE
// LARGE: tile.chosen = {bk = 64 : i64, bm = {{128|256}} : i64, bn = {{128|160|192|224|256}} : i64, cx = {{1|2}} : i64, cy = {{1|2}} : i64, groups = 2 : i64
// One tile along M: nothing is gained by more rows than there are.
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_90a --tile-choose-tunables="hints=A=64x8192,B=8192x4096,C=64x4096" | FileCheck %s --check-prefix=FLAT
// FLAT: tile.chosen = {bk = 64 : i64, bm = 64 : i64
// Blocks that are launched one by one, neighbours of each other, ask the L2 cache for the same lines together: no cluster
// gains anything.
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_90a --tile-choose-tunables="hints=A=1536x8192,B=8192x2560,C=1536x2560 values=bm=128,bn=256,stages=4,groups=2" | FileCheck %s --check-prefix=ALONE
// ALONE: tile.chosen = {{.*}}cx = 1 : i64, cy = 1 : i64
// Rows of an odd multiple of eight elements start between the lines of the L2 cache, and what neighbours ask for is not
// merged: blocks in pairs load the columns of B, of which there are more than rows of A, once for both.
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_90a --tile-choose-tunables="hints=A=1536x8200,B=8200x2568,C=1536x2568 values=bm=128,bn=256,stages=4,groups=2" | FileCheck %s --check-prefix=PAIR
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_90a --tile-choose-tunables="hints=A=8192x8200,B=8200x8200,C=8192x8200 values=bm=128,bn=256,stages=4,groups=2" | FileCheck %s --check-prefix=PAIR
// PAIR: tile.chosen = {{.*}}cx = 1 : i64, cy = 2 : i64
// Smaller shared memory, no clusters: tiles by mma.sync.
// RUN: tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target=arch=sm_86 --tile-choose-tunables="hints=A=8192x8192,B=8192x8192,C=8192x8192" | FileCheck %s --check-prefix=SMALL
// SMALL: tile.chosen = {{.*}}cx = 1 : i64, cy = 1 : i64

// RUN: tile-translate %tile_src/examples/gemm_tunable.mlir --tile-to-ptx --arch=sm_90a --shape-hints=A=8192x8192,B=8192x8192,C=8192x8192 --remarks -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: chose bm = {{.*}} for H200 (132 multiprocessors): predicted {{[0-9]+\.[0-9]}} us ({{[0-9]+}} rounds of blocks, {{[0-9]+}} % of places taken, limited by tensor cores); next bm = {{.*}} us {{.*}}; {{[0-9]+}} of 1440 combinations are not possible, like bm = {{.*}}: {{.*}}
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX: wgmma.mma_async.sync.aligned.m64n{{128|160|192|224|256}}k16

// Decided tunables are obeyed, the model chooses the others.
// RUN: tile-translate %tile_src/examples/gemm_tunable.mlir --tile-to-ptx --arch=sm_90a --tunables=bn=192,cx=1,cy=1,stages=3 --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=DECIDED
// DECIDED: remark: chose bm = {{.*}}, bn = 192, {{.*}} stages = 3{{.*}} cx = 1, cy = 1

// The meaning is that of the program without choice; sizes are those of the run.
// RUN: tile-run %tile_src/examples/gemm_tunable.mlir --args=A=200x72,B=72x136,C=200x136 --check | FileCheck %s --check-prefix=MEANING
// RUN: tile-run %tile_src/examples/gemm_tunable.mlir --args=A=200x72,B=72x136,C=200x136 --check --arch=sm_90a --stage=scheduled --tunables=bm=128,bn=128,stages=3,groups=2 | FileCheck %s --check-prefix=MEANING
// MEANING: chosen: bm =
// MEANING: PASS
