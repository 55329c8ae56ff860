// Devices of one architecture have different numbers of multiprocessors and get
// different tiles. 132 tiles of 128 x 128 are one round of an H200; an H20 has 78
// multiprocessors and takes 77 wider tiles in one round instead of two.
// DEFINE: %{arch} = arch=sm_90a
// DEFINE: %{choice} = tile-opt %tile_src/examples/gemm_tunable.mlir --tile-set-target="%{arch}" --tile-choose-tunables="remarks hints=A=1408x8192,B=8192x1536,C=1408x1536 values=bm=128,bk=64,stages=3,groups=2,cx=1,cy=1,panel=8"
// RUN: %{choice} 2>&1 | FileCheck %s --check-prefix=H200
// H200: remark: chose bm = 128, bn = 128, {{.*}} for H200 (132 multiprocessors): predicted {{.*}} (1 round of blocks
// H200: module attributes {tile.target = #tile.target<"sm_90a">}
// H200: tile.chosen = {{.*}}bn = 128

// Its architecture is the default one of the device.
// REDEFINE: %{arch} = device=H20
// RUN: %{choice} 2>&1 | FileCheck %s --check-prefix=H20
// REDEFINE: %{arch} = arch=sm_90a device=h20
// RUN: %{choice} 2>&1 | FileCheck %s --check-prefix=H20
// H20: remark: chose bm = 128, bn = 224, {{.*}} for H20 (78 multiprocessors): predicted {{.*}} (1 round of blocks
// H20: module attributes {tile.target = #tile.target<"sm_90a", device = "H20">}
// H20: tile.chosen = {{.*}}bn = 224

// REDEFINE: %{arch} = device=H201
// RUN: not %{choice} 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expected a device among A100-SXM, A100-PCIe, {{.*}}, RTX-5090; got 'H201'
// REDEFINE: %{arch} = arch=sm_100a device=H20
// RUN: not %{choice} 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected code that H20 (9.0) runs, like that for sm_90a; got sm_100a
