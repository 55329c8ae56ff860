//===- Tcgen05.cpp - gemm by one thread into tensor memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of the agent issues every instruction of a gemm; what it commits
// arrives on an mbarrier: the agent's own, on which everybody waits for the
// result, or one of a ring's, which makes a slot empty (Ring.cpp). Proxy fences
// before operands are read are BarrierPlacement.cpp's and Ring.cpp's.
// Source: PTX ISA 9.0, "tcgen05.mma", "tcgen05.commit", "tcgen05.fence".
//
//===----------------------------------------------------------------------===//
#include "Assembly.h"
#include "Gemm/DescriptorOperand.h"
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class Tcgen05Gemm {
public:
  Tcgen05Gemm(KernelLowering &lowering, GemmOp gemm, MmaPlanAttr plan)
      : lowering(lowering), gemm(gemm),
        shape{plan.getM(), plan.getN(), plan.getK()},
        blocks(plan.getPair() ? 2 : 1) {}

  LogicalResult lower();

private:
  LogicalResult choose();
  FailureOr<DescriptorOperand> bind(bool isA);
  Value descriptor(const DescriptorOperand &operand);
  void issue(const TensorBuffer &accumulator);

  KernelLowering &lowering;
  GemmOp gemm;
  MmaShape shape;
  int64_t blocks; // that one instruction multiplies for
  const Tcgen05InstructionInfo *info = nullptr;
  int64_t repeatsM = 0, repeatsN = 0, steps = 0;
  DescriptorOperand a, b;
};
} // namespace

LogicalResult Tcgen05Gemm::choose() {
  info = instructionOf(lowering, gemm, &TargetInfo::tcgen05Instruction);
  if (!info || (shape.m != 64 && shape.m != 128) || !info->hasN(shape.n) ||
      shape.k != info->k)
    return refuseInstruction(lowering, gemm, "tcgen05", shape);
  repeatsM = gemm.getM() / shape.m;
  repeatsN = gemm.getN() / shape.n;
  steps = gemm.getK() / shape.k;
  // Halves of B's columns lie in two blocks: there is one piece of them.
  if (blocks == 2 && (shape.m != 128 || repeatsN != 1 || shape.n % 32 != 0))
    return gemm.emitOpError()
           << "expected M of a multiple of 128 and N of one instruction, a "
              "multiple of 32, for tcgen05 by a pair of blocks, got "
           << gemm.getM() << " and " << gemm.getN();
  // Rows of 64 leave half of the lanes empty: there is no second block of them.
  if (repeatsM * shape.m != gemm.getM() || repeatsN * shape.n != gemm.getN() ||
      steps * shape.k != gemm.getK() || (shape.m == 64 && repeatsM != 1))
    return gemm.emitOpError()
           << "expected M of 64 or a multiple of 128, N and K multiples of "
           << shape.n << " and " << shape.k << " for tcgen05, got "
           << gemm.getM() << ", " << gemm.getN() << ", " << gemm.getK();
  if (!isTensorMemory(gemm.getC()))
    return gemm.emitOpError() << "expected C in tensor memory: run "
                                 "--tile-place-accumulators";
  return success();
}

FailureOr<DescriptorOperand> Tcgen05Gemm::bind(bool isA) {
  unsigned mnDim =
      isA == (isA ? gemm.getTransposeA() : gemm.getTransposeB()) ? 1 : 0;
  WgmmaSplit split{mnDim,
                   1 - mnDim,
                   /*groups=*/1,
                   isA ? repeatsM : repeatsN,
                   isA ? shape.m : shape.n / blocks,
                   steps,
                   /*bytesAlongMn=*/true};
  return bindDescriptors(lowering, gemm, isA, "tcgen05", split,
                         info->transposes());
}

/// The first piece's descriptor (i64); others add to its lowest field.
Value Tcgen05Gemm::descriptor(const DescriptorOperand &operand) {
  auto &b = lowering.builder;
  return descriptorAt(
      lowering,
      LLVM::PtrToIntOp::create(b, b.getI32Type(), operand.buffer.base),
      operand.descriptors.descriptor.encodeTcgen05());
}

