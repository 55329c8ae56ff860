// Two gemms into tensor memory and a wait for each: a thread that is late at the first finds its phase still the last one.
// RUN: tile-run %s --stage=lowered --arch=sm_100a --seed=1 --check | FileCheck %s
// RUN: tile-run %s --stage=lowered --arch=sm_100a --seed=2 --check | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm=arch=sm_100a | FileCheck %s --check-prefix=IR
// CHECK: PASS
// The second wait of an iteration finds nothing issued since the first.
// IR-COUNT-1: tcgen05.commit
// IR-NOT: tcgen05.commit
#shared = #gpu.address_space<workgroup>
tile.kernel @two(%A: memref<128x64xf16>, %B: memref<64x32xf16>, %C: memref<128x32xf32>, %D: memref<128x32xf32>)
    grid(%b) = (1) threads(128) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<128x16xf16, #shared>
  %Bs = tile.alloc : memref<16x32xf16, #shared>
  %c = tile.alloc : memref<128x32xf32, #tile.fragment>
  %d = tile.alloc : memref<128x32xf32, #tile.fragment>
  tile.fill %c with %zero : memref<128x32xf32, #tile.fragment>, f32
  tile.fill %d with %zero : memref<128x32xf32, #tile.fragment>, f32
  scf.for %k = %c0 to %c64 step %c16 {
    tile.copy %A[%c0, %k] to %As : memref<128x64xf16> to memref<128x16xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<64x32xf16> to memref<16x32xf16, #shared>
    tile.gemm %As, %Bs, %c : memref<128x16xf16, #shared>, memref<16x32xf16, #shared>, memref<128x32xf32, #tile.fragment>
    tile.gemm %As, %Bs, %d : memref<128x16xf16, #shared>, memref<16x32xf16, #shared>, memref<128x32xf32, #tile.fragment>
  }
  tile.copy %c to %C[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
  tile.copy %d to %D[%c0, %c0] : memref<128x32xf32, #tile.fragment> to memref<128x32xf32>
}
