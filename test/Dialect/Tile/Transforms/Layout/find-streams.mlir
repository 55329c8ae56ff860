// Which arguments are streams, and why others are not.
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a --tile-find-streams=remarks=true -split-input-file -verify-diagnostics -o /dev/null
// Figures are an H200's: other architectures ask nothing.
// RUN: tile-opt %s --tile-to-copies=arch=sm_80 -split-input-file | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: tile.{{streams|read_once}}

#shared = #gpu.address_space<workgroup>
// Each block has a row of X and Y of its own; all of them read W.
// CHECK-LABEL: tile.kernel @rows
// CHECK-SAME:    attributes {tile.results = array<i64: 2>, tile.shared_reads = array<i64: 1>, tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>, tile.streams = array<i64: 0>}
// expected-remark @+1 {{argument 0 is a stream: the L2 cache is asked to keep what is loaded of it before what is written, from 100 MB on}}
tile.kernel @rows(%X: memref<?x4096xf16> {tile.alignment = 16}, %W: memref<4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16})
    grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %w = tile.alloc : memref<4096xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf16> to memref<1x4096xf32, #tile.fragment>
  tile.copy %W[%c0] to %w : memref<4096xf16> to memref<4096xf32, #tile.fragment>
  tile.parallel (%i, %j) in (1, 4096) {
    %0 = memref.load %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
    %1 = memref.load %w[%j] : memref<4096xf32, #tile.fragment>
    %2 = arith.mulf %0, %1 : f32
    memref.store %2, %x[%i, %j] : memref<1x4096xf32, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<1x4096xf32, #tile.fragment> to memref<?x4096xf16>
}

// -----
// Elements that a loop loads are as good as a copy; a block has a tile of columns, too.
// CHECK-LABEL: tile.kernel @elements
// CHECK-SAME:    tile.streams = array<i64: 0, 1>
// expected-remark @+1 {{arguments 0, 1 are streams: the L2 cache is asked to keep what is loaded of them}}
tile.kernel @elements(%X: memref<?x4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16}, %Z: memref<?x4096xf16> {tile.alignment = 16})
    grid(%bx, %by) = (4096 ceildiv 512, dim(%X, 0) ceildiv 4) threads(256) {
  %c4 = arith.constant 4 : index
  %c512 = arith.constant 512 : index
  %m = arith.muli %by, %c4 : index
  %n = arith.muli %bx, %c512 : index
  tile.parallel (%i, %j) in (4, 512) {
    %r = arith.addi %m, %i : index
    %c = arith.addi %n, %j : index
    %0 = memref.load %X[%r, %c] : memref<?x4096xf16>
    %1 = memref.load %Y[%r, %c] : memref<?x4096xf16>
    %2 = arith.addf %0, %1 : f16
    memref.store %2, %Z[%r, %c] : memref<?x4096xf16>
  }
}