void Tcgen05Gemm::issue(const TensorBuffer &accumulator) {
  Assembly assembly(lowering);
  uint32_t instruction =
      info->descriptor(blocks * shape.m, shape.n, a.alongMn(), b.alongMn());
  std::string base = assembly.input(
      lowering.add(lowering.tensorMemory.base, accumulator.slot), "r");
  bool fromTensor = isFragment(gemm.getA());
  std::string baseA = fromTensor
                          ? assembly.input(lowering.tensorMemory.base, "r")
                          : assembly.input(descriptor(a), "l");
  std::string baseB = assembly.input(descriptor(b), "l");
  assembly.line(".reg .pred yes, old;");
  assembly.line(".reg .b32 id, d;");
  assembly.line(fromTensor ? ".reg .b32 da;" : ".reg .b64 da;");
  assembly.line(".reg .b64 db;");
  assembly.line("mov.b32 id, " + std::to_string(instruction) + ";");
  assembly.line("setp.ne.b32 yes, id, 0;");
  // Whether the first product adds to what tensor memory holds.
  if (gemm.getClear())
    assembly.line("setp.eq.b32 old, id, 0;");
  else if (accumulator.holds)
    assembly.line(
        "setp.ne.b32 old, " +
        assembly.input(LLVM::LoadOp::create(lowering.builder,
                                            lowering.builder.getI32Type(),
                                            accumulator.holds),
                       "r") +
        ", 0;");
  else
    assembly.line("setp.ne.b32 old, id, 0;");
  // What other threads did with the accumulator, up to the barrier at which
  // this one learned of it, comes first.
  assembly.line("tcgen05.fence::after_thread_sync;");
  auto add = [&](const std::string &type, const std::string &to,
                 const std::string &from, int64_t value) {
    assembly.line("add." + type + " " + to + ", " + from + ", " +
                  std::to_string(value) + ";");
  };
  for (int64_t i = 0; i < repeatsM; ++i)
    for (int64_t j = 0; j < repeatsN; ++j) {
      add("u32", "d", base, accumulator.column + i * gemm.getN() + j * shape.n);
      for (int64_t k = 0; k < steps; ++k) {
        // Descriptors count in units of 16 bytes.
        // A row's words of 32 bits: a step of k is 256 bits.
        if (fromTensor)
          add("u32", "da", baseA,
              lowering.tensorOperands[gemm].column +
                  (i * steps + k) * (256 / 32));
        else
          add("s64", "da", baseA, a.descriptors.offsets[i * steps + k] / 16);
        add("s64", "db", baseB, b.descriptors.offsets[j * steps + k] / 16);
        assembly.line(ptx::kTcgen05Mma.str() + "cta_group::" +
                      std::to_string(blocks) + ".kind::" + info->kind.str() +
                      " [d], " + (fromTensor ? "[da]" : "da") + ", db, id, " +
                      (k == 0 ? "old;" : "yes;"));
      }
    }
  assembly.emit();
}

