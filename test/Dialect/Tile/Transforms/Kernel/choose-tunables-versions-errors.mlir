// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-choose-tunables -verify-diagnostics -split-input-file

// expected-error @+1 {{expected combinations in `tile.versions` of one value for each of its 1 tunable, among those that it may have, got array<i64: 96>}}
tile.kernel @value(%A: memref<?xf32>) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = [array<i64: 64>, array<i64: 96>]} {
  %m = arith.muli %bx, %b : index
  %x = tile.alloc(%b) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{of one value for each of its 1 tunable, among those that it may have, got array<i64: 64, 64>}}
tile.kernel @count(%A: memref<?xf32>) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = [array<i64: 64, 64>]} {
  %m = arith.muli %bx, %b : index
  %x = tile.alloc(%b) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{expected sizes of as many problems for each argument, got 3 of argument 'B' and 2 before}}
tile.kernel @problems(%A: memref<?xf32> {tile.shape_hint = [array<i64: 64>, array<i64: 128>]}, %B: memref<?xf32> {tile.shape_hint = [array<i64: 64>, array<i64: 128>, array<i64: 256>]}) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = 2 : i64} {
  %m = arith.muli %bx, %b : index
  %x = tile.alloc(%b) : memref<?xf32, #tile.fragment>
  tile.copy %A[%m] to %x : memref<?xf32> to memref<?xf32, #tile.fragment>
}

// -----

// expected-error @+1 {{expected 'tile.versions' to be an i64 from 1 to 192, or a list of at most as many combinations of tunables (`array<i64: ...>`, a value for each), on a kernel, got 193 : i64}}
tile.kernel @many(%A: memref<?xf32>) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = 193 : i64} {
}

// -----

// expected-error @+1 {{expected 'tile.versions' to be an i64 from 1 to 192, or a list}}
tile.kernel @words(%A: memref<?xf32>) tunable(%b in [64, 128]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(64) attributes {tile.versions = ["64"]} {
}

// -----

// expected-error @+1 {{expected 'tile.cost' to be text on a kernel, got 7 : i64}}
tile.kernel @cost(%A: memref<?xf32>) grid(%bx) = (1) threads(64) attributes {tile.cost = 7 : i64} {
}
