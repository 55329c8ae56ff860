// A ring whose barrier is one agent's, between two roles.
#shared = #gpu.address_space<workgroup>
!ring = !tile.ring<2 x [memref<64x64xf16, #shared>], threads -> threads>
#sl = #tile.shared_layout<shape [64, 64] bits 16 modes [(64, 1:1), (64, 0:64)]>
tile.kernel @between(%n: index) grid(%bx) = (1) threads(256) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring.create layouts([#sl]) : !ring
  tile.warp_specialize
  role "load" warps(4) {
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.ring.acquire %r[%i] : !ring
      tile.ring.commit %r[%i] : !ring
    }
  }
  role "use" warps(4) {
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.ring.wait %r[%i] : !ring
      tile.ring.release %r[%i] : !ring
    }
  }
}
