// What NVVM's verifier and ptxas let through: one fault each, and the right form
// beside it.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-verify-nvvm=arch=sm_90a -o /dev/null

// An accumulator is read between issue and wait, through the array that a
// fragment is before optimization.
llvm.func @accumulator_in_flight(%d: i64, %out: !llvm.ptr<1>) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %array = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %c = llvm.load %array : !llvm.ptr -> f32
  // expected-note @below {{in flight since here}}
  %r = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,0,l" %c, %d : (f32, i64) -> f32
  llvm.store %r, %array : f32, !llvm.ptr
  %early = llvm.load %array : !llvm.ptr -> f32
  // expected-error @below {{an accumulator is used before wgmma.wait_group: PTX ISA, 'Asynchronous Warpgroup Level Matrix Instructions: wgmma.wait_group'}}
  %twice = llvm.fadd %early, %early : f32
  %w = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0" %early : (f32) -> f32
  llvm.store %w, %array : f32, !llvm.ptr
  %late = llvm.load %array : !llvm.ptr -> f32
  %sum = llvm.fadd %late, %twice : f32
  llvm.store %sum, %out : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// Groups in flight across a back edge, ended behind the loop: nothing else
// touches the accumulator.
llvm.func @accumulator_across_loop(%d: i64, %n: i32, %out: !llvm.ptr<1>) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %array = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %c = llvm.load %array : !llvm.ptr -> f32
  %r = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,0,l" %c, %d : (f32, i64) -> f32
  llvm.store %r, %array : f32, !llvm.ptr
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next : i32)
^end:
  %p = llvm.load %array : !llvm.ptr -> f32
  %w = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0" %p : (f32) -> f32
  llvm.store %w, %array : f32, !llvm.ptr
  %late = llvm.load %array : !llvm.ptr -> f32
  llvm.store %late, %out : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// The wait stands before the loop only: what the loop issues is read behind it.
llvm.func @accumulator_after_loop(%d: i64, %n: i32, %out: !llvm.ptr<1>) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %array = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %c = llvm.load %array : !llvm.ptr -> f32
  // expected-note @below {{in flight since here}}
  %r = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;", "=f,0,l" %c, %d : (f32, i64) -> f32
  llvm.store %r, %array : f32, !llvm.ptr
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next : i32)
^end:
  %late = llvm.load %array : !llvm.ptr -> f32
  // expected-error @below {{an accumulator is used before wgmma.wait_group}}
  %half = llvm.fptrunc %late : f32 to f16
  llvm.store %half, %out : f16, !llvm.ptr<1>
  llvm.return
}

// -----

// The parity does not change with the iterations, nor does the barrier.
llvm.func @constant_parity(%barrier: i32, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  // expected-error @below {{every iteration waits for the same phase of the same mbarrier: PTX ISA, 'mbarrier.test_wait, mbarrier.try_wait'}}
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r" %barrier, %zero : (i32, i32) -> ()
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next : i32)
^end:
  llvm.return
}

// -----

llvm.func @parity_of_iteration(%barrier: i32, %n: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r" %barrier, %one : (i32, i32) -> ()
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^body, ^end
^body:
  %parity = llvm.and %i, %one : i32
  llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; @!done bra again; }", "r,r" %barrier, %parity : (i32, i32) -> ()
  %next = llvm.add %i, %one : i32
  llvm.br ^head(%next : i32)
^end:
  llvm.return
}

// -----

// A role's warps are no elected thread.
llvm.func @every_thread_issues(%map: !llvm.ptr, %slot: i32, %barrier: i32, %x: i32) {
  %five = llvm.mlir.constant(5 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %warp = llvm.lshr %tid, %five : i32
  %loads = llvm.icmp "ult" %warp, %four : i32
  llvm.cond_br %loads, ^load, ^end
^load:
  // expected-error @below {{every thread issues this bulk copy: PTX ISA, 'cp.async.bulk'}}
  llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$3, $3}], [$2];", "r,l,r,r" %slot, %map, %barrier, %x : (i32, !llvm.ptr, i32, i32) -> ()
  llvm.br ^end
^end:
  llvm.inline_asm has_side_effects "cp.async.bulk.commit_group;", "~{memory}" : () -> ()
  llvm.inline_asm has_side_effects "cp.async.bulk.wait_group.read 0;", "~{memory}" : () -> ()
  llvm.return
}

// -----

// One thread of the role, or the one that an election finds.
llvm.func @one_thread_issues(%map: !llvm.ptr, %slot: i32, %barrier: i32, %x: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %first = llvm.mlir.constant(128 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %own = llvm.sub %tid, %first : i32
  %elected = llvm.icmp "eq" %own, %zero : i32
  llvm.cond_br %elected, ^load, ^end
^load:
  llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$3, $3}], [$2];", "r,l,r,r" %slot, %map, %barrier, %x : (i32, !llvm.ptr, i32, i32) -> ()
  llvm.br ^end
^end:
  %one = nvvm.elect.sync -> i1
  llvm.cond_br %one, ^store, ^done
^store:
  llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$2, $2}], [$1];", "l,r,r" %map, %slot, %x : (!llvm.ptr, i32, i32) -> ()
  llvm.br ^done
^done:
  llvm.return
}

// -----

// Threads fill shared memory, and wgmma reads it without a fence.
llvm.func @no_proxy_fence(%p: !llvm.ptr<3>, %v: f32, %c: f32, %d: i64) {
  llvm.store %v, %p : f32, !llvm.ptr<3>
  nvvm.barrier0
  // expected-error @below {{wgmma follows generic writes of shared memory without fence.proxy.async: PTX ISA, 'Async Proxy'}}
  %r = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,0,l" %c, %d : (f32, i64) -> f32
  llvm.return
}

// -----

llvm.func @proxy_fence(%p: !llvm.ptr<3>, %v: f32, %c: f32, %d: i64) {
  llvm.store %v, %p : f32, !llvm.ptr<3>
  llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}" : () -> ()
  nvvm.barrier0
  %r = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0}, $2, $2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "=f,0,l" %c, %d : (f32, i64) -> f32
  llvm.return
}

// -----

// One thread of each of two groups of warps issues the copy of its group.
llvm.func @thread_of_each_group(%map: !llvm.ptr, %slot: i32, %barrier: i32, %x: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %threads = llvm.mlir.constant(128 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %own = llvm.urem %tid, %threads : i32
  %first = llvm.icmp "eq" %own, %zero : i32
  llvm.cond_br %first, ^issue, ^end
^issue:
  llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$3, $3}], [$2];", "r,l,r,r" %slot, %map, %barrier, %x : (i32, !llvm.ptr, i32, i32) -> ()
  llvm.br ^end
^end:
  llvm.return
}

// -----

// No branch at all.
llvm.func @straight_line(%map: !llvm.ptr, %slot: !llvm.ptr<7>, %barrier: !llvm.ptr<3>, %x: i32) {
  // expected-error @below {{every thread issues this bulk copy}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %slot, %map, %barrier, box[%x] : !llvm.ptr<7>, !llvm.ptr
  llvm.return
}
