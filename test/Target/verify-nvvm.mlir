// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-verify-nvvm=arch=sm_80
// Each instruction that not every architecture has, on one that lacks it.

llvm.func @wgmma() {
  // expected-error @below {{'wgmma.fence.aligned': expected sm_90a, got sm_80}}
  nvvm.wgmma.fence.aligned
  llvm.return
}

// -----

llvm.func @setmaxnreg() {
  // expected-error @below {{expected sm_90a or a newer architecture with the suffix 'a', got sm_80}}
  nvvm.setmaxregister increase 200
  llvm.return
}

// -----

llvm.func @stmatrix(%p: !llvm.ptr<3>, %a: i32) {
  // expected-error @below {{'stmatrix': expected sm_90 or newer, got sm_80}}
  nvvm.stmatrix %p, %a {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32
  llvm.return
}

// -----

llvm.func @tma(%p: !llvm.ptr<7>, %d: !llvm.ptr, %b: !llvm.ptr<3>, %c: i32) {
  // expected-error @below {{'cp.async.bulk.tensor.shared.cluster.global': expected sm_90 or newer, got sm_80}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %p, %d, %b, box[%c] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @fp8(%a: i32) {
  // expected-error @below {{'mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32': expected sm_89 or newer, got sm_80}}
  llvm.inline_asm has_side_effects asm_dialect = att "{ .reg .f32 d<4>;\0A mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {d0,d1,d2,d3}, {$0,$0,$0,$0}, {$0,$0}, {d0,d1,d2,d3}; }", "r" %a : (i32) -> ()
  llvm.return
}

// -----

llvm.func @predicated(%a: i32) {
  // expected-error @below {{'elect.sync': expected sm_90 or newer, got sm_80}}
  llvm.inline_asm has_side_effects asm_dialect = att "L0: @p elect.sync _|p, 0xffffffff;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @tcgen05(%p: !llvm.ptr<6>, %n: i32) {
  // expected-error @below {{'tcgen05.dealloc': expected sm_100f, sm_100a, sm_103a or sm_110a, got sm_80}}
  nvvm.tcgen05.dealloc %p, %n : !llvm.ptr<6>, i32
  llvm.return
}

// -----

llvm.func @mbarrier(%p: !llvm.ptr<3>, %n: i32) {
  // sm_80 has barriers in shared memory; waiting with suspension came later.
  nvvm.mbarrier.init %p, %n : !llvm.ptr<3>, i32
  // expected-error @below {{'mbarrier.try_wait.parity': expected sm_90 or newer, got sm_80}}
  nvvm.mbarrier.try_wait.parity %p, %n, %n : !llvm.ptr<3>, i32, i32
  llvm.return
}

// -----

llvm.func @cluster() {
  // expected-error @below {{expected sm_90 or newer, got sm_80}}
  nvvm.cluster.arrive
  llvm.return
}

// -----

llvm.func @large_f64(%a: f64) {
  // expected-error @below {{'mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64': expected sm_90 or newer, got sm_80}}
  llvm.inline_asm has_side_effects asm_dialect = att "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {$0}, {$0}, {$0}, {$0};", "d" %a : (f64) -> ()
  // m8n8k4 is on every architecture from sm_80 on.
  llvm.inline_asm has_side_effects asm_dialect = att "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0}, {$0}, {$0}, {$0};", "d" %a : (f64) -> ()
  llvm.return
}

// -----

// What sm_80 has.
llvm.func @present(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %a: vector<2xf16>) {
  nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  nvvm.barrier0
  llvm.return
}

// -----

llvm.func @cluster_register() -> i32 {
  // expected-error @below {{'read.ptx.sreg.cluster.ctarank': expected sm_90 or newer, got sm_80}}
  %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
  llvm.return %rank : i32
}
