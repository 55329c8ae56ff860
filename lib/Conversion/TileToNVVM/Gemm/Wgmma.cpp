//===- Wgmma.cpp - gemm by warpgroup instructions -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gemm becomes one piece of inline PTX: the fence, every instruction, and the
// commit (and the wait of a gemm without token). Its accumulators are scalars,
// tied in and out, so nothing can come between that touches them. Waiting for
// a token is emitWgmmaWait's, called where tokens are awaited; proxy fences
// before operands are read are BarrierPlacement.cpp's and Ring.cpp's. The same
// with a sparse A, by wgmma.mma_async.sp, whose metadata is in registers. Where
// the plan swaps operands, M, N, A and B are here those of C^T = B^T A^T, and
// `gemm` has the program's.
//
//===----------------------------------------------------------------------===//
#include "Wgmma.h"
#include "Assembly.h"
#include "DescriptorOperand.h"
#include "RegisterMap.h"
#include "SparseOperand.h"
#include "Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

namespace {
/// How the instructions get an operand: a descriptor in a 64-bit register (plus
/// what each adds), or words in registers.
struct Operand {
  bool isShared = true, isTransposed = false;
  WgmmaOperand descriptors;
  Value base;                            // i64
  SmallVector<SmallVector<Value>> words; // [repeat * steps + step]
};

class WgmmaGemm {
public:
  WgmmaGemm(KernelLowering &lowering, GemmOp gemm, MmaPlanAttr plan)
      : lowering(lowering), gemm(gemm), swapped(plan.getSwapped()),
        m(swapped ? gemm.getN() : gemm.getM()),
        n(swapped ? gemm.getM() : gemm.getN()),
        shape{plan.getM(), plan.getN(), plan.getK()},
        warps{plan.getWarpsM(), plan.getWarpsN()},
        groups{warps.m / kWarpsPerGroup, warps.n} {}

  LogicalResult lower();

private:
  LogicalResult choose();
  LogicalResult bindAccumulator();
  /// Operand A or B of the instructions.
  LogicalResult bindShared(bool isA, Operand &operand);
  LogicalResult bindRegisters(Operand &operand);
  Value groupIndex(bool alongM);
  /// Steps [first, end) of k. Takes and gives the accumulators' words; without
  /// any the products start from zero.
  SmallVector<Value> multiply(int64_t first, int64_t end,
                              ArrayRef<Value> accumulators, bool wait);
  /// `sparsity`: the metadata and the selector, with a comma; empty without.
  std::string instruction(const std::string &accumulators, const std::string &a,
                          const std::string &b, const std::string &sparsity,
                          const std::string &accumulates);

  KernelLowering &lowering;
  GemmOp gemm;
  bool swapped;
  int64_t m, n; // of the product that the instructions compute
  MmaShape shape;
  WarpGrid warps, groups;
  const WgmmaInstructionInfo *info = nullptr;
  int64_t repeatsM = 0, repeatsN = 0, steps = 0;
  Operand a, b;
  SparseOperand metadata; // of a sparse A
  std::optional<Words> accumulator;
  SmallVector<int64_t> cRegisters; // first register of each word of C
};

} // namespace

LogicalResult WgmmaGemm::choose() {
  info = instructionOf(lowering, gemm,
                       gemm.isSparse() ? &TargetInfo::sparseWgmmaInstruction
                                       : &TargetInfo::wgmmaInstruction,
                       swapped);
  if (!info || shape.m != kWgmmaM || !info->hasN(shape.n) || shape.k != info->k)
    return refuseInstruction(lowering, gemm, "wgmma", shape);
  if (warps.m % kWarpsPerGroup != 0 ||
      warps.m * warps.n != lowering.agent.warps)
    return gemm.emitOpError()
           << "expected warps in groups of 4 along m that multiply to "
           << lowering.agent.warps << ", got " << warps.m << " x " << warps.n;
  repeatsM = m / (groups.m * shape.m);
  repeatsN = n / (groups.n * shape.n);
  steps = gemm.getK() / shape.k;
  if (repeatsM * groups.m * shape.m != m ||
      repeatsN * groups.n * shape.n != n || steps * shape.k != gemm.getK())
    return gemm.emitOpError()
           << "expected " << (swapped ? "N, M, K" : "M, N, K")
           << " to be multiples of " << groups.m * shape.m << ", "
           << groups.n * shape.n << ", " << shape.k << " for wgmma, got " << m
           << ", " << n << ", " << gemm.getK();
  return success();
}

