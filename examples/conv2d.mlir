// Y = conv(X, W): 3 x 3 taps, one pixel of padding; X is N x H x W x C, W is
// F x 3 x 3 x C, Y has a row of F for each output pixel of each image. An implicit
// gemm: a tile of X's pixels as each tap sees them, times the weights of the tap. The
// loop over taps and channels is a plain one; strides, dilations, other paddings and
// extents are words of tile.im2col (docs/Rationale/Convolution.md).
// Printed by: benchmarks/program.py conv name=conv2d pad=1,1 stages=3 hints=X=2x28x28x64,W=64x3x3x64,Y=1568x64
#shared = #gpu.address_space<workgroup>
tile.kernel @conv2d(%X: memref<?x?x?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 2, 28, 28, 64>}, %W: memref<?x3x3x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 64, 3, 3, 64>}, %Y: memref<?x?xf16> {tile.alignment = 16, tile.shape_hint = array<i64: 1568, 64>})
    grid(%bx, %by) = (dim(%Y, 1) ceildiv 128, dim(%Y, 0) ceildiv 128) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %bm = arith.constant 128 : index
  %bn = arith.constant 128 : index
  %bk = arith.constant 64 : index
  %taps = arith.constant 9 : index
  %ck1 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %rowX = memref.dim %X, %c3 : memref<?x?x?x?xf16>
  tile.assume %rowX {divisible_by = 8 : i64} : index
  %rowW = memref.dim %W, %c3 : memref<?x3x3x?xf16>
  tile.assume %rowW {divisible_by = 8 : i64} : index
  %rowY = memref.dim %Y, %c1 : memref<?x?xf16>
  tile.assume %rowY {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %bm : index
  %n = arith.muli %bx, %bn : index
  %channels = memref.dim %X, %c3 : memref<?x?x?x?xf16>
  %chunks = arith.ceildivui %channels, %bk : index
  %steps = arith.muli %chunks, %taps : index
  %Xs = tile.alloc : memref<128x64xf16, #shared>
  %Ws = tile.alloc : memref<128x64xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  // All taps of some channels, then of the next ones.
  tile.pipelined %step = %c0 to %steps step %c1 stages(3) {
    %tap = arith.remui %step, %taps : index
    %chunk = arith.divui %step, %taps : index
    %channel = arith.muli %chunk, %bk : index
    %r1 = arith.remui %tap, %ck1 : index
    %left1 = arith.divui %tap, %ck1 : index
    tile.im2col %X pixel %m filter [%left1, %r1] channel %channel to %Xs kernel [3, 3] pad_lower [1, 1] pad_upper [1, 1]
        : memref<?x?x?x?xf16> to memref<128x64xf16, #shared>
    tile.copy %W[%n, %left1, %r1, %channel] sizes [128, 1, 1, 64] to %Ws : memref<?x3x3x?xf16> to memref<128x64xf16, #shared>
    tile.gemm %Xs, %Ws, %acc {transpose_b} : memref<128x64xf16, #shared>, memref<128x64xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %Y[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
}
