// RUN: not tile-translate %s --tile-to-ptx --arch=sm_90 2>&1 | FileCheck %s
// RUN: not tile-translate %s --tile-to-ptx --arch=sm_100a 2>&1 | FileCheck %s --check-prefix=SM100A
// RUN: tile-translate %s --tile-to-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX
// LLVM would abort on what it cannot select; the check before it reports the
// operation.

// CHECK: wrong-architecture.mlir:[[@LINE+8]]:3: error: 'wgmma.fence.aligned': expected sm_90a, got sm_90
// CHECK-NOT: Stack dump
// SM100A: error: 'wgmma.fence.aligned': expected sm_90a, got sm_100a
// PTX: .version 8.0
// PTX: .target sm_90a
// PTX: wgmma.fence.sync.aligned;

llvm.func @fence() attributes {nvvm.kernel} {
  nvvm.wgmma.fence.aligned
  llvm.return
}
