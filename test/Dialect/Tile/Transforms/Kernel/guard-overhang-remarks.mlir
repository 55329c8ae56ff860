// In which kernels blocks can lie outside of the grid, and what they skip then.
// RUN: tile-opt %s --tile-guard-overhang=remarks -verify-diagnostics -o /dev/null

// expected-remark @below {{clusters may overhang the grid: 2 operations are skipped in blocks outside of it (accesses to single elements, regions that may lie inside of their buffer, prints and assertions); a grid of whole clusters needs no check}}
tile.kernel @open(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0)) threads(32) cluster(2) {
  %x = memref.load %A[%bx] : memref<?xf32>
  memref.store %x, %A[%bx] : memref<?xf32>
}
// Clusters of two divide this grid.
tile.kernel @whole(%A: memref<64xf32>) grid(%bx) = (64) threads(32) cluster(2) {
  %x = memref.load %A[%bx] : memref<64xf32>
  memref.store %x, %A[%bx] : memref<64xf32>
}
