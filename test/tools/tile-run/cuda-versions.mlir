// REQUIRES: cc
// A kernel that promises nothing about its arguments is compiled twice: for
// any, and for aligned ones. The launcher takes what fits, from the compiler to
// the driver. The fake driver writes the name of what was launched.
// RUN: rm -rf %t && mkdir -p %t
// RUN: cc -shared -fPIC -w -DSHOW_LAUNCHES %S/Inputs/fake-cuda.c -o %t/libcuda.so.1
// RUN: tile-translate %s --tile-to-artifact --arch=sm_80 --remarks -o %t/twice.tile 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=MANIFEST < %t/twice.tile
// REMARK: remark: compiled a second time, as 'twice__aligned', for addresses and strides that are multiples of 16 bytes
// The copy of the row is wide in the one, and not in the other.
// REMARK: remark: global to registers copy: scalar, 4 bytes
// REMARK: note: in 'twice__aligned': global to registers copy: vector, 16 bytes
// MANIFEST: "name": "twice"
// MANIFEST: "alignment": 4
// MANIFEST: "versions": [
// MANIFEST: "name": "twice__aligned"
// MANIFEST: "alignment": 16
// MANIFEST: expected stride 0 of 'C' to be a multiple of 4

// Rows of 100 elements: the version fits.
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100@100x1 --source=%s --check 2>&1 | FileCheck %s --check-prefix=FAST
// FAST: launch twice__aligned
// FAST: PASS
// Rows of 101 are not aligned, and are right all the same.
// RUN: env LD_LIBRARY_PATH=%t tile-run %t/twice.tile --target=cuda --args=A=100,C=3x100@101x1 --source=%s --check 2>&1 | FileCheck %s --check-prefix=SLOW
// SLOW-NOT: twice__aligned
// SLOW: launch twice
// SLOW: PASS

// One version where that is asked for.
// RUN: tile-translate %s --tile-to-artifact --arch=sm_80 --versions=false -o %t/one.tile
// RUN: FileCheck %s --check-prefix=ONE < %t/one.tile
// ONE-NOT: aligned
// ONE: "versions": []
// PTX has no launcher that could choose.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// PTX-NOT: aligned
// PTX: .entry twice(
// PTX-NOT: .entry

// C[i, j] = 2 * A[j]: 256 columns of one row a block.
tile.kernel @twice(%A: memref<?xf32>, %C: memref<?x?xf32, strided<[?, 1]>>)
    grid(%bx, %by) = (dim(%C, 1) ceildiv 256, dim(%C, 0)) threads(64) {
  %c256 = arith.constant 256 : index
  %n = arith.muli %bx, %c256 : index
  %row = tile.alloc : memref<256xf32, #tile.fragment>
  tile.copy %A[%n] to %row : memref<?xf32> to memref<256xf32, #tile.fragment>
  tile.parallel (%i) in (256) {
    %x = memref.load %row[%i] : memref<256xf32, #tile.fragment>
    %y = arith.addf %x, %x : f32
    memref.store %y, %row[%i] : memref<256xf32, #tile.fragment>
  }
  tile.copy %row to %C[%by, %n] sizes [1, 256] : memref<256xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
}
