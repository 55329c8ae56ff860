// Where two stages fit beside another loop's only without roles, they are worth more than roles.
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a --remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: tile-run %s --args=A=256x1024:smallint,B=128x1024:smallint,X=256x128:smallint,C=256x128,S=256x64 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN
// RAN: PASS

// 64 KiB of A twice, 8 KiB of B twice, 32 KiB for one tile: 176 KiB; the second loop has 32 KiB twice.
// CHECK-NOT: 1 stage instead of 2
// CHECK-NOT: `specialize = false`
// CHECK-DAG: warps not specialized: --tile-fit-stages found that two stages fit shared memory only where tiles behind the loop take the bytes of its slots, which roles keep; smaller tiles fit beside them
// CHECK-DAG: 2 stages stay, without roles: tiles behind the loop take the bytes of its slots
// CHECK-DAG: pipelined: 2 of 2 copies run 2 iterations ahead

// What is decided stands beside what the program asks, and is no request.
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a --tile-fit-stages -o %t.mlir
// RUN: FileCheck %s --check-prefix=DECIDED < %t.mlir
// RUN: tile-opt %t.mlir --tile-fit-stages --mlir-print-op-generic | tile-opt | diff - %t.mlir
// DECIDED: threads(256) attributes {tile.without_roles}
// DECIDED: stages(2)
// Who asks for roles after it is told who decided; without the decision the kernel gets them.
// RUN: not tile-opt %t.mlir --tile-pipeline=roles=on 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: tile-opt %s --tile-to-copies=arch=sm_90a --tile-pipeline | FileCheck %s --check-prefix=ALONE
// ASKED: error: 'tile.kernel' op cannot be specialized, which `roles=on` asks for: --tile-fit-stages found that two stages fit
// ALONE: threads(256) attributes {tile.roles}
// What the program asks is its own: it is granted with one stage.
// RUN: sed "s/threads(256)/& attributes {specialize = true}/" %s | tile-opt --tile-to-copies=arch=sm_90a --tile-fit-stages | FileCheck %s --check-prefix=GRANTED
// GRANTED: threads(256) attributes {specialize = true}
// GRANTED: stages(1)
tile.kernel @both(%A: memref<256x1024xbf16> {tile.alignment = 16}, %B: memref<128x1024xi8> {tile.alignment = 16}, %X: memref<256x128xbf16> {tile.alignment = 16}, %C: memref<256x128xbf16> {tile.alignment = 16}, %S: memref<256x64xf32> {tile.alignment = 16}) grid(%b) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<256x128xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<128x64xi8, #gpu.address_space<workgroup>>
  %Bw = tile.alloc : memref<128x128xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<256x128xf32, #tile.fragment>
  %Xs = tile.alloc : memref<256x64xbf16, #gpu.address_space<workgroup>>
  %sum = tile.alloc : memref<256x64xf32, #tile.fragment>
  tile.fill %sum with %zero : memref<256x64xf32, #tile.fragment>, f32
  tile.fill %acc with %zero : memref<256x128xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %c8 step %c1 stages(2) {
    %ak = arith.muli %k, %c128 : index
    %bk = arith.muli %k, %c64 : index
    tile.copy %A[%c0, %ak] to %As : memref<256x1024xbf16> to memref<256x128xbf16, #gpu.address_space<workgroup>>
    tile.copy %B[%c0, %bk] to %Bs : memref<128x1024xi8> to memref<128x64xi8, #gpu.address_space<workgroup>>
    tile.parallel (%n, %j) in (128, 64) {
      %byte = memref.load %Bs[%n, %j] : memref<128x64xi8, #gpu.address_space<workgroup>>
      %w = arith.sitofp %byte : i8 to bf16
      memref.store %w, %Bw[%n, %j] : memref<128x128xbf16, #gpu.address_space<workgroup>>
      %other = arith.addi %j, %c64 : index
      memref.store %w, %Bw[%n, %other] : memref<128x128xbf16, #gpu.address_space<workgroup>>
    }
    tile.gemm %As, %Bw, %acc {transpose_b} : memref<256x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xbf16, #gpu.address_space<workgroup>>, memref<256x128xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%c0, %c0] {disable_tma} : memref<256x128xf32, #tile.fragment> to memref<256x128xbf16>
  tile.pipelined %k = %c0 to %c128 step %c64 stages(2) {
    tile.copy %X[%c0, %k] to %Xs : memref<256x128xbf16> to memref<256x64xbf16, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in (256, 64) {
      %x = memref.load %Xs[%i, %j] : memref<256x64xbf16, #gpu.address_space<workgroup>>
      %w = arith.extf %x : bf16 to f32
      %old = memref.load %sum[%i, %j] : memref<256x64xf32, #tile.fragment>
      %new = arith.addf %old, %w : f32
      memref.store %new, %sum[%i, %j] : memref<256x64xf32, #tile.fragment>
    }
  }
  tile.copy %sum to %S[%c0, %c0] {disable_tma} : memref<256x64xf32, #tile.fragment> to memref<256x64xf32>
}
