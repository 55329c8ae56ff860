// An atomic update that the block does once, outside of tile.parallel, gives its
// old value to all threads: through scratch memory. A queue of tiles is one.
// RUN: tile-run %s --kernel=queue --args=X=9x64,Y=9x64,Next=3:zeros --check | FileCheck %s
// RUN: tile-run %s --kernel=queue --args=X=9x64,Y=9x64,Next=3:zeros --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=queue --args=X=9x64,Y=9x64,Next=3:zeros --stage=lowered --arch=sm_90a --seed=3 --check | FileCheck %s
// RUN: tile-run %s --kernel=kinds --args=F=4,I=4,OldF=4,OldI=4 --check | FileCheck %s
// RUN: tile-run %s --kernel=kinds --args=F=4,I=4,OldF=4,OldI=4 --stage=lowered --arch=sm_80 --check | FileCheck %s
// RUN: tile-run %s --kernel=kinds --args=F=4,I=4,OldF=4,OldI=4 --stage=lowered --arch=sm_100a --check | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --arch=sm_80 | FileCheck %s --check-prefix=PTX
// CHECK: PASS
#shared = #gpu.address_space<workgroup>

// Each block takes rows of its own third, in the order of its counter.
// PTX-LABEL: .entry queue
// PTX: bar.sync 0;
// PTX: atom{{.*}}.add
// PTX: st.shared.b32
// PTX: bar.sync 0;
// PTX: ld.shared.b32
tile.kernel @queue(%X: memref<9x64xf32>, %Y: memref<9x64xf32>, %Next: memref<3xi32>) grid(%b) = (3) threads(128) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %sum = tile.alloc : memref<1xf32, #tile.fragment>
  %row = tile.alloc : memref<64xf32, #tile.fragment>
  %first = memref.atomic_rmw addi %one, %Next[%b] : (i32, memref<3xi32>) -> i32
  scf.while (%at = %first) : (i32) -> i32 {
    %more = arith.cmpi slt, %at, %three : i32
    scf.condition(%more) %at : i32
  } do {
  ^bb0(%at: i32):
    %tile = arith.index_cast %at : i32 to index
    %base = arith.muli %b, %c3 : index
    %m = arith.addi %base, %tile : index
    tile.copy %X[%m, %c0] sizes [1, 64] to %row : memref<9x64xf32> to memref<64xf32, #tile.fragment>
    tile.reduce sum %row to %sum dim(0) : memref<64xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.parallel (%i) in (64) {
      %x = memref.load %row[%i] : memref<64xf32, #tile.fragment>
      %s = memref.load %sum[%c0] : memref<1xf32, #tile.fragment>
      %y = arith.addf %x, %s : f32
      memref.store %y, %Y[%m, %i] : memref<9x64xf32>
    }
    %next = memref.atomic_rmw addi %one, %Next[%b] : (i32, memref<3xi32>) -> i32
    scf.yield %next : i32
  }
}

tile.kernel @kinds(%F: memref<4xf32>, %I: memref<4xi64>, %OldF: memref<4xf32>, %OldI: memref<4xi64>) grid(%b) = (4) threads(64) {
  %f = arith.constant 0.25 : f32
  %i = arith.constant 5 : i64
  %oldF = memref.atomic_rmw maximumf %f, %F[%b] : (f32, memref<4xf32>) -> f32
  %oldI = memref.atomic_rmw addi %i, %I[%b] : (i64, memref<4xi64>) -> i64
  memref.store %oldF, %OldF[%b] : memref<4xf32>
  memref.store %oldI, %OldI[%b] : memref<4xi64>
}
