// --device names the GPU that tiles are chosen for, and its architecture where
// nothing else does.
// DEFINE: %{sizes} = --shape-hints=A=1408x8192,B=8192x1536,C=1408x1536 --tunables=bm=128,bk=64,stages=3,groups=2,cx=1,cy=1,panel=8 --remarks
// RUN: tile-translate %tile_src/examples/gemm_tunable.mlir --tile-to-ptx --device=H20 %{sizes} -o %t.ptx 2>&1 | FileCheck %s
// CHECK: remark: chose bm = 128, bn = 224, {{.*}} for H20 (78 multiprocessors)
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX: .target sm_90a

// The module's own device holds until an option says otherwise.
// RUN: echo 'module attributes {tile.target = #tile.target<"sm_90a", device = "H20">} {' > %t.mlir
// RUN: grep -v '^//' %tile_src/examples/gemm_tunable.mlir | sed 's/#shared/#gpu.address_space<workgroup>/; s/, #shared>/, #gpu.address_space<workgroup>>/g; /^#gpu/d' >> %t.mlir
// RUN: echo '}' >> %t.mlir
// RUN: tile-translate %t.mlir --tile-to-ptx %{sizes} -o /dev/null 2>&1 | FileCheck %s
// RUN: tile-translate %t.mlir --tile-to-ptx --device=h200 %{sizes} -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: remark: chose bm = 128, bn = 128, {{.*}} for H200 (132 multiprocessors)

// RUN: not tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --device=H300 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --device: expected a device among A100-SXM, {{.*}}; got 'H300'
// RUN: not tile-translate %tile_src/examples/gemm.mlir --tile-to-ptx --device=L40S --arch=sm_90a 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: expected code that L40S (8.9) runs, like that for sm_89; got sm_90a
