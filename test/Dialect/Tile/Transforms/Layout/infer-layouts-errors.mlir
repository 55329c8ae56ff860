// RUN: tile-opt %s --tile-infer-layouts --split-input-file --verify-diagnostics

// Layouts depend on the architecture: it has to be known.
// expected-error @+1 {{expected 'tile.target' on the module (`--tile-set-target=arch=...`)}}
module {
  tile.kernel @k() grid(%b) = (1) threads(32) {
  }
}

// -----

// A module without kernels needs none.
module {
}

// -----

// The plan's warps are the kernel's.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(128) {
    %a = tile.alloc : memref<64x16xf16, #shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %d = tile.alloc : memref<16x64xf16, #shared>
    // expected-error @+1 {{expected a plan whose warps multiply to the kernel's 4, got 4 x 2}}
    tile.gemm %a, %d, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [4, 2]>} : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

// The plan's shape is one of the target's.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(128) {
    %a = tile.alloc : memref<64x16xf16, #shared>
    %d = tile.alloc : memref<16x64xf16, #shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @+1 {{expected an mma_sync shape that sm_80 has for these element types, got m16n8k32}}
    tile.gemm %a, %d, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>} : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

// The plan's instruction exists on the target.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_90">} {
  tile.kernel @k() grid(%b) = (1) threads(128) {
    %a = tile.alloc : memref<64x16xf16, #shared>
    %d = tile.alloc : memref<16x64xf16, #shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @+1 {{expected a plan with fma or mma_sync on sm_90, got wgmma}}
    tile.gemm %a, %d, %c {plan = #tile.mma_plan<wgmma, m = 64, n = 64, k = 16, warps = [4, 1]>} : memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

// The plan's k divides the tile's.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(128) {
    %a = tile.alloc : memref<64x24xf16, #shared>
    %d = tile.alloc : memref<24x64xf16, #shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @+1 {{expected a K tile that is a multiple of the plan's k = 16, got 24}}
    tile.gemm %a, %d, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 16, warps = [2, 2]>} : memref<64x24xf16, #shared>, memref<24x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

// fp8 tensor cores came with sm_89; a plan cannot ask for them before.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(128) {
    %a = tile.alloc : memref<64x32xf8E4M3FN, #shared>
    %d = tile.alloc : memref<32x64xf8E4M3FN, #shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @+1 {{expected a plan that is possible: mma_sync has no f8E4M3FN x f8E4M3FN into f32 on sm_80}}
    tile.gemm %a, %d, %c {plan = #tile.mma_plan<mma_sync, m = 16, n = 8, k = 32, warps = [2, 2]>} : memref<64x32xf8E4M3FN, #shared>, memref<32x64xf8E4M3FN, #shared>, memref<64x64xf32, #tile.fragment>
  }
}

// -----

// A tile is used where it was allocated, or seen by a tile.view or a subview: a
// cast would hide its layout.
#shared = #gpu.address_space<workgroup>
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(32) {
    %a = tile.alloc : memref<64x16xf16, #shared>
    // expected-error @+1 {{expected a shared tile to come from `tile.alloc` directly, got a result of 'memref.cast'}}
    %v = memref.cast %a : memref<64x16xf16, #shared> to memref<?x16xf16, #shared>
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k(%n: index) grid(%b) = (1) threads(32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-error @+1 {{expected a fragment tile to come from `tile.alloc` directly, got a result of 'scf.for'}}
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (memref<64xf32, #tile.fragment>) {
      scf.yield %t : memref<64xf32, #tile.fragment>
    }
  }
}

// -----

// A stated layout spreads over the block's threads, and stays within the block.
module attributes {tile.target = #tile.target<"sm_80">} {
  tile.kernel @k() grid(%b) = (1) threads(64) {
    %z = arith.constant 0.0 : f32
    %x = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-error @+1 {{expected a layout over 64 threads, got 32}}
    tile.fill %x with %z {layout = #tile.fragment_layout<shape [64] reg [(2, 0:32)] lane [(32, 0:1)] warp []>} : memref<64xf32, #tile.fragment>, f32
  }
}

// -----

module attributes {tile.target = #tile.target<"sm_90">} {
  tile.kernel @k() grid(%b) = (2) threads(32) cluster(2) {
    // expected-error @+1 {{expected a layout within one block, got one over 2 blocks of a cluster}}
    %x = tile.alloc layout(#tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [] block [(2, 0:32)]>) : memref<64xf32, #tile.fragment>
  }
}

// -----

// Registers are few: what does not fit four times over is no accumulator.
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @large_accumulator() grid(%bx) = (1) threads(128) {
  // expected-error @below {{expected a fragment of at most 1024 registers in each thread for a gemm, got 2048: 'memref<512x512xf32, #tile.fragment>' over 128 threads}}
  // expected-note @below {{a thread has 255 registers: use a smaller tile in a loop, more threads, or a tile in shared memory}}
  %t = tile.alloc : memref<512x512xf32, #tile.fragment>
  %a = tile.alloc : memref<512x16xf16, #gpu.address_space<workgroup>>
  %b = tile.alloc : memref<16x512xf16, #gpu.address_space<workgroup>>
  tile.gemm %a, %b, %t : memref<512x16xf16, #gpu.address_space<workgroup>>, memref<16x512xf16, #gpu.address_space<workgroup>>, memref<512x512xf32, #tile.fragment>
}
}

// -----

// Nor does local memory hold everything.
module attributes {tile.target = #tile.target<"sm_90a">} {
tile.kernel @large_fragment() grid(%bx) = (1) threads(32) {
  // expected-error @below {{expected a fragment of at most 65536 elements in each thread, got 131072: 'memref<2048x2048xi8, #tile.fragment>' over 32 threads}}
  // expected-note @below {{a thread has 255 registers}}
  %f = tile.alloc : memref<2048x2048xi8, #tile.fragment>
}
}
