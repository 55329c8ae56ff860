//===- Tcgen05.cpp - gemm by one thread into tensor memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread of the agent issues every instruction of a gemm; what it commits
// arrives on an mbarrier: the agent's own, on which everybody waits for the
// result, or one of a ring's, which makes a slot empty (Ring.cpp). Proxy fences
// before operands are read are Barriers.cpp's and Ring.cpp's.
// Source: PTX ISA 9.0, "tcgen05.mma", "tcgen05.commit", "tcgen05.fence".
//
//===----------------------------------------------------------------------===//
#include "Assembly.h"
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Layout/WgmmaOperand.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
class Tcgen05Gemm {
public:
  Tcgen05Gemm(KernelLowering &lowering, GemmOp gemm, MmaPlanAttr plan)
      : lowering(lowering), gemm(gemm),
        shape{plan.getM(), plan.getN(), plan.getK()} {}

  LogicalResult lower();

private:
  struct Operand {
    SharedBuffer buffer;
    WgmmaOperand descriptors;
    bool alongMn() const { return descriptors.descriptor.major == Major::MN; }
  };

  LogicalResult choose();
  LogicalResult bind(Value buffer, StringRef name, bool isA, bool transposed,
                     Operand &operand);
  Value descriptor(const Operand &operand);
  void issue(const TensorBuffer &accumulator);

  static Type elementOf(Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  }

  KernelLowering &lowering;
  GemmOp gemm;
  MmaShape shape;
  const Tcgen05InstructionInfo *info = nullptr;
  int64_t repeatsM = 0, repeatsN = 0, steps = 0;
  Operand a, b;
};
} // namespace

LogicalResult Tcgen05Gemm::choose() {
  auto typeA = getMmaOperandType(elementOf(gemm.getA()), gemm.getUnsignedA());
  auto typeB = getMmaOperandType(elementOf(gemm.getB()), gemm.getUnsignedB());
  auto typeC = getMmaAccumulatorType(elementOf(gemm.getC()));
  if (typeA && typeB && typeC)
    info = lowering.target.tcgen05Instruction(*typeA, *typeB, *typeC);
  if (!info || (shape.m != 64 && shape.m != 128) || !info->hasN(shape.n) ||
      shape.k != info->k)
    return gemm.emitOpError()
           << "expected a tcgen05 that " << lowering.target.arch
           << " has, got m" << shape.m << "n" << shape.n << "k" << shape.k
           << " of " << elementOf(gemm.getA()) << " x "
           << elementOf(gemm.getB()) << " into " << elementOf(gemm.getC());
  repeatsM = gemm.getM() / shape.m;
  repeatsN = gemm.getN() / shape.n;
  steps = gemm.getK() / shape.k;
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

LogicalResult Tcgen05Gemm::bind(Value buffer, StringRef name, bool isA,
                                bool transposed, Operand &operand) {
  if (!isShared(buffer))
    return gemm.emitOpError()
           << "expected operand " << name
           << " of tcgen05 in shared memory, got " << buffer.getType();
  FailureOr<SharedBuffer> shared = lowering.shared(buffer, gemm);
  if (failed(shared))
    return failure();
  unsigned mnDim = isA == transposed ? 1 : 0;
  WgmmaSplit split{mnDim,
                   1 - mnDim,
                   /*groups=*/1,
                   isA ? repeatsM : repeatsN,
                   isA ? shape.m : shape.n,
                   steps,
                   /*bytesAlongMn=*/true};
  auto descriptors = wgmmaOperand(shared->layout, split);
  if (!descriptors)
    return gemm.emitOpError()
           << "expected operand " << name
           << " in a layout that tcgen05 reads: " << descriptors.reason();
  operand.buffer = *shared;
  operand.descriptors = *descriptors;
  if (operand.alongMn() && !info->transposes())
    return gemm.emitOpError()
           << "expected operand " << name << " contiguous along k, as tcgen05 "
           << "of " << elementOf(buffer) << " needs";
  return success();
}

/// The first piece's descriptor (i64); others add to its lowest field.
Value Tcgen05Gemm::descriptor(const Operand &operand) {
  auto &b = lowering.builder;
  Value address =
      LLVM::PtrToIntOp::create(b, b.getI32Type(), operand.buffer.base);
  // Address bits 4 to 17 are the descriptor's lowest field.
  Value field = b.createOrFold<arith::ShRUIOp>(address, lowering.i32(4));
  field = b.createOrFold<arith::AndIOp>(field, lowering.i32(0x3fff));
  return b.createOrFold<arith::OrIOp>(
      lowering.toI64(field),
      lowering.i64(static_cast<int64_t>(
          operand.descriptors.descriptor.encodeTcgen05())));
}

void Tcgen05Gemm::issue(const TensorBuffer &accumulator) {
  Assembly assembly(lowering);
  uint32_t instruction =
      info->descriptor(shape.m, shape.n, a.alongMn(), b.alongMn());
  std::string base = assembly.input(lowering.tensorMemory.base, "r");
  std::string baseA = assembly.input(descriptor(a), "l");
  std::string baseB = assembly.input(descriptor(b), "l");
  assembly.line(".reg .pred yes, old;");
  assembly.line(".reg .b32 id, d;");
  assembly.line(".reg .b64 da, db;");
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
        add("s64", "da", baseA, a.descriptors.offsets[i * steps + k] / 16);
        add("s64", "db", baseB, b.descriptors.offsets[j * steps + k] / 16);
        assembly.line("tcgen05.mma.cta_group::1.kind::" + info->kind.str() +
                      " [d], da, db, id, " + (k == 0 ? "old;" : "yes;"));
      }
    }
  assembly.emit();
}

