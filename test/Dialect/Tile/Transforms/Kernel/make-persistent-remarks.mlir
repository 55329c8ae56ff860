// Which kernels loop over their part of the grid, and why others do not.
// RUN: tile-opt %s --tile-make-persistent=remarks -verify-diagnostics -o /dev/null

// expected-remark @below {{each block works off its part of the grid}}
tile.kernel @loop(%A: memref<64xf32>) grid(%bx) = (64) threads(32) attributes {persistent = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %A[%bx] : memref<64xf32>
}
// expected-remark @below {{not made persistent: nothing in it depends on the block}}
tile.kernel @empty(%A: memref<64xf32>) grid(%bx) = (64) threads(32) attributes {persistent = 1 : i64} {
}
// expected-remark @below {{not made persistent: it has a `tile.block_range` already}}
tile.kernel @stated(%A: memref<64xf32>) grid(%bx) = (64) threads(32) attributes {persistent = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %first, %end, %step = tile.block_range
  scf.for %t = %first to %end step %step {
    memref.store %zero, %A[%t] : memref<64xf32>
  }
}
// Nobody asks for it.
tile.kernel @plain(%A: memref<64xf32>) grid(%bx) = (64) threads(32) {
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %A[%bx] : memref<64xf32>
}
// expected-remark @below {{each block works off its part of the grid}}
tile.kernel @uneven(%A: memref<64xf32>) grid(%bx) = (64) threads(32) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{every second round of blocks goes through the grid backwards: the loop's trip count depends on the block}}
  scf.for %i = %c0 to %bx step %c1 {
    memref.store %zero, %A[%bx] : memref<64xf32>
  }
}