LogicalResult Tcgen05Gemm::lower() {
  if (failed(choose()))
    return failure();
  for (bool isA : {true, false}) {
    if (isA && isFragment(gemm.getA()))
      continue; // its lanes and columns need no descriptor
    FailureOr<DescriptorOperand> bound = bind(isA);
    if (failed(bound))
      return failure();
    (isA ? a : b) = std::move(*bound);
  }
  FailureOr<TensorBuffer> accumulator =
      tensorBuffer(lowering, gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  if (isFragment(gemm.getA()) && failed(storeOperand(lowering, gemm)))
    return failure();
  onIssuer(lowering, [&] { issue(*accumulator); });
  if (accumulator->holds)
    LLVM::StoreOp::create(lowering.builder, lowering.i32(1),
                          accumulator->holds);
  // What a ring's slot holds is complete when the slot is full.
  if (!gemm.isAsync() && !accumulator->slot)
    emitTcgen05Wait(lowering);
  return success();
}

LogicalResult tile::nvvm::lowerTcgen05(KernelLowering &lowering, GemmOp gemm,
                                       MmaPlanAttr plan) {
  return Tcgen05Gemm(lowering, gemm, plan).lower();
}

void tile::nvvm::emitTcgen05Commit(KernelLowering &lowering, Value mbarrier,
                                   int64_t peers, Value blocks) {
  std::string text = ptx::kTcgen05Commit.str() + ".cta_group::" +
                     (lowering.tensorMemory.isPair ? "2" : "1") +
                     ".mbarrier::arrive::one.shared::cluster";
  SmallVector<Value> operands = {mbarrier};
  if (peers == 1) {
    lowering.inlineAsm(TypeRange(), text + ".b64 [$0];", "r,~{memory}",
                       operands);
    return;
  }
  auto &b = lowering.builder;
  operands.push_back(
      blocks ? b.createOrFold<arith::TruncIOp>(b.getI16Type(), blocks)
             : arith::ConstantIntOp::create(b, b.getI16Type(), (1 << peers) - 1)
                   .getResult());
  lowering.inlineAsm(TypeRange(), text + ".multicast::cluster.b64 [$0], $1;",
                     "r,h,~{memory}", operands);
}

namespace {
/// What the agent did, in emitted code, since it last waited for its gemms.
struct SinceLastWait {
  /// It issued gemms, maybe.
  bool issued = false;
  /// All its threads have met: none still looks at the mbarrier.
  bool met = false;
};
} // namespace

static bool issuesGemm(Operation *op) {
  return op
      ->walk([](LLVM::InlineAsmOp assembly) {
        return assembly.getAsmString().contains(ptx::kTcgen05Mma)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A barrier of the agent's threads, or of the block's.
static bool isBarrierOf(Operation *op, const Agent &agent) {
  if (isa<NVVM::Barrier0Op>(op))
    return true;
  auto barrier = dyn_cast<NVVM::BarrierOp>(op);
  IntegerAttr id;
  return barrier && barrier.getBarrierId() &&
         matchPattern(barrier.getBarrierId(), m_Constant(&id)) &&
         id.getInt() == agent.barrier;
}

/// Looks back from where code is emitted. `parity` is what each wait stores to.
static SinceLastWait lookBack(KernelLowering &lowering, Value parity) {
  SinceLastWait found;
  auto waits = [&](Operation *op) {
    return llvm::any_of(parity.getUsers(), [&](Operation *user) {
      auto store = dyn_cast<LLVM::StoreOp>(user);
      return store && !matchPattern(store.getValue(), m_Zero()) &&
             op->isAncestor(user);
    });
  };
  Block *block = lowering.builder.getInsertionBlock();
  auto at = lowering.builder.getInsertionPoint();
  while (true) {
    while (at != block->begin()) {
      Operation *op = &*--at;
      found.issued |= issuesGemm(op);
      if (isBarrierOf(op, lowering.agent))
        found.met = true;
      if (waits(op)) {
        // In a branch or a loop, which may not have run.
        found.issued |= op->getNumRegions() != 0;
        return found;
      }
    }
    Operation *parent = block->getParentOp();
    found.issued = true;
    if (found.met || isa<LoopLikeOpInterface>(parent))
      return found; // an earlier iteration waited last, maybe
    if (block == lowering.entry || isa<LLVM::LLVMFuncOp>(parent)) {
      found.met = true; // the first wait of all
      return found;
    }
    block = parent->getBlock();
    at = parent->getIterator();
  }
}

void tile::nvvm::emitTcgen05Wait(KernelLowering &lowering) {
  auto &b = lowering.builder;
  TensorMemory &memory = lowering.tensorMemory;
  int64_t agent = lowering.agent.barrier;
  SinceLastWait since = lookBack(lowering, memory.parities[agent]);
  // A commit covers all gemms before it.
  if (!since.issued)
    return;
  // The next phase of the mbarrier may complete at once. A thread that has not
  // seen this one by then would wait for the phase after it: for ever.
  if (!since.met) {
    if (memory.isPair && agent == 0)
      lowering.clusterBarrier();
    else
      lowering.barrier();
  }
  Value barrier = LLVM::GEPOp::create(
      b, memory.barriers.getType(), b.getI8Type(), memory.barriers,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(agent * kMbarrierBytes)});
  onIssuer(lowering, [&] {
    emitTcgen05Commit(lowering,
                      LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier),
                      memory.isPair ? 2 : 1);
  });
  Value parity =
      LLVM::LoadOp::create(b, b.getI32Type(), memory.parities[agent]);
  waitParity(lowering, barrier, parity);
  LLVM::StoreOp::create(b,
                        b.createOrFold<arith::XOrIOp>(parity, lowering.i32(1)),
                        memory.parities[agent]);
  emitTcgen05Fence(lowering, /*before=*/false);
}

void tile::nvvm::emitTcgen05Fence(KernelLowering &lowering, bool before) {
  lowering.inlineAsm(TypeRange(),
                     before ? "tcgen05.fence::before_thread_sync;"
                            : "tcgen05.fence::after_thread_sync;",
                     "~{memory}", ValueRange());
}