LogicalResult Tcgen05Gemm::lower() {
  if (failed(choose()) ||
      failed(bind(gemm.getA(), "A", /*isA=*/true, gemm.getTransposeA(), a)) ||
      failed(bind(gemm.getB(), "B", /*isA=*/false, gemm.getTransposeB(), b)))
    return failure();
  FailureOr<TensorBuffer> accumulator =
      tensorBuffer(lowering, gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  onOneThread(lowering, lowering.elected(), [&] { issue(*accumulator); });
  if (accumulator->holds)
    LLVM::StoreOp::create(lowering.builder, lowering.i32(1),
                          accumulator->holds);
  if (!gemm.isAsync())
    emitTcgen05Wait(lowering);
  return success();
}

LogicalResult tile::nvvm::lowerTcgen05(KernelLowering &lowering, GemmOp gemm,
                                       MmaPlanAttr plan) {
  return Tcgen05Gemm(lowering, gemm, plan).lower();
}

void tile::nvvm::emitTcgen05Commit(KernelLowering &lowering, Value mbarrier,
                                   int64_t peers) {
  std::string text = "tcgen05.commit.cta_group::1.mbarrier::arrive::one."
                     "shared::cluster";
  SmallVector<Value> operands = {mbarrier};
  if (peers == 1) {
    lowering.inlineAsm(TypeRange(), text + ".b64 [$0];", "r,~{memory}",
                       operands);
    return;
  }
  operands.push_back(arith::ConstantIntOp::create(
      lowering.builder, lowering.builder.getI16Type(), (1 << peers) - 1));
  lowering.inlineAsm(TypeRange(), text + ".multicast::cluster.b64 [$0], $1;",
                     "r,h,~{memory}", operands);
}

void tile::nvvm::emitTcgen05Wait(KernelLowering &lowering) {
  auto &b = lowering.builder;
  TensorMemory &memory = lowering.tensorMemory;
  int64_t agent = lowering.agent.barrier;
  Value barrier = LLVM::GEPOp::create(
      b, memory.barriers.getType(), b.getI8Type(), memory.barriers,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(agent * kMbarrierBytes)});
  onOneThread(lowering, lowering.elected(), [&] {
    emitTcgen05Commit(lowering,
                      LLVM::PtrToIntOp::create(b, b.getI32Type(), barrier));
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