LogicalResult WgmmaGemm::bindAccumulator() {
  FailureOr<FragmentBuffer> buffer = lowering.fragment(gemm.getC(), gemm);
  if (failed(buffer))
    return failure();
  Type type = elementTypeOf(gemm.getC());
  auto part = wgmmaFragment(shape, MmaOperand::C, type.getIntOrFloatBitWidth());
  if (!part)
    return gemm.emitOpError() << part.reason();
  auto expected = tileMmaFragment(*part, MmaOperand::C, {m, n}, warps);
  if (!expected)
    return gemm.emitOpError() << expected.reason();
  // The instructions' rows are columns of the buffer, where swapped.
  SmallVector<unsigned> dims = {0, 1};
  if (swapped)
    std::swap(dims[0], dims[1]);
  if (!sameThreads(*expected, buffer->layout, dims))
    return gemm.emitOpError() << "expected C in the accumulator layout of its "
                                 "instruction: run --tile-infer-layouts";
  accumulator.emplace(lowering, *buffer, type);
  RegisterMap map(buffer->layout);
  int64_t perWord = accumulator->perWord();
  for (int64_t i = 0; i < repeatsM; ++i)
    for (int64_t j = 0; j < repeatsN; ++j)
      for (int64_t r = 0; r < part->numRegisters(); r += perWord)
        for (int64_t e = 0; e < perWord; ++e) {
          SmallVector<int64_t> at =
              part->axisCoordinates(Axis::Register, r + e);
          at[0] += i * shape.m;
          at[1] += j * shape.n;
          if (swapped)
            std::swap(at[0], at[1]);
          int64_t reg = map(at);
          if (reg < 0 || (e > 0 && reg != cRegisters.back() + e))
            return gemm.emitOpError() << "expected C to hold the result in the "
                                         "order of its instruction";
          if (e == 0)
            cRegisters.push_back(reg);
        }
  return success();
}

/// The number of this warpgroup along m or n; null where there is one only.
Value WgmmaGemm::groupIndex(bool alongM) {
  auto &builder = lowering.builder;
  if ((alongM ? groups.m : groups.n) == 1)
    return {};
  Value warp = lowering.uniformWarpId();
  // Warp number = warp along m + warps.m * (warp along n).
  if (!alongM)
    return builder.createOrFold<arith::DivUIOp>(warp, lowering.i32(warps.m));
  Value group =
      builder.createOrFold<arith::DivUIOp>(warp, lowering.i32(kWarpsPerGroup));
  return groups.n == 1 ? group
                       : builder.createOrFold<arith::RemUIOp>(
                             group, lowering.i32(groups.m));
}

LogicalResult WgmmaGemm::bindShared(bool isA, Operand &operand) {
  bool ofA = isA != swapped; // the gemm's A
  unsigned mnDim =
      ofA == (ofA ? gemm.getTransposeA() : gemm.getTransposeB()) ? 1 : 0;
  WgmmaSplit split{mnDim,
                   1 - mnDim,
                   isA ? groups.m : groups.n,
                   isA ? repeatsM : repeatsN,
                   isA ? shape.m : shape.n,
                   steps};
  if (!isA && info->isSparse)
    split.stepBits = 2 * kDescriptorBits;
  FailureOr<DescriptorOperand> bound =
      bindDescriptors(lowering, gemm, ofA, "wgmma", split, info->transposes());
  if (failed(bound))
    return failure();
  operand.descriptors = bound->descriptors;
  operand.isTransposed = bound->alongMn();
  auto &builder = lowering.builder;
  Value address = LLVM::PtrToIntOp::create(builder, builder.getI32Type(),
                                           bound->buffer.base);
  if (Value group = groupIndex(isA))
    address = lowering.add(
        address, lowering.mulConst(group, operand.descriptors.bytesPerGroup));
  operand.base =
      descriptorAt(lowering, address, operand.descriptors.descriptor.encode());
  return success();
}

