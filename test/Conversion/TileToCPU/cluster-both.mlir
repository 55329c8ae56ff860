// Blocks that hand fragments to the next one run in turn, blocks that meet by
// hand at the same time: a kernel has one of both.
// RUN: tile-opt %s --convert-tile-to-cpu --verify-diagnostics
// expected-error @+1 {{expected a kernel without `tile.cluster_reduce`, whose blocks run one after the other, got meetings of a cluster by hand beside it}}
tile.kernel @both() grid(%b) = (4) threads(32) cluster(2) {
  %f = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.cluster_reduce sum %f blocks(2) stride(1) : memref<8x8xf32, #tile.fragment>
  tile.cluster_barrier
}