// -----
// Two blocks in a row read the same row of X.
// CHECK-LABEL: tile.kernel @quotient
// CHECK-NOT:     tile.streams
tile.kernel @quotient(%X: memref<?x4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16})
    grid(%m) = (dim(%Y, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %from = arith.divui %m, %c2 : index
  %x = tile.alloc : memref<1x4096xf16, #tile.fragment>
  // expected-remark @+1 {{the L2 cache is not asked to keep what is loaded of argument 0: several blocks may read the same part; `eviction_policy` on the copy asks for it}}
  tile.copy %X[%from, %c0] to %x : memref<?x4096xf16> to memref<1x4096xf16, #tile.fragment>
  tile.copy %x to %Y[%m, %c0] : memref<1x4096xf16, #tile.fragment> to memref<?x4096xf16>
}

// -----
// A sum of each row: hardly anything is written, and what is read leaves the cache first.
// CHECK-LABEL: tile.kernel @sums
// CHECK-SAME:    tile.read_once = [array<i64: 0>]
// CHECK-NOT:     tile.streams
// expected-remark @+1 {{argument 0 is read once: what is loaded of it leaves the L2 cache first, up to 200 MB}}
tile.kernel @sums(%X: memref<?x4096xf16> {tile.alignment = 16}, %Y: memref<?xf32>) grid(%m) = (dim(%X, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x4096xf32, #tile.fragment>
  %s = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf16> to memref<1x4096xf32, #tile.fragment>
  tile.reduce sum %x to %s dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %s to %Y[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// -----
// The program decides; and what may overlap a result is not constant.
// CHECK-LABEL: tile.kernel @asked
// CHECK-NOT:     tile.streams
tile.kernel @asked(%X: memref<?x4096xf16> {tile.alignment = 16}, %V: memref<?x4096xf16> {tile.alignment = 16, tile.may_alias}, %Y: memref<?x4096xf16> {tile.alignment = 16, tile.may_alias})
    grid(%m) = (dim(%Y, 0)) threads(256) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x4096xf16, #tile.fragment>
  %v = tile.alloc : memref<1x4096xf16, #tile.fragment>
  // expected-remark @+1 {{of argument 0: the program says how long the cache keeps it; `eviction_policy`}}
  tile.copy %X[%m, %c0] to %x {eviction_policy = #tile.eviction_policy<first>} : memref<?x4096xf16> to memref<1x4096xf16, #tile.fragment>
  // expected-remark @+1 {{of argument 1: it may overlap another argument; `eviction_policy`}}
  tile.copy %V[%m, %c0] to %v : memref<?x4096xf16> to memref<1x4096xf16, #tile.fragment>
  tile.parallel (%i, %j) in (1, 4096) {
    %0 = memref.load %x[%i, %j] : memref<1x4096xf16, #tile.fragment>
    %1 = memref.load %v[%i, %j] : memref<1x4096xf16, #tile.fragment>
    %2 = arith.addf %0, %1 : f16
    memref.store %2, %x[%i, %j] : memref<1x4096xf16, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<1x4096xf16, #tile.fragment> to memref<?x4096xf16>
}

// -----
// Blocks that stay go through their tiles in another order than that of launch: nothing is said of them, nor of products in pipelined loops.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT:     tile.streams
tile.kernel @stays(%X: memref<?x4096xf16> {tile.alignment = 16}, %Y: memref<?x4096xf16> {tile.alignment = 16})
    grid(%m) = (dim(%X, 0)) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x4096xf16, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x4096xf16> to memref<1x4096xf16, #tile.fragment>
  tile.copy %x to %Y[%m, %c0] : memref<1x4096xf16, #tile.fragment> to memref<?x4096xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// cp.async with the policies of streams is an illegal instruction on an H200.
// CHECK-LABEL: tile.kernel @through_shared
// CHECK-NOT:     tile.streams
tile.kernel @through_shared(%X: memref<?x512xf16> {tile.alignment = 16}, %Y: memref<?x512xf16> {tile.alignment = 16}) grid(%by) = (dim(%X, 0) ceildiv 4) threads(128) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = arith.muli %by, %c4 : index
  %x = tile.alloc : memref<4x512xf16, #shared>
  %y = tile.alloc : memref<4x512xf16, #tile.fragment>
  // expected-remark @+1 {{of argument 0: not all of it is loaded by plain loads of four bytes or more; `eviction_policy`}}
  tile.copy %X[%m, %c0] to %x {disable_tma} : memref<?x512xf16> to memref<4x512xf16, #shared>
  tile.copy %x to %y : memref<4x512xf16, #shared> to memref<4x512xf16, #tile.fragment>
  tile.copy %y to %Y[%m, %c0] : memref<4x512xf16, #tile.fragment> to memref<?x512xf16>
}

// -----
#shared = #gpu.address_space<workgroup>
// The weights of a product are read by blocks of other rows, too: once where these run at the same time. Quotients of
// multiples keep steps apart. A row of scales is loaded outside of the loop, by all blocks.
// CHECK-LABEL: tile.kernel @product
// CHECK-SAME:    tile.read_once = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 2, 1>]
// expected-remark @+3 {{argument 0 is read once where blocks that differ along dimension 0 of the grid run at the same time: what is loaded of it leaves the L2 cache first, up to 200 MB}}
// expected-remark @+2 {{argument 1 is read once where blocks that differ along dimension 1 of the grid}}
// expected-remark @+1 {{argument 2 is read once where blocks that differ along dimension 1 of the grid}}
tile.kernel @product(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %G: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 64 : i64} : index
  %rowG = memref.dim %G, %c1 : memref<?x?xf16>
  tile.assume %rowG {divisible_by = 64 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %g = tile.alloc : memref<1x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    %step = arith.divui %k, %c64 : index
    tile.copy %A[%m, %k] to %a : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %b : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %G[%step, %n] to %g : memref<?x?xf16> to memref<1x64xf16, #shared>
    tile.gemm %a, %b, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}

// -----
// Blocks that split a range end where the next one begins: each part is read once. A window overlaps the next one's; and where a range only
// ends elsewhere in each block, all read its beginning.
// CHECK-LABEL: tile.kernel @splits
// CHECK-SAME:    tile.read_once = [array<i64: 0>]
// expected-remark @+1 {{argument 0 is read once: what is loaded of it}}
tile.kernel @splits(%X: memref<?x256xf32> {tile.alignment = 16}, %Y: memref<?xf32>, %parts: index) grid(%s) = (%parts) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %X, %c0 : memref<?x256xf32>
  %more = arith.addi %rows, %parts : index
  %less = arith.subi %more, %c1 : index
  %share = arith.divui %less, %parts : index
  %from = arith.muli %s, %share : index
  %begin = arith.minsi %from, %rows : index
  %to = arith.addi %begin, %share : index
  %end = arith.minsi %to, %rows : index
  %x = tile.alloc : memref<1x256xf32, #tile.fragment>
  %y = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %y with %zero : memref<1xf32, #tile.fragment>, f32
  scf.for %i = %begin to %end step %c1 {
    tile.copy %X[%i, %c0] to %x : memref<?x256xf32> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %x to %y dim(1) accumulate : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %y to %Y[%s] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// -----
// CHECK-LABEL: tile.kernel @prefixes
// CHECK-NOT:     tile.read_once
tile.kernel @prefixes(%X: memref<?x256xf32> {tile.alignment = 16}, %Y: memref<?xf32>, %parts: index) grid(%s) = (%parts) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<1x256xf32, #tile.fragment>
  %y = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %y with %zero : memref<1xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %s step %c1 {
    tile.copy %X[%i, %c0] to %x : memref<?x256xf32> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %x to %y dim(1) accumulate : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %y to %Y[%s] : memref<1xf32, #tile.fragment> to memref<?xf32>
}

// -----
// A loop that reads the same row again, and a second loop over the rows of the first.
// CHECK-LABEL: tile.kernel @again
// CHECK-NOT:     tile.read_once
tile.kernel @again(%X: memref<?x256xf32> {tile.alignment = 16}, %Z: memref<?x256xf32> {tile.alignment = 16}, %Y: memref<?xf32>) grid(%s) = (dim(%Y, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %x = tile.alloc : memref<1x256xf32, #tile.fragment>
  %y = tile.alloc : memref<1xf32, #tile.fragment>
  tile.fill %y with %zero : memref<1xf32, #tile.fragment>, f32
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-remark @+1 {{of argument 0: no result is as large, so little is written; `eviction_policy`}}
    tile.copy %X[%s, %c0] to %x : memref<?x256xf32> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %x to %y dim(1) accumulate : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  %first = arith.muli %s, %c4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %r = arith.addi %first, %i : index
    tile.copy %Z[%r, %c0] to %x : memref<?x256xf32> to memref<1x256xf32, #tile.fragment>
    tile.reduce sum %x to %y dim(1) accumulate : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %r = arith.addi %first, %i : index
    // expected-remark @+1 {{of argument 1: no result is as large, so little is written; `eviction_policy`}}
    tile.copy %Z[%r, %c0] to %x : memref<?x256xf32> to memref<1x256xf32, #tile.fragment>
    tile.reduce max %x to %y dim(1) accumulate : memref<1x256xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  }
  tile.copy %y to %Y[%s] : memref<1xf32, #tile.fragment> to memref<?xf32>
}
