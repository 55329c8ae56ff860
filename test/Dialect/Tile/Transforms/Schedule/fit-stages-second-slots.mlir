// A tile that TMA fills once in each iteration of a persistent loop gets a second slot where roles load and both slots fit.
// RUN: tile-opt %s --split-input-file --tile-to-copies=arch=sm_90a --tile-fit-stages | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-copies=arch=sm_90a --tile-fit-stages=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: tile-opt %s --split-input-file --tile-to-schedule=arch=sm_90a | FileCheck %s --check-prefix=RINGS
// Without roles one thread after the other loads and reads: nothing would fill the second slot ahead.
// RUN: tile-opt %s --split-input-file --tile-to-schedule="arch=sm_90a roles=off" | FileCheck %s --check-prefix=OFF
// OFF-NOT: tile.second_slots

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @fits
// CHECK-SAME: tile.second_slots
// SAYS: remark: two slots: the next tile's data are loaded while this tile's are read
// RINGS-LABEL: tile.kernel @fits
// RINGS: tile.ring.create {{.*}} : !tile.ring<2 x [memref<128x128xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
// RINGS: tile.ring.create {{.*}} : !tile.ring<2 x [memref<128x128xf16, #gpu.address_space<workgroup>>], tma -> wgmma>
// OFF-LABEL: tile.kernel @fits
tile.kernel @fits(%Q: memref<?x128xf16> {tile.alignment = 16}, %K: memref<?x128xf16> {tile.alignment = 16}, %O: memref<?x128xf16> {tile.alignment = 16})
    grid(%b) = (dim(%Q, 0) ceildiv 128) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 128 : index
  %rows = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %length = memref.dim %K, %c0 : memref<?x128xf16>
  %m = arith.muli %b, %rows : index
  %Qs = tile.alloc : memref<128x128xf16, #shared>
  %Ks = tile.alloc : memref<128x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.copy %Q[%m, %c0] to %Qs : memref<?x128xf16> to memref<128x128xf16, #shared>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %keys stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x128xf16> to memref<128x128xf16, #shared>
    tile.gemm %Qs, %Ks, %acc {transpose_b} : memref<128x128xf16, #shared>, memref<128x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x128xf32, #tile.fragment> to memref<?x128xf16>
}
// -----

#shared = #gpu.address_space<workgroup>

// CHECK-LABEL: tile.kernel @full
// CHECK-NOT: tile.second_slots
// CHECK: tile.return
// SAYS: remark: one slot for the next tile's data: with a second one the kernel takes {{[0-9]+}} bytes of shared memory, of which a block has 232448; smaller tiles leave room for it
// RINGS-LABEL: tile.kernel @full
// RINGS: tile.ring.create {{.*}} : !tile.ring<1 x [memref<256x128xf16
// OFF-LABEL: tile.kernel @full
tile.kernel @full(%Q: memref<?x128xf16> {tile.alignment = 16}, %K: memref<?x128xf16> {tile.alignment = 16}, %O: memref<?x128xf16> {tile.alignment = 16})
    grid(%b) = (dim(%Q, 0) ceildiv 256) threads(256) attributes {persistent = 1 : i64} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 128 : index
  %rows = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %length = memref.dim %K, %c0 : memref<?x128xf16>
  %m = arith.muli %b, %rows : index
  %Qs = tile.alloc : memref<256x128xf16, #shared>
  %Ks = tile.alloc : memref<128x128xf16, #shared>
  %acc = tile.alloc : memref<256x128xf32, #tile.fragment>
  tile.copy %Q[%m, %c0] to %Qs : memref<?x128xf16> to memref<256x128xf16, #shared>
  tile.fill %acc with %zero : memref<256x128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %keys stages(4) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x128xf16> to memref<128x128xf16, #shared>
    tile.gemm %Qs, %Ks, %acc {transpose_b} : memref<256x128xf16, #shared>, memref<128x128xf16, #shared>, memref<256x128xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<256x128xf32, #tile.fragment> to memref<?x128xf16>
}
// -----

#shared = #gpu.address_space<workgroup>

// Two blocks of this kernel run on a multiprocessor at a time, as `persistent` asks.
// CHECK-LABEL: tile.kernel @two_blocks
// CHECK-NOT: tile.second_slots
// CHECK: tile.return
// SAYS: remark: one slot for the next tile's data: 2 blocks run on a multiprocessor at a time, and one computes while another waits; `persistent = 1` leaves
// OFF-LABEL: tile.kernel @two_blocks
tile.kernel @two_blocks(%Q: memref<?x128xf16> {tile.alignment = 16}, %K: memref<?x128xf16> {tile.alignment = 16}, %O: memref<?x64xf16> {tile.alignment = 16})
    grid(%b) = (dim(%Q, 0) ceildiv 128) threads(256) attributes {persistent = 2 : i64} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 64 : index
  %rows = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %length = memref.dim %K, %c0 : memref<?x128xf16>
  %m = arith.muli %b, %rows : index
  %Qs = tile.alloc : memref<128x128xf16, #shared>
  %Ks = tile.alloc : memref<64x128xf16, #shared>
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  tile.copy %Q[%m, %c0] to %Qs : memref<?x128xf16> to memref<128x128xf16, #shared>
  tile.fill %acc with %zero : memref<128x64xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %keys stages(4) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x128xf16> to memref<64x128xf16, #shared>
    tile.gemm %Qs, %Ks, %acc {transpose_b} : memref<128x128xf16, #shared>, memref<64x128xf16, #shared>, memref<128x64xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x64xf32, #tile.fragment> to memref<?x64xf16>
}
// -----

#shared = #gpu.address_space<workgroup>

// In no loop over tiles the tile is filled once.
// CHECK-LABEL: tile.kernel @once
// CHECK-NOT: tile.second_slots
// CHECK: tile.return
// SAYS-NOT: slot
// RINGS-LABEL: tile.kernel @once
// RINGS: tile.ring.create {{.*}} : !tile.ring<1 x [memref<128x128xf16
// OFF-LABEL: tile.kernel @once
tile.kernel @once(%Q: memref<?x128xf16> {tile.alignment = 16}, %K: memref<?x128xf16> {tile.alignment = 16}, %O: memref<?x128xf16> {tile.alignment = 16})
    grid(%b) = (dim(%Q, 0) ceildiv 128) threads(256) attributes {specialize = true} {
  %c0 = arith.constant 0 : index
  %keys = arith.constant 128 : index
  %rows = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %length = memref.dim %K, %c0 : memref<?x128xf16>
  %m = arith.muli %b, %rows : index
  %Qs = tile.alloc : memref<128x128xf16, #shared>
  %Ks = tile.alloc : memref<128x128xf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.copy %Q[%m, %c0] to %Qs : memref<?x128xf16> to memref<128x128xf16, #shared>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %n = %c0 to %length step %keys stages(2) {
    tile.copy %K[%n, %c0] to %Ks : memref<?x128xf16> to memref<128x128xf16, #shared>
    tile.gemm %Qs, %Ks, %acc {transpose_b} : memref<128x128xf16, #shared>, memref<128x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
  }
  tile.copy %acc to %O[%m, %c0] : memref<128x128xf32, #tile.fragment> to memref<?x128xf16>
}