/// A in registers: words of 32 bits along k.
LogicalResult WgmmaGemm::bindRegisters(Operand &operand) {
  operand.isShared = false;
  Value buffer = gemm.getA();
  FailureOr<FragmentBuffer> held = lowering.fragment(buffer, gemm);
  if (failed(held))
    return failure();
  Type type = elementTypeOf(buffer);
  int64_t columns = info->kOfA();
  auto part = wgmmaFragment({shape.m, shape.n, columns}, MmaOperand::A,
                            type.getIntOrFloatBitWidth());
  if (!part)
    return gemm.emitOpError() << part.reason();
  auto expected = tileMmaFragment(*part, MmaOperand::A,
                                  {gemm.getM(), steps * columns}, warps);
  if (!expected)
    return gemm.emitOpError() << expected.reason();
  bool transposed = gemm.getTransposeA();
  SmallVector<unsigned> dims = {0, 1};
  if (transposed)
    std::swap(dims[0], dims[1]);
  if (!sameThreads(*expected, held->layout, dims))
    return gemm.emitOpError() << "expected operand A in the fragment layout of "
                                 "its instruction: run --tile-infer-layouts";
  auto &builder = lowering.builder;
  RegisterMap map(held->layout);
  Words words(lowering, *held, type);
  for (int64_t i = 0; i < repeatsM; ++i)
    for (int64_t k = 0; k < steps; ++k) {
      SmallVector<Value> &out = operand.words.emplace_back();
      for (int64_t r = 0; r < part->numRegisters(); r += words.perWord()) {
        int64_t firstReg = -1;
        for (int64_t e = 0; e < words.perWord(); ++e) {
          SmallVector<int64_t> at =
              part->axisCoordinates(Axis::Register, r + e);
          at[0] += i * shape.m;
          at[1] += k * columns;
          if (transposed)
            std::swap(at[0], at[1]);
          int64_t reg = map(at);
          if (reg < 0 || (e > 0 && reg != firstReg + e))
            return gemm.emitOpError() << "expected operand A to hold elements "
                                         "in the order of its instruction";
          if (e == 0)
            firstReg = reg;
        }
        Value word = words.load(firstReg);
        // The instruction drops the low bits of an f32: round first.
        if (type.isF32())
          word = lowering.roundToTf32(word);
        out.push_back(word);
      }
    }
  return success();
}

std::string WgmmaGemm::instruction(const std::string &accumulators,
                                   const std::string &operandA,
                                   const std::string &operandB,
                                   const std::string &sparsity,
                                   const std::string &accumulates) {
  std::string text = ptx::kWgmmaMma.str() + (info->isSparse ? ".sp" : "") +
                     ".sync.aligned.m64n" + std::to_string(shape.n) + "k" +
                     std::to_string(shape.k) + "." +
                     stringify(info->accumulator).str() + "." +
                     stringify(info->a).str() + "." + stringify(info->b).str();
  text += " {" + accumulators + "}, " + operandA + ", " + operandB + ", " +
          sparsity + accumulates;
  if (!info->isInteger())
    text += ", 1, 1";
  if (info->transposes()) {
    if (a.isShared)
      text += a.isTransposed ? ", 1" : ", 0";
    text += b.isTransposed ? ", 1" : ", 0";
  }
  return text + ";";
}

SmallVector<Value> WgmmaGemm::multiply(int64_t first, int64_t end,
                                       ArrayRef<Value> accumulators,
                                       bool wait) {
  Assembly assembly(lowering);
  SmallVector<std::string> names;
  for (size_t i = 0; i < cRegisters.size(); ++i)
    names.push_back(
        assembly.result(accumulator->type(), accumulator->constraint()));
  for (auto [i, value] : llvm::enumerate(accumulators))
    assembly.input(value, std::to_string(i));
  assembly.line(".reg .b64 da, db;");
  // What the first step adds to: C, or zero where a flag says so.
  std::string start = "1";
  if (Value flag = gemm.getAccumulate()) {
    auto &builder = lowering.builder;
    std::string word = assembly.input(
        arith::ExtUIOp::create(builder, builder.getI32Type(), flag), "r");
    assembly.line(".reg .pred keep;");
    assembly.line("setp.ne.b32 keep, " + word + ", 0;");
    start = "keep";
  }
  assembly.line("wgmma.fence.sync.aligned;");
  std::string baseA = a.isShared ? assembly.input(a.base, "l") : "";
  std::string baseB = assembly.input(b.base, "l");
  // Descriptors count in units of 16 bytes.
  auto descriptor = [&](const std::string &temporary, const std::string &base,
                        int64_t bytes) {
    if (bytes == 0)
      return base;
    assembly.line("add.s64 " + temporary + ", " + base + ", " +
                  std::to_string(bytes / 16) + ";");
    return temporary;
  };
  int64_t perInstruction = int64_t(names.size()) / (repeatsM * repeatsN);
  for (int64_t k = first; k < end; ++k)
    for (int64_t i = 0; i < repeatsM; ++i) {
      std::string operandA;
      if (a.isShared) {
        operandA =
            descriptor("da", baseA, a.descriptors.offsets[i * steps + k]);
      } else {
        SmallVector<std::string> words;
        for (Value word : a.words[i * steps + k])
          words.push_back(assembly.input(word, "r"));
        operandA = "{" + llvm::join(words, ", ") + "}";
      }
      std::string sparsity;
      if (gemm.isSparse())
        sparsity = assembly.input(metadata.words[i * steps + k], "r") + ", " +
                   std::to_string(metadata.selector(k)) + ", ";
      for (int64_t j = 0; j < repeatsN; ++j) {
        std::string operandB =
            descriptor("db", baseB, b.descriptors.offsets[j * steps + k]);
        auto own = ArrayRef<std::string>(names).slice(
            (i * repeatsN + j) * perInstruction, perInstruction);
        std::string accumulates = k != first             ? "1"
                                  : accumulators.empty() ? "0"
                                                         : start;
        assembly.line(instruction(llvm::join(own, ", "), operandA, operandB,
                                  sparsity, accumulates));
      }
    }
  assembly.line("wgmma.commit_group.sync.aligned;");
  if (wait)
    assembly.line(ptx::kWgmmaWaitForAll.str());
  return assembly.emit();
}

