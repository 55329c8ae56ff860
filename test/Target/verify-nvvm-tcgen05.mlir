// Hazards of tcgen05 that NVVM's verifier and ptxas let through: one fault each,
// and the right form beside it.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-verify-nvvm=arch=sm_100a -o /dev/null

// A register is used where nothing orders it behind the wait.
llvm.func @load_in_flight(%a: !llvm.ptr<6>, %out: !llvm.ptr<1>) {
  // expected-note @below {{loaded here}}
  %r = nvvm.tcgen05.ld %a {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
  nvvm.tcgen05.wait <load>
  // expected-error @below {{a register is used before tcgen05.wait::ld: PTX ISA, 'tcgen05.ld', it is asynchronous}}
  llvm.store %r, %out : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// In one piece, or tied through the wait.
llvm.func @load_waited_for(%a: i32, %out: !llvm.ptr<1>) {
  %r = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1]; tcgen05.wait::ld.sync.aligned;", "=r,r" %a : (i32) -> i32
  llvm.store %r, %out : i32, !llvm.ptr<1>
  %s = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %a : (i32) -> i32
  %t = llvm.inline_asm has_side_effects "tcgen05.wait::ld.sync.aligned;", "=r,0" %s : (i32) -> i32
  llvm.store %t, %out : i32, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @everybody_multiplies(%d: i32, %a: i64, %b: i64, %m: i32) attributes {nvvm.maxntid = array<i32: 128, 1, 1>} {
  // expected-error @below {{every thread issues this: PTX ISA, 'tcgen05.mma', each multiplies; expected it under the condition of one elected thread}}
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $2, $0, p; }", "r,l,l,~{memory}" %d, %a, %b : (i32, i64, i64) -> ()
  // expected-error @below {{every thread issues this: PTX ISA, 'tcgen05.commit', each arrives; expected it under the condition of one elected thread}}
  llvm.inline_asm has_side_effects "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];", "r,~{memory}" %m : (i32) -> ()
  llvm.return
}

// -----

llvm.func @one_multiplies(%d: i32, %a: i64, %b: i64, %m: i32) attributes {nvvm.maxntid = array<i32: 128, 1, 1>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %first = llvm.icmp "eq" %t, %zero : i32
  llvm.cond_br %first, ^issue, ^end
^issue:
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $2, $0, p; }", "r,l,l,~{memory}" %d, %a, %b : (i32, i64, i64) -> ()
  llvm.inline_asm has_side_effects "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];", "r,~{memory}" %m : (i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// -----

// Threads wrote the operands; the tensor core reads through another proxy.
llvm.func @no_proxy_fence(%d: i32, %a: i64, %v: i32, %p: !llvm.ptr<3>) attributes {nvvm.maxntid = array<i32: 1, 1, 1>} {
  llvm.store %v, %p : i32, !llvm.ptr<3>
  // expected-error @below {{tcgen05.mma follows generic writes of shared memory without fence.proxy.async}}
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p; }", "r,l,~{memory}" %d, %a : (i32, i64) -> ()
  llvm.return
}

// -----

llvm.func @proxy_fence(%d: i32, %a: i64, %v: i32, %p: !llvm.ptr<3>) attributes {nvvm.maxntid = array<i32: 1, 1, 1>} {
  llvm.store %v, %p : i32, !llvm.ptr<3>
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p; }", "r,l,~{memory}" %d, %a : (i32, i64) -> ()
  llvm.return
}

// -----

// One block's and two blocks' instructions in one kernel.
llvm.func @mixed(%c: i32, %m: i32) attributes {nvvm.maxntid = array<i32: 1, 1, 1>} {
  // expected-note @below {{this one has cta_group::1}}
  llvm.inline_asm has_side_effects "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;", "r,r,~{memory}" %m, %c : (i32, i32) -> ()
  // expected-error @below {{cta_group::2 in a kernel with another: PTX ISA, 'TensorCore 5th Generation Family Instructions', all tcgen05 of a kernel have the same}}
  llvm.inline_asm has_side_effects "tcgen05.dealloc.cta_group::2.sync.aligned.b32 $0, $1;", "r,r,~{memory}" %m, %c : (i32, i32) -> ()
  llvm.return
}

// -----

// Both blocks of a pair multiply.
llvm.func @both_multiply(%d: i32, %a: i64, %b: i64, %m: i32) attributes {nvvm.maxntid = array<i32: 1, 1, 1>} {
  // expected-error @below {{both blocks of a pair issue this: PTX ISA, 'Issue Granularity', one thread of the pair does; expected it under a condition on %cluster_ctarank}}
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::2.kind::f16 [$0], $1, $2, $0, p; }", "r,l,l,~{memory}" %d, %a, %b : (i32, i64, i64) -> ()
  // expected-error @below {{both blocks of a pair issue this}}
  llvm.inline_asm has_side_effects "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [$0];", "r,~{memory}" %m : (i32) -> ()
  llvm.return
}

// -----

llvm.func @leader_multiplies(%d: i32, %a: i64, %b: i64, %m: i32) attributes {nvvm.maxntid = array<i32: 1, 1, 1>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
  %first = llvm.icmp "eq" %rank, %zero : i32
  llvm.cond_br %first, ^issue, ^end
^issue:
  llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; tcgen05.mma.cta_group::2.kind::f16 [$0], $1, $2, $0, p; }", "r,l,l,~{memory}" %d, %a, %b : (i32, i64, i64) -> ()
  llvm.inline_asm has_side_effects "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [$0];", "r,~{memory}" %m : (i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}
