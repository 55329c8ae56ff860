// Tensor copies that complete at a barrier of the program: one thread adds their bytes to the phase, and all arrive.
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-run %s --kernel=completes --check
// RUN: tile-run %s --kernel=completes --stage=scheduled --arch=sm_90a --check
// RUN: tile-run %s --kernel=completes --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=completes --stage=lowered --arch=sm_100a --seed=3 --check
// RUN: tile-run %s --kernel=completes --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=arrives_elsewhere --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=of_the_block --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=in_flight --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=slots --check
// RUN: tile-run %s --kernel=slots --stage=lowered --arch=sm_90a --check
// RUN: tile-run %s --kernel=slots --stage=lowered --arch=sm_100a --seed=2 --check
// RUN: tile-run %s --kernel=slots --stage=lowered --arch=sm_80 --check
// RUN: tile-run %s --kernel=small_slots --stage=lowered --arch=sm_90a --check
#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// 64 x 64 x 2 bytes each, at the barrier of 128 arrivals.
// CHECK-LABEL: llvm.func @completes
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(8192 : i32)
// CHECK:         nvvm.mbarrier.expect_tx %{{.*}}, %[[BYTES]] : !llvm.ptr<3>, i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(8192 : i32)
// CHECK:         nvvm.mbarrier.expect_tx %{{.*}}, %[[BYTES]] : !llvm.ptr<3>, i32
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK:         mbarrier.arrive.shared
// CHECK-LABEL: llvm.func @arrives_elsewhere
// CHECK-NOT:     nvvm.mbarrier.expect_tx
// CHECK:         nvvm.cp.async.shared.global
// CHECK-LABEL: llvm.func @of_the_block
// CHECK:         nvvm.mbarrier.expect_tx
// CHECK-LABEL: llvm.func @slots
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK-LABEL: llvm.func @small_slots
// CHECK-NOT:     nvvm.cp.async.bulk.tensor
// CHECK:         nvvm.cp.async.shared.global
// REMARK-COUNT-2: remark: global to shared copy: tma
// REMARK: remark: global to shared copy: cp_async, {{.*}}tma not taken: no `tile.mbarrier.arrive` at the barrier of `completes` follows it in its block
tile.kernel @completes(%A: memref<128x256xf16> {tile.alignment = 16}, %B: memref<256x64xf16> {tile.alignment = 16}, %C: memref<128x64xf32>) grid(%bx) = (2) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %row = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<64x64xf16, #shared>
  %Bs = tile.alloc : memref<64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.on_warps 4 count 4 {
    tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  }
  scf.for %k = %c0 to %c4 step %c1 {
    tile.on_warps 0 count 4 {
      %next = arith.addi %k, %c1 : index
      %old = arith.remui %next, %c2 : index
      tile.mbarrier.wait %free[%c0] parity %old : !tile.mbarrier<1>
      %at = arith.muli %k, %c64 : index
      tile.copy %A[%row, %at] to %As completes(%ready[%c0] : !tile.mbarrier<1>) : memref<128x256xf16> to memref<64x64xf16, #shared>
      tile.copy %B[%at, %c0] to %Bs completes(%ready[%c0] : !tile.mbarrier<1>) : memref<256x64xf16> to memref<64x64xf16, #shared>
      tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    }
    tile.on_warps 4 count 4 {
      %parity = arith.remui %k, %c2 : index
      tile.mbarrier.wait %ready[%c0] parity %parity : !tile.mbarrier<1>
      tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #fragment>
      tile.mbarrier.arrive %free[%c0] : !tile.mbarrier<1>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %acc to %C[%row, %c0] : memref<64x64xf32, #fragment> to memref<128x64xf32>
  }
}

// The phase counts arrivals of other warps alone, so that nothing keeps it from ending before the thread that issues the
// copy has said how many bytes come: threads copy, and barrier 1 hands over.
tile.kernel @arrives_elsewhere(%A: memref<64x64xf16> {tile.alignment = 16}, %C: memref<64x64xf16>) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %ready = tile.mbarrier.create arrivals [128, 128] : !tile.mbarrier<2>
  tile.on_warps 0 count 4 {
    tile.copy %A to %s completes(%ready[%c0] : !tile.mbarrier<2>) : memref<64x64xf16> to memref<64x64xf16, #shared>
    tile.mbarrier.arrive %ready[%c1] : !tile.mbarrier<2>
  }
  tile.on_warps 4 count 4 {
    tile.mbarrier.wait %ready[%c1] parity %c0 : !tile.mbarrier<2>
    tile.copy %s to %C : memref<64x64xf16, #shared> to memref<64x64xf16>
  }
}

