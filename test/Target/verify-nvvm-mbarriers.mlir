// Arrivals on mbarriers against the counts they were initialized with, and fences behind waits for what other threads
// wrote: one fault each, and the right form beside it.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-verify-nvvm=arch=sm_90a -o /dev/null

llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// One warpgroup copies and arrives, the other waits and multiplies.
llvm.func @right(%d: i64, %slot: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c8 = llvm.mlir.constant(8 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %base = llvm.mlir.addressof @arena : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %one = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %one, ^init, ^begin
^init:
  %full = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %full : !llvm.ptr<3> to i32
  llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %address, %c128 : (i32, i32) -> ()
  llvm.br ^begin
^begin:
  nvvm.barrier0
  %copies = llvm.icmp "slt" %tid, %c128 : i32
  llvm.cond_br %copies, ^load, ^mma
^load:
  %offset = llvm.mul %slot, %c8 : i32
  %ring = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %mine = llvm.getelementptr %ring[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  nvvm.cp.async.mbarrier.arrive %mine {noinc = true} : !llvm.ptr<3>
  llvm.br ^end
^mma:
  %ring2 = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %there = llvm.ptrtoint %ring2 : !llvm.ptr<3> to i32
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r,~{memory}" %there, %slot : (i32, i32) -> ()
  llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}" : () -> ()
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,l" %d : (i64) -> f32
  llvm.br ^end
^end:
  llvm.return
}

// -----

llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// 128 threads arrive, four are waited for: the phase completes 31 times too early.
llvm.func @count(%slot: i32) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %base = llvm.mlir.addressof @arena : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %full = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %one = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %one, ^init, ^begin
^init:
  %address = llvm.ptrtoint %full : !llvm.ptr<3> to i32
  // expected-error @below {{the mbarrier counts 4 arrivals a phase, and 128 threads arrive: PTX ISA, 'Phase of the mbarrier object'}}
  llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %address, %c4 : (i32, i32) -> ()
  llvm.br ^begin
^begin:
  nvvm.barrier0
  %copies = llvm.icmp "slt" %tid, %c128 : i32
  llvm.cond_br %copies, ^load, ^end
^load:
  // expected-note @below {{arrives here}}
  nvvm.cp.async.mbarrier.arrive %full {noinc = true} : !llvm.ptr<3>
  llvm.br ^end
^end:
  llvm.return
}

// -----

llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// One of each warp arrives, by the warp's number as lane 0 knows it; every thread was counted.
llvm.func @warps() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c5 = llvm.mlir.constant(5 : i32) : i32
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %all = llvm.mlir.constant(-1 : i32) : i32
  %base = llvm.mlir.addressof @arena : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %warp = llvm.lshr %tid, %c5 : i32
  %uniform = nvvm.shfl.sync idx %all, %warp, %c0, %c31 : i32 -> i32
  %full = llvm.getelementptr %base[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %full : !llvm.ptr<3> to i32
  %one = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %one, ^init, ^begin
^init:
  // expected-error @below {{the mbarrier counts 128 arrivals a phase, and 4 threads arrive}}
  llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %address, %c128 : (i32, i32) -> ()
  llvm.br ^begin
^begin:
  nvvm.barrier0
  %copies = llvm.icmp "slt" %uniform, %c4 : i32
  llvm.cond_br %copies, ^load, ^end
^load:
  %lane = llvm.and %tid, %c31 : i32
  %first = llvm.icmp "eq" %lane, %c0 : i32
  llvm.cond_br %first, ^arrive, ^end
^arrive:
  // expected-note @below {{arrives here}}
  llvm.inline_asm has_side_effects "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %address : (i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// -----

llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// The fence stands in front of the wait.
llvm.func @fence(%d: i64, %slot: i32, %x: vector<4xi32>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %base = llvm.mlir.addressof @arena : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %full = llvm.getelementptr %base[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %full : !llvm.ptr<3> to i32
  %one = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %one, ^init, ^begin
^init:
  llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %address, %c128 : (i32, i32) -> ()
  llvm.br ^begin
^begin:
  nvvm.barrier0
  %copies = llvm.icmp "slt" %tid, %c128 : i32
  llvm.cond_br %copies, ^load, ^mma
^load:
  llvm.store %x, %base : vector<4xi32>, !llvm.ptr<3>
  llvm.inline_asm has_side_effects "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %address : (i32) -> ()
  llvm.br ^end
^mma:
  llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}" : () -> ()
  // expected-note @below {{waited for here}}
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r,~{memory}" %address, %slot : (i32, i32) -> ()
  // expected-error @below {{wgmma reads what others wrote through the generic proxy, without fence.proxy.async after the wait for it: PTX ISA, 'Async Proxy'}}
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,l" %d : (i64) -> f32
  llvm.br ^end
^end:
  llvm.return
}

// -----

llvm.mlir.global external @arena() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// What the product reads comes by TMA; what threads write, and another barrier
// counts, is for others. From byte 2048 on it is what they wrote.
llvm.func @beside(%map: !llvm.ptr, %slot: i32, %d: i64, %x: vector<4xi32>) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = llvm.mlir.addressof @arena : !llvm.ptr<3>
  %theirs = llvm.getelementptr %base[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %full = llvm.getelementptr %base[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %bytes = llvm.getelementptr %base[4104] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %address = llvm.ptrtoint %full : !llvm.ptr<3> to i32
  %one = llvm.icmp "eq" %tid, %c0 : i32
  llvm.cond_br %one, ^init, ^begin
^init:
  llvm.inline_asm has_side_effects "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}" %address, %c128 : (i32, i32) -> ()
  llvm.br ^begin
^begin:
  nvvm.barrier0
  %copies = llvm.icmp "slt" %tid, %c128 : i32
  llvm.cond_br %copies, ^load, ^mma
^load:
  llvm.cond_br %one, ^tma, ^store
^tma:
  %whole = llvm.ptrtoint %base : !llvm.ptr<3> to i64
  %tile = llvm.inttoptr %whole : i64 to !llvm.ptr<7>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %tile, %map, %bytes, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
  llvm.br ^store
^store:
  llvm.store %x, %theirs : vector<4xi32>, !llvm.ptr<3>
  llvm.inline_asm has_side_effects "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}" %address : (i32) -> ()
  llvm.br ^end
^mma:
  // expected-note @below {{waited for here}}
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r,~{memory}" %address, %slot : (i32, i32) -> ()
  %first = llvm.getelementptr %base[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %a = llvm.ptrtoint %first : !llvm.ptr<3> to i32
  %sixteenths = llvm.lshr %a, %c4 : i32
  %wide = llvm.zext %sixteenths : i32 to i64
  %descriptor = llvm.or %wide, %d : i64
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,l" %descriptor : (i64) -> f32
  %b = llvm.ptrtoint %theirs : !llvm.ptr<3> to i32
  %b_sixteenths = llvm.lshr %b, %c4 : i32
  %b_wide = llvm.zext %b_sixteenths : i32 to i64
  %written = llvm.or %b_wide, %d : i64
  // expected-error @below {{wgmma reads what others wrote through the generic proxy, without fence.proxy.async after the wait for it: PTX ISA, 'Async Proxy'}}
  %s = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $1, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,l,l" %descriptor, %written : (i64, i64) -> f32
  llvm.br ^end
^end:
  llvm.return
}
