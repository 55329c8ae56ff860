// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=arch=sm_90a --tile-choose-tunables

#shared = #gpu.address_space<workgroup>
// expected-error @+4 {{expected a combination of tunables that is possible on sm_90a, got none among 4}}
// expected-note @+3 {{b = 512, t = 1000: 'tile.kernel' op [kernel-2] expected a multiple of 32 threads in [32, 1024], got 1000}}
// expected-note @+2 {{b = 512, t = 64: 262144 bytes of shared memory, of 232448}}
// expected-note @+1 {{b = 1024, t = 64: 524288 bytes of shared memory, of 232448}}
tile.kernel @nothing_fits(%A: memref<?x?xf32>) tunable(%b in [512, 1024], %t in [64, 1000]) grid(%bx) = (1) threads(%t) {
  %As = tile.alloc(%b) : memref<?x128xf32, #shared>
}

// -----

#shared = #gpu.address_space<workgroup>
// expected-error @+2 {{expected a combination of tunables that is possible on sm_90a, got none among 1}}
// expected-note @+1 {{b = 64: a tile has an extent that tunables and constants do not determine}}
tile.kernel @not_a_number(%n: index) tunable(%b in [64]) grid(%bx) = (1) threads(32) {
  %x = arith.addi %n, %b : index
  %As = tile.alloc(%x) : memref<?xf32, #shared>
}

// -----

// What the verifier refuses of a program with these numbers is no candidate.
#shared = #gpu.address_space<workgroup>
// expected-error @+2 {{expected a combination of tunables that is possible on sm_90a, got none among 1}}
// expected-note @+1 {{[pipelined-1] expected 1 to 64 stages, got 65}}
tile.kernel @stages() tunable(%s in [65]) grid(%bx) = (1) threads(32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  tile.pipelined %k = %c0 to %c8 step %c8 stages(%s) {
  }
}

// -----

#shared = #gpu.address_space<workgroup>
// expected-error @+2 {{got none among 1}}
// expected-note @+1 {{about 384 registers a thread, of 255}}
tile.kernel @registers() tunable(%b in [256]) grid(%bx) = (1) threads(256) {
  %As = tile.alloc(%b) : memref<?x64xf16, #shared>
  %Bs = tile.alloc(%b) : memref<64x?xf16, #shared>
  %acc = tile.alloc(%b, %b) : memref<?x?xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc : memref<?x64xf16, #shared>, memref<64x?xf16, #shared>, memref<?x?xf32, #tile.fragment>
}

// -----

// expected-error @+2 {{got none among 1}}
// expected-note @+1 {{b = 0: a grid extent that divides by zero}}
tile.kernel @division(%A: memref<?xf32>) tunable(%b in [0]) grid(%bx) = (dim(%A, 0) ceildiv %b) threads(32) {
}