// All threads of the block issue, arrive and wait.
tile.kernel @of_the_block(%A: memref<256x64xf16> {tile.alignment = 16}, %C: memref<256x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %s = tile.alloc : memref<64x64xf16, #shared>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  scf.for %k = %c0 to %c4 step %c1 {
    %at = arith.muli %k, %c64 : index
    tile.copy %A[%at, %c0] to %s completes(%ready[%c0] : !tile.mbarrier<1>) : memref<256x64xf16> to memref<64x64xf16, #shared>
    tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
    %parity = arith.remui %k, %c2 : index
    tile.mbarrier.wait %ready[%c0] parity %parity : !tile.mbarrier<1>
    tile.parallel (%i, %j) in (64, 64) {
      %x = memref.load %s[%i, %j] : memref<64x64xf16, #shared>
      %y = arith.addf %x, %x : f16
      %r = arith.addi %at, %i : index
      memref.store %y, %C[%r, %j] : memref<256x64xf16>
    }
  }
}

// Nobody reads the first tile; its memory is no other tile's before the wait.
tile.kernel @in_flight(%A: memref<64x64xf16> {tile.alignment = 16}, %C: memref<64x64xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f16
  %s = tile.alloc : memref<64x64xf16, #shared>
  %t = tile.alloc : memref<64x64xf16, #shared>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.copy %A to %s completes(%ready[%c0] : !tile.mbarrier<1>) : memref<64x64xf16> to memref<64x64xf16, #shared>
  tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
  tile.fill %t with %one : memref<64x64xf16, #shared>, f16
  tile.copy %t to %C : memref<64x64xf16, #shared> to memref<64x64xf16>
  tile.mbarrier.wait %ready[%c0] parity %c0 : !tile.mbarrier<1>
}

// Two slots, one tile of each: the copy fills the slot where it is, and the gemm reads it there.
tile.kernel @slots(%A: memref<128x320xf16> {tile.alignment = 16}, %B: memref<320x64xf16> {tile.alignment = 16}, %C: memref<128x64xf32>) grid(%bx) = (2) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %row = arith.muli %bx, %c64 : index
  %As = tile.alloc : memref<2x64x64xf16, #shared>
  %Bs = tile.alloc : memref<2x64x64xf16, #shared>
  %acc = tile.alloc : memref<64x64xf32, #fragment>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  %free = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
  tile.on_warps 4 count 4 {
    tile.fill %acc with %zero : memref<64x64xf32, #fragment>, f32
  }
  scf.for %k = %c0 to %c5 step %c1 {
    %slot = arith.remui %k, %c2 : index
    %use = arith.divui %k, %c2 : index
    %parity = arith.remui %use, %c2 : index
    tile.on_warps 0 count 4 {
      %next = arith.addi %use, %c1 : index
      %old = arith.remui %next, %c2 : index
      tile.mbarrier.wait %free[%slot] parity %old : !tile.mbarrier<2>
      %at = arith.muli %k, %c64 : index
      tile.copy %A[%row, %at] sizes [64, 64] to %As[%slot, %c0, %c0] sizes [1, 64, 64] completes(%ready[%slot] : !tile.mbarrier<2>) : memref<128x320xf16> to memref<2x64x64xf16, #shared>
      %filled = memref.subview %Bs[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      tile.copy %B[%at, %c0] to %filled completes(%ready[%slot] : !tile.mbarrier<2>) : memref<320x64xf16> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      tile.mbarrier.arrive %ready[%slot] : !tile.mbarrier<2>
    }
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %ready[%slot] parity %parity : !tile.mbarrier<2>
      %a = memref.subview %As[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      %b = memref.subview %Bs[%slot, 0, 0] [1, 64, 64] [1, 1, 1] : memref<2x64x64xf16, #shared> to memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>
      tile.gemm %a, %b, %acc : memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf16, strided<[64, 1], offset: ?>, #shared>, memref<64x64xf32, #fragment>
      tile.mbarrier.arrive %free[%slot] : !tile.mbarrier<2>
    }
  }
  tile.on_warps 4 count 4 {
    tile.copy %acc to %C[%row, %c0] : memref<64x64xf32, #fragment> to memref<128x64xf32>
  }
}

// Slots of 64 bytes do not all begin where a tensor copy may put them: threads copy.
tile.kernel @small_slots(%A: memref<8x8xf16> {tile.alignment = 16}, %C: memref<4x8xf16>) grid(%bx) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = tile.alloc : memref<2x4x8xf16, #shared>
  %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<1>
  tile.copy %A[%c4, %c0] sizes [4, 8] to %s[%c1, %c0, %c0] sizes [1, 4, 8] completes(%ready[%c0] : !tile.mbarrier<1>) : memref<8x8xf16> to memref<2x4x8xf16, #shared>
  tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
  tile.mbarrier.wait %ready[%c0] parity %c0 : !tile.mbarrier<1>
  tile.copy %s[%c1, %c0, %c0] sizes [1, 4, 8] to %C : memref<2x4x8xf16, #shared> to memref<4x8xf16>
}
