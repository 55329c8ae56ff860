// Why warps are not divided: asked for by `specialize = true` it is an error.
// RUN: tile-opt %s --tile-set-target=arch=sm_90a --tile-pipeline --split-input-file --verify-diagnostics
#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{cannot be specialized, which `specialize` asks for: no copy runs ahead in a pipelined loop of several stages}}
tile.kernel @none(%A: memref<64xf32>) grid(%bx) = (1) threads(128) attributes {specialize = true} {
}

// -----

#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{needs threads that are whole warpgroups with room for one more, got 96}}
tile.kernel @threads(%A: memref<64xf32>) grid(%bx) = (1) threads(96) attributes {specialize = true} {
}

// -----

// What is copied depends on what the kernel computes.
#shared = #gpu.address_space<workgroup>
// expected-error @+1 {{the choice of copies depends on the shared buffer, which the kernel fills}}
tile.kernel @data(%A: memref<?x64xf32>, %I: memref<64xindex>, %n: index) grid(%bx) = (1) threads(128) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %list = tile.alloc : memref<64xindex, #shared>
  %s = tile.alloc : memref<64x64xf32, #shared>
  %f = tile.alloc : memref<64x64xf32, #tile.fragment>
  tile.copy %I to %list : memref<64xindex> to memref<64xindex, #shared>
  // expected-note @+1 {{because of this}}
  %row = memref.load %list[%c0] : memref<64xindex, #shared>
  tile.pipelined %k = %c0 to %n step %c1 stages(2) {
    tile.copy %A[%row, %c0] to %s decided {plan = #tile.copy_plan<tma, bytes = 16>} : memref<?x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %f : memref<64x64xf32, #shared> to memref<64x64xf32, #tile.fragment>
  }
}
