// Something reads the slot after the gemm: the gemm keeps its slot until then,
// so it is not split into k steps with operands loaded ahead.
// RUN: tile-run %s --stage=scheduled --arch=sm_80 --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_90a --lazy-async --check | FileCheck %s
// RUN: tile-run %s --stage=scheduled --arch=sm_100a --lazy-async --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_100a -o /dev/null
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: note: operands not loaded ahead: an operation after it reads the same slot; put that before the gemm
// CHECK: PASS
#shared = #gpu.address_space<workgroup>
tile.kernel @k(%A: memref<128x512xf16> {tile.alignment = 16}, %B: memref<512x128xf16> {tile.alignment = 16}, %S: memref<8x128xf32> {tile.alignment = 16}, %C: memref<128x128xf32> {tile.alignment = 16})
    grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<128x64xf16, #shared>
  %Bs = tile.alloc : memref<64x128xf16, #shared>
  %Ss = tile.alloc : memref<128xf32, #shared>
  %part = tile.alloc : memref<128x128xf32, #tile.fragment>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
  tile.pipelined %i = %c0 to %c8 step %c1 stages(3) {
    %k = arith.muli %i, %c64 : index
    tile.copy %A[%c0, %k] to %As : memref<128x512xf16> to memref<128x64xf16, #shared>
    tile.copy %B[%k, %c0] to %Bs : memref<512x128xf16> to memref<64x128xf16, #shared>
    tile.copy %S[%i, %c0] to %Ss : memref<8x128xf32> to memref<128xf32, #shared>
    tile.gemm %As, %Bs, %part {clear} : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    tile.parallel (%r, %c) in (128, 128) {
      %x = memref.load %part[%r, %c] : memref<128x128xf32, #tile.fragment>
      %s = memref.load %Ss[%r] : memref<128xf32, #shared>
      %a = memref.load %acc[%r, %c] : memref<128x128xf32, #tile.fragment>
      %y = math.fma %x, %s, %a : f32
      memref.store %y, %acc[%r, %c] : memref<128x128xf32, #tile.fragment>
    }
  }
  tile.copy %acc to %C : memref<128x128xf32, #tile.fragment> to memref<128x128xf32>
}
