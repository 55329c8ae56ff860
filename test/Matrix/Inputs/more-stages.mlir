tile.kernel @rows(%A: memref<2048x64xf32> {tile.alignment = 16}, %B: memref<2048x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c1024 = arith.constant 1024 : index
  %s = tile.alloc : memref<128x32xf32, #gpu.address_space<workgroup>>
  tile.pipelined %k = %c0 to %c2 step %c1 stages(2) {
    %m = arith.muli %k, %c1024 : index
    tile.copy %A[%m, %c0] to %s : memref<2048x64xf32> to memref<128x32xf32, #gpu.address_space<workgroup>>
    tile.copy %s to %B[%m, %c0] : memref<128x32xf32, #gpu.address_space<workgroup>> to memref<2048x64xf32>
  }
}
