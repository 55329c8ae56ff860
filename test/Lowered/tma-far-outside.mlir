// Tensor copies of regions so far outside of their buffer that their coordinates need more than 32 bits: they read zeros and store nothing.
// The lower 32 bits of such a coordinate may be those of an element that exists.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s --check-prefix=IR
// IR-LABEL: llvm.func @loads
// IR: llvm.intr.smax
// IR: llvm.intr.smin
// IR: cp.async.bulk.tensor
// IR-LABEL: llvm.func @stores
// IR: cp.async.bulk.tensor.shared
// IR: llvm.intr.smax
// IR: cp.async.bulk.tensor
// A coordinate that follows from the grid and from sizes fits: nothing is compared.
// IR-LABEL: llvm.func @of_blocks
// IR-NOT: intr.smin
// IR: cp.async.bulk.tensor
// RUN: tile-run %s --kernel=loads --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64,at=4294967296 | FileCheck %s
// RUN: tile-run %s --kernel=loads --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64,at=-4294967288 | FileCheck %s
// RUN: tile-run %s --kernel=loads --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64,at=2147483640 | FileCheck %s
// RUN: tile-run %s --kernel=loads --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64,at=8 | FileCheck %s
// RUN: tile-run %s --kernel=stores --stage=lowered --arch=sm_90a --check --args=X=48x64,Y=40x64,at=4294967296 | FileCheck %s
// RUN: tile-run %s --kernel=stores --stage=lowered --arch=sm_90a --check --args=X=48x64,Y=40x64,at=-4294967288 | FileCheck %s
// RUN: tile-run %s --kernel=stores --stage=lowered --arch=sm_90a --check --args=X=48x64,Y=40x64,at=2147483640 | FileCheck %s
// RUN: tile-run %s --kernel=stores --stage=lowered --arch=sm_90a --check --args=X=48x64,Y=40x64,at=-8 | FileCheck %s
// RUN: tile-run %s --kernel=of_blocks --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=40x64 | FileCheck %s
// A step that the launch passes, and a quotient of a negative number that is taken for one without a sign.
// RUN: tile-run %s --kernel=steps --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64,n=8589934593,step=4294967296 | FileCheck %s
// RUN: tile-run %s --kernel=halves --stage=lowered --arch=sm_90a --check --args=X=40x64,Y=48x64 | FileCheck %s
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

tile.kernel @loads(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}, %at: index) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %b, %c16 : index
  %from = arith.addi %row, %at : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%from, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.copy %s to %Y[%row, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}

tile.kernel @stores(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}, %at: index) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %b, %c16 : index
  %to = arith.addi %row, %at : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%row, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.copy %s to %Y[%to, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}

tile.kernel @of_blocks(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}) grid(%b) = (dim(%X, 0) ceildiv 16) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %b, %c16 : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%row, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.copy %s to %Y[%row, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}

tile.kernel @steps(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}, %n: index, %step: index) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc : memref<16x64xf32, #shared>
  %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<16x64xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %n step %step {
    tile.copy %X[%i, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
    tile.parallel (%r, %c) in (16, 64) {
      %x = memref.load %s[%r, %c] : memref<16x64xf32, #shared>
      %y = memref.load %sum[%r, %c] : memref<16x64xf32, #tile.fragment>
      %z = arith.addf %x, %y : f32
      memref.store %z, %sum[%r, %c] : memref<16x64xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %Y[%c0, %c0] : memref<16x64xf32, #tile.fragment> to memref<?x64xf32>
}

tile.kernel @halves(%X: memref<?x64xf32> {tile.alignment = 16}, %Y: memref<?x64xf32> {tile.alignment = 16}) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %row = arith.muli %b, %c16 : index
  %before = arith.subi %row, %c16 : index
  %half = arith.divui %before, %c2 : index
  %s = tile.alloc : memref<16x64xf32, #shared>
  tile.copy %X[%half, %c0] to %s : memref<?x64xf32> to memref<16x64xf32, #shared>
  tile.copy %s to %Y[%row, %c0] : memref<16x64xf32, #shared> to memref<?x64xf32>
}
