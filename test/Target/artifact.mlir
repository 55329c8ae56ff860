// RUN: split-file %s %t
// RUN: tile-translate %t/kernel.mlir --tile-to-artifact --arch=sm_90a --remarks --ptxas=%S/Inputs/old-ptxas -o %t.tile 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.tile
// RUN: rm -f %t.tile
// RUN: not tile-translate %t/kernel.mlir --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/failing-ptxas -o %t.tile 2>&1 | FileCheck %s --check-prefix=FAILED
// RUN: not tile-translate %t/none.mlir --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/old-ptxas -o %t.tile 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-translate %t/damaged.mlir --tile-to-artifact --arch=sm_90a --ptxas=%S/Inputs/old-ptxas -o %t.tile 2>&1 | FileCheck %s --check-prefix=DAMAGED
// RUN: not ls %t.tile
// An assembler that is too old for the PTX leaves PTX in the artifact, and a
// remark; one that finds a mistake is an error. Kernels without a manifest
// entry cannot be launched.

// REMARK: remark: the artifact holds PTX only, to be assembled when it is loaded: ptxas x.ptx, line 5; fatal   : Unsupported .version 8.7
// CHECK: "shared_bytes": 4096
// CHECK: .target sm_90a
// CHECK: .entry store(
// FAILED: error: cannot assemble the PTX: ptxas x.ptx, line 7
// NONE: error: expected the kernel's manifest in `mlir_tile.manifest`
// DAMAGED: error: `mlir_tile.manifest`:

//--- kernel.mlir
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, mlir_tile.shared_bytes = 4096 : i64,
    mlir_tile.manifest = "{\"format_version\": 1, \"compiler\": \"mlir-tile\", \"kernels\": [{\"name\": \"store\", \"args\": [{\"name\": \"out\", \"kind\": \"memref\", \"type\": \"f32\", \"shape\": [], \"strides\": [], \"alignment\": 4, \"access\": \"w\", \"may_alias\": false}, {\"name\": \"x\", \"kind\": \"scalar\", \"type\": \"f32\"}], \"params\": [{\"kind\": \"pointer\", \"arg\": 0}, {\"kind\": \"scalar\", \"arg\": 1, \"type\": \"f32\"}], \"grid\": [1, 1, 1], \"threads\": 32, \"cluster\": [1, 1, 1], \"shared_bytes\": 0, \"assumptions\": [], \"tensor_maps\": [], \"code\": [{\"arch\": \"sm_80\", \"format\": \"ptx\", \"blob\": 0, \"ptx_version\": \"7.0\", \"assembler\": \"\", \"assembler_version\": \"\", \"options\": \"\"}]}]}"} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
//--- none.mlir
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
//--- damaged.mlir
llvm.func @store(%out: !llvm.ptr<1>, %x: f32) attributes {nvvm.kernel, mlir_tile.manifest = "{}"} {
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
