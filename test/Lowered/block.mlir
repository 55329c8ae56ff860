// A reduction across two warps, which hand their sums on through shared memory. Each check finds the edit that is for it.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_80 -o %t.mlir
// RUN: tile-run %t.mlir --source=%s --stage=lowered --check --args=X=:smallint --seed=7 | FileCheck %s --check-prefix=PASS
// PASS: PASS

// RUN: sed '/nvvm.barrier0/d' %t.mlir > %t.race.mlir
// RUN: not tile-run %t.race.mlir --source=%s --stage=lowered --check 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: tile-run: error: thread {{[0-9]+}} of block [0, 0, 0]: {{(race: .* and nothing orders the two|.* which nothing has written)}}

// RUN: sed '/llvm.store.*!llvm.ptr<3>/d' %t.mlir > %t.unwritten.mlir
// RUN: not tile-run %t.unwritten.mlir --source=%s --stage=lowered --check 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: tile-run: error: thread {{[0-9]+}} of block [0, 0, 0]: a load ({{.*}}) reads 4 bytes at shared address {{[0-9]+}}, which nothing has written

// RUN: sed 's/mlir_tile.shared_bytes = [0-9]*/mlir_tile.shared_bytes = 16/' %t.mlir > %t.bounds.mlir
// RUN: not tile-run %t.bounds.mlir --source=%s --stage=lowered --check 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: tile-run: error: thread {{[0-9]+}} of block [0, 0, 0]: a store ({{.*}}) writes 4 bytes at shared address {{[0-9]+}}, outside of the block's 16 bytes

// RUN: sed '0,/nvvm.barrier0/s//%%id = llvm.mlir.constant(1 : i32) : i32 %%n = llvm.mlir.constant(96 : i32) : i32 nvvm.barrier id = %%id number_of_threads = %%n/' %t.mlir > %t.deadlock.mlir
// RUN: not tile-run %t.deadlock.mlir --source=%s --stage=lowered --check 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// DEADLOCK: tile-run: error: deadlock: {{.*}} threads (the first is thread {{.*}} wait for barrier 1, where {{[0-9]+}} of 96 threads have arrived

// RUN: sed 's/llvm.fadd/llvm.fsub/' %t.mlir > %t.wrong.mlir
// RUN: not tile-run %t.wrong.mlir --source=%s --stage=lowered --check --args=X=:smallint | FileCheck %s --check-prefix=WRONG
// WRONG: check Y: {{[0-9]+}} of 8 elements wrong
tile.kernel @columns(%X: memref<128x8xf32>, %Y: memref<8xf32>) grid(%b) = (1) threads(64) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<128x8xf32, #tile.fragment>
  %r = tile.alloc : memref<8xf32, #tile.fragment>
  tile.copy %X[%c0, %c0] to %x : memref<128x8xf32> to memref<128x8xf32, #tile.fragment>
  tile.reduce sum %x to %r dim(0) : memref<128x8xf32, #tile.fragment> to memref<8xf32, #tile.fragment>
  tile.copy %r to %Y[%c0] : memref<8xf32, #tile.fragment> to memref<8xf32>
}
