// Registers are moved by whole warpgroups: the budget of two last warps is left out, and a remark says so.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s --args=X=192,Y=192 --stage=lowered --arch=sm_90a --check | FileCheck %s
// REMARK: no budget of {{[0-9]+}} registers for warp 4 and those behind it: they are no whole warpgroup, of four
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%X: memref<192xf32>, %Y: memref<192xf32>) grid(%b) = (1) threads(192) {
  tile.on_warps 4 count 2 registers 40 {
    tile.parallel (%i) in (64) {
      %k = arith.constant 128 : index
      %o = arith.addi %i, %k : index
      %x = memref.load %X[%o] : memref<192xf32>
      memref.store %x, %Y[%o] : memref<192xf32>
    }
  }
}
