// Half of the lanes store their registers in another order (`exchange`): each element arrives at its place, whether the tile is
// swizzled or not. (Where it was not, the constant of a register was added to what the lane had changed, where it flips bits.)
// DEFINE: %{swizzle} =
// DEFINE: %{columns} = 16
// DEFINE: %{eights} = 2
// DEFINE: %{program} = sed "s/ SWIZZLE/%{swizzle}/; s/NCOLUMNS/%{columns}/g; s/EIGHTS/%{eights}/" %s
// DEFINE: %{run} = %{program} | tee %t.mlir | tile-opt --tile-to-nvvm=arch=sm_90a -o %t.nvvm.mlir && tile-run %t.nvvm.mlir --source=%t.mlir --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=PASS
// DEFINE: %{plan} = %{program} | tile-opt --tile-to-copies=arch=sm_90a | FileCheck %s
// CHECK: tile.copy %{{.*}} plan = #tile.copy_plan<vector, bytes = 8, exchange = [{{[0-9]+}}, {{[0-9]+}}]>
// PASS: PASS

// RUN: %{plan}
// RUN: %{run}
// REDEFINE: %{columns} = 32
// REDEFINE: %{eights} = 4
// RUN: %{plan}
// RUN: %{run}
// REDEFINE: %{swizzle} = swizzle(3, 4, 3)
// RUN: %{plan}
// RUN: %{run}
// REDEFINE: %{columns} = 16
// REDEFINE: %{eights} = 2
// REDEFINE: %{swizzle} = swizzle(2, 4, 3)
// RUN: %{plan}
// RUN: %{run}
#frag = #tile.fragment_layout<shape [64, NCOLUMNS] reg [(2, 1:1), (2, 0:8), (EIGHTS, 1:8)] lane [(4, 1:2), (8, 0:1)] warp [(4, 0:16)]>
#tile = #tile.shared_layout<shape [64, NCOLUMNS] bits 32 modes [(NCOLUMNS, 1:1), (64, 0:NCOLUMNS)] SWIZZLE>
tile.kernel @k(%A: memref<64xNCOLUMNSxf32>, %B: memref<64xNCOLUMNSxf32>) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %f = tile.alloc layout(#frag) : memref<64xNCOLUMNSxf32, #tile.fragment>
  %s = tile.alloc layout(#tile) : memref<64xNCOLUMNSxf32, #gpu.address_space<workgroup>>
  tile.copy %A[%c0, %c0] to %f : memref<64xNCOLUMNSxf32> to memref<64xNCOLUMNSxf32, #tile.fragment>
  tile.copy %f to %s : memref<64xNCOLUMNSxf32, #tile.fragment> to memref<64xNCOLUMNSxf32, #gpu.address_space<workgroup>>
  tile.copy %s to %B[%c0, %c0] : memref<64xNCOLUMNSxf32, #gpu.address_space<workgroup>> to memref<64xNCOLUMNSxf32>
}
