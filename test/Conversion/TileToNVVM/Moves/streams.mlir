// Loads of a stream, and of what all blocks read, ask the L2 cache to keep their lines where the stream is large; the last blocks give up those of the stream.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s
// RUN: tile-run %s --kernel=rows --args=X=37x512,W=512,Y=37x512 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// RUN: tile-run %s --kernel=elements --args=X=36x512,Y=36x512,Z=36x512 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// RUN: tile-run %s --kernel=small --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// RUNS: PASS

// CHECK-LABEL: .entry rows(
// CHECK:         setp.{{g[te]}}.u64 [[LARGE:%p[0-9]+]], {{.*}}, {{99999999|100000000}}
// CHECK:         selp.b64 [[POLICY:%rd[0-9]+]], 1508705875169116160, 1152921504606846976, [[LARGE]]
// CHECK:         ld.global.nc.L2::cache_hint.b64 {{.*}}, [[POLICY]];
// CHECK:         ld.global.nc.L2::cache_hint.b64 {{.*}}, [[POLICY]];
// CHECK:         st.global
// CHECK:         and.b64 [[PLACE:%rd[0-9]+]], {{.*}}, 12{{[0-9]}}
// CHECK:         setp.eq.b64 {{.*}}, [[PLACE]], 0
// CHECK:         @{{.*}} applypriority.global.L2::evict_normal [{{.*}}], 128;
// CHECK-NOT:     applypriority
tile.kernel @rows(%X: memref<?x512xf16> {tile.alignment = 16}, %W: memref<512xf16> {tile.alignment = 16}, %Y: memref<?x512xf16> {tile.alignment = 16})
    grid(%m) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x512xf16, #tile.fragment>
  %w = tile.alloc : memref<512xf16, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x512xf16> to memref<1x512xf16, #tile.fragment>
  tile.copy %W[%c0] to %w : memref<512xf16> to memref<512xf16, #tile.fragment>
  tile.parallel (%i, %j) in (1, 512) {
    %0 = memref.load %x[%i, %j] : memref<1x512xf16, #tile.fragment>
    %1 = memref.load %w[%j] : memref<512xf16, #tile.fragment>
    %2 = arith.mulf %0, %1 : f16
    memref.store %2, %x[%i, %j] : memref<1x512xf16, #tile.fragment>
  }
  tile.copy %x to %Y[%m, %c0] : memref<1x512xf16, #tile.fragment> to memref<?x512xf16>
}

// A loop gives them up where it loads them. Loads of what nobody writes may pass stores: the loop has all of them in front.
// CHECK-LABEL: .entry elements(
// CHECK-COUNT-4: ld.global.nc.L2::cache_hint.v2.b64
// CHECK-NOT:     ld.global
// CHECK:         st.global
tile.kernel @elements(%X: memref<?x512xf16> {tile.alignment = 16}, %Y: memref<?x512xf16> {tile.alignment = 16}, %Z: memref<?x512xf16> {tile.alignment = 16})
    grid(%by) = (dim(%X, 0) ceildiv 4) threads(128) {
  %c4 = arith.constant 4 : index
  %m = arith.muli %by, %c4 : index
  tile.parallel (%i, %j) in (4, 512) {
    %r = arith.addi %m, %i : index
    %0 = memref.load %X[%r, %j] : memref<?x512xf16>
    %1 = memref.load %Y[%r, %j] : memref<?x512xf16>
    %2 = arith.addf %0, %1 : f16
    memref.store %2, %Z[%r, %j] : memref<?x512xf16>
  }
}

// Never as large: nothing is asked.
// CHECK-LABEL: .entry small(
// CHECK-NOT:     cache_hint
// CHECK-NOT:     applypriority
tile.kernel @small(%X: memref<64x512xf16> {tile.alignment = 16}, %Y: memref<64x512xf16> {tile.alignment = 16}) grid(%m) = (64) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x512xf16, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<64x512xf16> to memref<1x512xf16, #tile.fragment>
  tile.copy %x to %Y[%m, %c0] : memref<1x512xf16, #tile.fragment> to memref<64x512xf16>
}

// Weights that blocks of few rows read together, or one: their lines leave the cache first, up to 200 MB. Panels of 8 rows: a block of rows
// beyond them reads the weights again. What is read once by plain loads asks the same.
// RUN: tile-run %s --kernel=product --args=A=40x128,B=72x128,C=40x72 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// RUN: tile-run %s --kernel=sums --args=X=37x512,Y=37 --stage=lowered --arch=sm_90a --check | FileCheck %s --check-prefix=RUNS
// CHECK-LABEL: .entry product(
// CHECK-DAG:     setp.{{l[te]}}.u64 {{.*}}, {{200000000|200000001}}
// CHECK-DAG:     setp.{{l[te]}}.u64 {{.*}}, {{8|9}}
// CHECK-DAG:     setp.{{l[te]}}.u64 {{.*}}, {{132|133}}
// CHECK:         selp.b64 {{.*}}, 1364590687093260288, 1152921504606846976
// CHECK:         cp.async.bulk.tensor.2d{{.*}}.L2::cache_hint
// CHECK:         cp.async.bulk.tensor.2d{{.*}}.L2::cache_hint
#shared = #gpu.address_space<workgroup>
tile.kernel @product(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 64, dim(%C, 0) ceildiv 64) threads(128) attributes {panel = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 64 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 64 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c64 : index
  %n = arith.muli %bx, %c64 : index
  %a = tile.alloc : memref<64x64xf16, #shared>
  %b = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<64x64xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(3) {
    tile.copy %A[%m, %k] to %a : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.copy %B[%n, %k] to %b : memref<?x?xf16> to memref<64x64xf16, #shared>
    tile.gemm %a, %b, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf16>
}

// CHECK-LABEL: .entry sums(
// CHECK:         ld.global.nc.L2::cache_hint
// CHECK-NOT:     applypriority
tile.kernel @sums(%X: memref<?x512xf16> {tile.alignment = 16}, %Y: memref<?xf32>) grid(%m) = (dim(%X, 0)) threads(128) {
  %c0 = arith.constant 0 : index
  %x = tile.alloc : memref<1x512xf32, #tile.fragment>
  %s = tile.alloc : memref<1xf32, #tile.fragment>
  tile.copy %X[%m, %c0] to %x : memref<?x512xf16> to memref<1x512xf32, #tile.fragment>
  tile.reduce sum %x to %s dim(1) : memref<1x512xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
  tile.copy %s to %Y[%m] : memref<1xf32, #tile.fragment> to memref<?xf32>
}
