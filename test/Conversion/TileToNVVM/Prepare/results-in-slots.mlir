// Four stages of 192 x 64 and 208 x 64 leave 27 KB, and the smallest piece of the results, 64 rows, takes 26 beside barriers and scratch.
// Behind the loop nobody needs the slots: the whole tile lies there, in two panels, of which each warpgroup stores its own. The threads
// of the role meet before they write over what others may still multiply.
// RUN: tile-opt %s --tile-to-barriers=arch=sm_90a | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: tile-run %s --args=A=300x520:smallint,B=440x520:smallint,C=300x440 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN
// RAN: PASS

// In a loop over tiles slots are filled again while results leave: threads store them.
// RUN: sed "s/threads(256)/threads(256) attributes {persistent = 1 : i64}/" %s > %t.mlir
// RUN: tile-opt %t.mlir --tile-to-barriers=arch=sm_90a | FileCheck %s --check-prefix=AGAIN
// RUN: tile-run %t.mlir --args=A=300x520:smallint,B=440x520:smallint,C=300x440 --check --stage=lowered --arch=sm_90a | FileCheck %s --check-prefix=RAN

// CHECK-LABEL: tile.kernel @wide
// CHECK:         tile.ring.create{{.*}} tile.offset = 0
// CHECK:         tile.alloc layout(#tile.shared_layout<shape [192, 208] bits 16 modes [(104, 1:1), (192, 0:104), (2, 1:19968)]>) {tile.offset = 0 : i64}
// CHECK:         tile.ring.drain
// CHECK:         tile.barrier
// CHECK:         tile.copy {{.*}}{groups = array<i64: 1, 2>
// What ends the kernel waits until its memory was read, and for nobody.
// CHECK:         tile.await read %{{[0-9]+}}{{$}}
// CHECK-NEXT:    }
// PTX-COUNT-1:   cp.async.bulk.tensor.2d.global.shared::cta
// PTX:           cp.async.bulk.wait_group.read 0
// PTX-NOT:       bar.sync
// PTX:           ret

// AGAIN-LABEL: tile.kernel @wide
// AGAIN-NOT:     memref<192x208xf16, #gpu.address_space<workgroup>>
// AGAIN:         tile.return
#shared = #gpu.address_space<workgroup>
tile.kernel @wide(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<?x?xf16> {tile.alignment = 16}, %C: memref<?x?xf16> {tile.alignment = 16})
    grid(%bx, %by) = (dim(%C, 1) ceildiv 208, dim(%C, 0) ceildiv 192) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %c208 = arith.constant 208 : index
  %zero = arith.constant 0.0 : f32
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  tile.assume %K {divisible_by = 8 : i64} : index
  %rowB = memref.dim %B, %c1 : memref<?x?xf16>
  tile.assume %rowB {divisible_by = 8 : i64} : index
  %rowC = memref.dim %C, %c1 : memref<?x?xf16>
  tile.assume %rowC {divisible_by = 8 : i64} : index
  %m = arith.muli %by, %c192 : index
  %n = arith.muli %bx, %c208 : index
  %As = tile.alloc : memref<192x64xf16, #shared>
  %Bs = tile.alloc : memref<208x64xf16, #shared>
  %acc = tile.alloc : memref<192x208xf32, #tile.fragment>
  tile.fill %acc with %zero : memref<192x208xf32, #tile.fragment>, f32
  tile.pipelined %k = %c0 to %K step %c64 stages(4) {
    tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<192x64xf16, #shared>
    tile.copy %B[%n, %k] to %Bs : memref<?x?xf16> to memref<208x64xf16, #shared>
    tile.gemm %As, %Bs, %acc {transpose_b} : memref<192x64xf16, #shared>, memref<208x64xf16, #shared>, memref<192x208xf32, #tile.fragment>
  }
  tile.copy %acc to %C[%m, %n] : memref<192x208xf32, #tile.fragment> to memref<?x?xf16>
}
