// An argument that the back end takes for constant is read through a cache that no store updates (`ld.global.nc`): whatever writes
// its bytes in the same launch is a finding, before the load or after it, and although barriers and waits order the two.
// RUN: rm -rf %t && split-file %s %t
// RUN: tile-opt %t/after.mlir --tile-to-nvvm=arch=sm_90a -o %t/after.nvvm.mlir
// RUN: tile-run %t/after.nvvm.mlir --source=%t/after.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s
// CHECK: PASS
// RUN: sed 's/llvm.align = 16 : i64}/llvm.align = 16 : i64, llvm.noalias}/g' %t/after.nvvm.mlir > %t/after.fault.mlir
// RUN: not tile-run %t/after.fault.mlir --source=%t/after.mlir --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: a load {{.*}} reads {{[0-9]+}} bytes at global address {{[0-9]+}} through the read-only cache (ld.global.nc), and the launch has written them, as at cp.async.bulk.tensor
// RUN: tile-opt %t/before.mlir --tile-to-nvvm=arch=sm_90a -o %t/before.nvvm.mlir
// RUN: tile-run %t/before.nvvm.mlir --source=%t/before.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s
// RUN: sed 's/llvm.align = 16 : i64}/llvm.align = 16 : i64, llvm.noalias}/g' %t/before.nvvm.mlir > %t/before.fault.mlir
// RUN: not tile-run %t/before.fault.mlir --source=%t/before.mlir --stage=lowered --arch=sm_90a --check 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: cp.async.bulk.tensor{{.*}} writes {{[0-9]+}} bytes at global address {{[0-9]+}}, which the launch has read through the read-only cache (ld.global.nc), as at a load {{.*}}: the launch must not write such bytes

//--- after.mlir
tile.kernel @after(%A: memref<64x48xf32> {tile.alignment = 16}, %O: memref<64x48xf32> {tile.alignment = 16}, %P: memref<64x48xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x48xf32, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<64x48xf32, #tile.fragment>
  tile.copy %A to %s {disable_tma} : memref<64x48xf32> to memref<64x48xf32, #gpu.address_space<workgroup>>
  tile.copy %s to %O : memref<64x48xf32, #gpu.address_space<workgroup>> to memref<64x48xf32>
  tile.copy %O to %f : memref<64x48xf32> to memref<64x48xf32, #tile.fragment>
  tile.copy %f to %P : memref<64x48xf32, #tile.fragment> to memref<64x48xf32>
}

//--- before.mlir
tile.kernel @before(%A: memref<64x48xf32> {tile.alignment = 16}, %O: memref<64x48xf32> {tile.alignment = 16}, %P: memref<64x48xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(128) {
  %s = tile.alloc : memref<64x48xf32, #gpu.address_space<workgroup>>
  %f = tile.alloc : memref<64x48xf32, #tile.fragment>
  tile.copy %O to %f : memref<64x48xf32> to memref<64x48xf32, #tile.fragment>
  tile.copy %f to %P : memref<64x48xf32, #tile.fragment> to memref<64x48xf32>
  tile.copy %A to %s {disable_tma} : memref<64x48xf32> to memref<64x48xf32, #gpu.address_space<workgroup>>
  tile.copy %s to %O : memref<64x48xf32, #gpu.address_space<workgroup>> to memref<64x48xf32>
}