LogicalResult WgmmaGemm::lower() {
  if (failed(choose()) || failed(bindAccumulator()) ||
      failed(bindShared(/*isA=*/false, b)))
    return failure();
  if (failed(swapped || isShared(gemm.getA()) ? bindShared(/*isA=*/true, a)
                                              : bindRegisters(a)))
    return failure();
  if (gemm.isSparse() &&
      failed(bindMetadata(lowering, gemm, shape, warps, repeatsM, metadata)))
    return failure();
  SmallVector<Value> accumulators;
  if (!gemm.getClear())
    for (int64_t reg : cRegisters)
      accumulators.push_back(accumulator->load(reg));

  // Partial sums of `chunk` steps are added in f32 outside the tensor cores.
  int64_t chunk = steps;
  if (auto every = gemm.getPromoteEvery()) {
    if (int64_t(*every) % shape.k != 0)
      return gemm.emitOpError() << "expected `promote_every` to be a multiple "
                                   "of "
                                << shape.k << ", got " << *every;
    if (gemm.isAsync())
      return gemm.emitOpError() << "expected a gemm without token with "
                                   "`promote_every`: each partial sum is "
                                   "waited for";
    chunk = int64_t(*every) / shape.k;
    for (int64_t k = 0; k < steps; k += chunk) {
      SmallVector<Value> sums =
          multiply(k, std::min(steps, k + chunk), {}, /*wait=*/true);
      for (auto [i, sum] : llvm::enumerate(sums))
        if (i < accumulators.size())
          accumulators[i] =
              arith::AddFOp::create(lowering.builder, accumulators[i], sum);
      if (accumulators.empty())
        accumulators = sums;
    }
  } else {
    accumulators = multiply(0, steps, accumulators, !gemm.isAsync());
  }
  for (auto [reg, value] : llvm::zip_equal(cRegisters, accumulators))
    accumulator->store(reg, value);
  return success();
}

LogicalResult tile::nvvm::lowerWgmma(KernelLowering &lowering, GemmOp gemm,
                                     MmaPlanAttr plan) {
  return WgmmaGemm(lowering, gemm, plan).lower();
}

void tile::nvvm::emitWgmmaWait(KernelLowering &lowering, int64_t pending,
                               ArrayRef<PendingFragment> fragments) {
  tieRegisters(lowering,
               ptx::kWgmmaWait.str() + ".sync.aligned " +
                   std::to_string(pending) + ";",
               fragments);
}

void tile::nvvm::tieRegisters(KernelLowering &lowering, StringRef text,
                              ArrayRef<PendingFragment> fragments) {
  Assembly assembly(lowering);
  SmallVector<Words, 0> words;
  SmallVector<std::pair<size_t, int64_t>> places; // of `words`, register
  for (const PendingFragment &fragment : fragments) {
    Words own(lowering, fragment.buffer, fragment.elementType);
    for (int64_t reg = 0, e = fragment.buffer.layout.numRegisters(); reg < e;
         reg += own.perWord()) {
      places.push_back({words.size(), reg});
      assembly.result(own.type(), own.constraint());
    }
    words.push_back(std::move(own));
  }
  for (auto [i, place] : llvm::enumerate(places))
    assembly.input(words[place.first].load(place.second), std::to_string(i));
  assembly.line(text.str());
  SmallVector<Value> values = assembly.emit();
  for (auto [place, value] : llvm::zip_equal(places, values))
    words[place.first].store(place.second, value);
}
