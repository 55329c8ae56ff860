//===- Gemm.cpp - lowering of gemm ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the plan that layout inference recorded: mma.sync here, and mma.sp, with
// operands from GemmOperands.cpp and SparseOperand.cpp; FMA in GemmFma.cpp;
// wgmma in Wgmma.cpp; tcgen05 in Tcgen05.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmOperands.h"
#include "SparseOperand.h"
#include "Tcgen05/TensorMemory.h"
#include "Wgmma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Layout/CheckedMath.h"
#include "tile/Target/PtxMnemonics.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// The metadata that one instruction takes; null of a whole A.
struct Sparsity {
  Value word;
  int64_t selector = 0;
};

/// mma.sync in PTX, for what has no form in NVVM: fp8, f64 beyond m8n8k4, and
/// mma.sp.
static Value emitInlineMma(KernelLowering &lowering, const MmaSetup &setup,
                           ArrayRef<Value> a, ArrayRef<Value> b,
                           ArrayRef<Value> c, Sparsity sparsity,
                           ArrayRef<Type> results) {
  std::string text = (sparsity.word ? ptx::kMmaSp.str() : "mma") +
                     ".sync.aligned.m" + std::to_string(setup.shape.m) + "n" +
                     std::to_string(setup.shape.n) + "k" +
                     std::to_string(setup.shape.k) + ".row.col";
  for (MmaType type : {setup.c, setup.a, setup.b, setup.c})
    text += "." + stringify(type).str();
  // Registers of D, A, B and C, in this order.
  SmallVector<Value> operands;
  std::string constraints;
  auto constraint = [&](Type type) {
    return type.isF64() ? "d" : type.isF32() ? "f" : "r";
  };
  size_t next = 0;
  auto list = [&](size_t count) {
    text += next ? ", {" : " {";
    for (size_t i = 0; i < count; ++i)
      text += (i ? ",$" : "$") + std::to_string(next++);
    text += "}";
  };
  list(results.size());
  for (Type type : results)
    constraints +=
        std::string(constraints.empty() ? "=" : ",=") + constraint(type);
  for (ArrayRef<Value> registers : {a, b, c}) {
    list(registers.size());
    for (Value value : registers) {
      constraints += std::string(",") + constraint(value.getType());
      operands.push_back(value);
    }
  }
  if (sparsity.word) {
    text += ", $" + std::to_string(next++) + ", " +
            std::to_string(sparsity.selector);
    constraints += ",r";
    operands.push_back(sparsity.word);
  }
  return lowering
      .inlineAsm(results, text + ";", constraints, operands,
                 /*sideEffects=*/false)
      .getResult(0);
}

static bool isFp8(MmaType type) {
  return type == MmaType::E4M3 || type == MmaType::E5M2;
}

static std::optional<NVVM::MMATypes> nvvmType(MmaType type) {
  switch (type) {
  case MmaType::F16:
    return NVVM::MMATypes::f16;
  case MmaType::BF16:
    return NVVM::MMATypes::bf16;
  case MmaType::TF32:
    return NVVM::MMATypes::tf32;
  case MmaType::F64:
    return NVVM::MMATypes::f64;
  case MmaType::I8:
    return NVVM::MMATypes::s8;
  case MmaType::U8:
    return NVVM::MMATypes::u8;
  default:
    return std::nullopt;
  }
}

/// Accumulators of one instruction: d = a * b + c, one value an element.
static void emitMma(KernelLowering &lowering, const MmaSetup &setup,
                    SmallVector<Value> a, SmallVector<Value> b,
                    Sparsity sparsity, MutableArrayRef<Value> accumulators) {
  auto &builder = lowering.builder;
  bool isHalfC = setup.c == MmaType::F16;
  Type packedHalf = VectorType::get({2}, builder.getF16Type());
  bool inNvvm = !sparsity.word && nvvmType(setup.a) &&
                (setup.a != MmaType::F64 || setup.shape == MmaShape{8, 8, 4});
  for (auto [type, registers] : {std::pair(setup.a, &a), {setup.b, &b}})
    if (type == MmaType::F16 && inNvvm)
      for (Value &v : *registers)
        v = LLVM::BitcastOp::create(builder, packedHalf, v);
  SmallVector<Value> c(accumulators);
  if (isHalfC) {
    c.clear();
    for (size_t r = 0; r < accumulators.size(); r += 2) {
      Value v = LLVM::PoisonOp::create(builder, packedHalf);
      for (size_t e : {0, 1})
        v = LLVM::InsertElementOp::create(builder, v, accumulators[r + e],
                                          lowering.i32(e));
      c.push_back(
          inNvvm ? v
                 : LLVM::BitcastOp::create(builder, builder.getI32Type(), v));
    }
  }
  SmallVector<Type> resultTypes(ValueRange(c).getTypes());
  Value result;
  if (inNvvm) {
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (setup.c == MmaType::I32)
      overflow = NVVM::MMAIntOverflow::wrapped;
    result = NVVM::MmaOp::create(
        builder,
        LLVM::LLVMStructType::getLiteral(builder.getContext(), resultTypes), a,
        b, c, ArrayRef<int64_t>{setup.shape.m, setup.shape.n, setup.shape.k},
        std::nullopt, overflow,
        std::array<NVVM::MMATypes, 2>{*nvvmType(setup.a), *nvvmType(setup.b)},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
  } else {
    result = emitInlineMma(lowering, setup, a, b, c, sparsity, resultTypes);
  }
  for (size_t r = 0; r < c.size(); ++r) {
    Value part = LLVM::ExtractValueOp::create(builder, result, r);
    if (!isHalfC) {
      accumulators[r] = part;
      continue;
    }
    if (!inNvvm)
      part = LLVM::BitcastOp::create(builder, packedHalf, part);
    for (size_t e : {0, 1})
      accumulators[2 * r + e] =
          LLVM::ExtractElementOp::create(builder, part, lowering.i32(e));
  }
}

//===----------------------------------------------------------------------===//
// fp8 as f16
//===----------------------------------------------------------------------===//

/// Each register of four fp8 as two of f16: those of the first two, of all
/// registers, then those of the others.
static SmallVector<Value> unpackFp8(KernelLowering &lowering,
                                    ArrayRef<Value> registers, Type element) {
  auto &b = lowering.builder;
  SmallVector<Value> unpacked;
  for (int64_t half : {0, 1})
    for (Value word : registers) {
      Value halves = LLVM::BitcastOp::create(
          b, VectorType::get({2}, b.getI16Type()), word);
      Value pair =
          LLVM::ExtractElementOp::create(b, halves, lowering.i32(half));
      pair =
          LLVM::BitcastOp::create(b, VectorType::get({2}, b.getI8Type()), pair);
      unpacked.push_back(NVVM::ConvertF8x2ToF16x2Op::create(
          b, VectorType::get({2}, b.getF16Type()), pair, b.getBoolAttr(false),
          TypeAttr::get(element)));
    }
  return unpacked;
}

/// One fp8 instruction by those of f16, k = 16. They see k in another order:
/// what stands at one place of a register of A stands there in that of B.
static void emitUnpackedMma(KernelLowering &lowering, const MmaSetup &setup,
                            ArrayRef<Value> a, ArrayRef<Value> b,
                            MutableArrayRef<Value> accumulators) {
  MmaSetup halves = setup;
  halves.shape.k = 16;
  halves.a = halves.b = MmaType::F16;
  size_t behindA = a.size() / 2, behindB = b.size() / 2;
  for (size_t step = 0; step < behindB; ++step)
    emitMma(lowering, halves,
            {a[2 * step], a[2 * step + 1], a[behindA + 2 * step],
             a[behindA + 2 * step + 1]},
            {b[step], b[behindB + step]}, Sparsity(), accumulators);
}

//===----------------------------------------------------------------------===//
// Gemm by mma.sync
//===----------------------------------------------------------------------===//

static LogicalResult lowerMmaSync(KernelLowering &lowering, GemmOp gemm,
                                  MmaPlanAttr plan) {
  auto &b = lowering.builder;
  MmaSetup setup{gemm,
                 {plan.getM(), plan.getN(), plan.getK()},
                 {plan.getWarpsM(), plan.getWarpsN()},
                 MmaType::F16,
                 MmaType::F16,
                 MmaType::F32,
                 0,
                 0,
                 0};
  auto elementOf = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  Type cType = elementOf(gemm.getC());
  setup.a = *getMmaOperandType(elementOf(gemm.getA()), gemm.getUnsignedA());
  setup.b = *getMmaOperandType(elementOf(gemm.getB()), gemm.getUnsignedB());
  setup.c = *getMmaAccumulatorType(cType);
  setup.tilesM = ceilDiv(gemm.getM(), setup.shape.m * setup.warps.m);
  setup.tilesN = ceilDiv(gemm.getN(), setup.shape.n * setup.warps.n);
  setup.tilesK = ceilDiv(gemm.getK(), setup.shape.k);
  if (setup.tilesK * setup.shape.k != gemm.getK())
    return gemm.emitOpError()
           << "expected K to be a multiple of " << setup.shape.k
           << " for mma.sync, got " << gemm.getK();
  bool known = false;
  for (const MmaInstructionInfo *info :
       gemm.isSparse()
           ? lowering.target.sparseMmaInstructions(setup.a, setup.b, setup.c)
           : lowering.target.mmaInstructions(setup.a, setup.b, setup.c))
    known |= info->shape == setup.shape;
  if (!known)
    return gemm.emitOpError()
           << "expected an " << (gemm.isSparse() ? "mma.sp" : "mma.sync")
           << " that " << lowering.target.arch << " has, got m" << setup.shape.m
           << "n" << setup.shape.n << "k" << setup.shape.k << " of "
           << stringify(setup.a) << " x " << stringify(setup.b) << " into "
           << stringify(setup.c);

  FailureOr<FragmentBuffer> accumulator = lowering.fragment(gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  auto instruction = setup.fragmentOf(MmaOperand::C, bitWidth(setup.c));
  if (!instruction)
    return gemm.emitOpError() << instruction.reason();
  auto expected = tileMmaFragment(*instruction, MmaOperand::C,
                                  {gemm.getM(), gemm.getN()}, setup.warps);
  if (!expected)
    return gemm.emitOpError() << expected.reason();
  if (!sameThreads(*expected, accumulator->layout, {0, 1}))
    return gemm.emitOpError() << "expected C in the accumulator layout of its "
                                 "instruction: run --tile-infer-layouts";
  RegisterMap cRegisters(accumulator->layout);
  llvm::SaveAndRestore transient(lowering.recomputesPlaces,
                                 lowering.hasFewRegisters);
  auto aLoader = makeLoader(lowering, gemm, gemm.getA(), MmaOperand::A, setup,
                            gemm.getTransposeA());
  auto bLoader = makeLoader(lowering, gemm, gemm.getB(), MmaOperand::B, setup,
                            gemm.getTransposeB());
  if (failed(aLoader) || failed(bLoader))
    return failure();
  SparseOperand metadata;
  if (gemm.isSparse() &&
      failed(bindMetadata(lowering, gemm, setup.shape, setup.warps,
                          setup.tilesM, metadata)))
    return failure();

  // Registers of C of the instruction at (i, j).
  int64_t perInstruction = instruction->numRegisters();
  auto cRegister = [&](int64_t i, int64_t j, int64_t r) {
    SmallVector<int64_t> at = instruction->axisCoordinates(Axis::Register, r);
    at[0] += i * setup.shape.m;
    at[1] += j * setup.shape.n;
    return cRegisters(at);
  };
  for (int64_t i = 0; i < setup.tilesM; ++i)
    for (int64_t j = 0; j < setup.tilesN; ++j)
      for (int64_t r = 0; r < perInstruction; ++r)
        if (cRegister(i, j, r) < 0)
          return gemm.emitOpError()
                 << "expected C to hold every element of the result";

  // Accumulators live in SSA values during the tile's k steps.
  SmallVector<Value> accumulators;
  for (int64_t i = 0; i < setup.tilesM; ++i)
    for (int64_t j = 0; j < setup.tilesN; ++j)
      for (int64_t r = 0; r < perInstruction; ++r)
        accumulators.push_back(
            gemm.getClear()
                ? Value(arith::ConstantOp::create(b, b.getZeroAttr(cType)))
                : lowering.loadRegister(*accumulator, cType,
                                        cRegister(i, j, r)));
  // ptxas unpacks fp8 for each instruction, and spills what it keeps.
  bool unpacks = isFp8(setup.a) && !lowering.target.multipliesFp8ByWarp();
  auto loadAll = [&](OperandLoader &loader, int64_t count,
                     int64_t k) -> FailureOr<SmallVector<SmallVector<Value>>> {
    SmallVector<SmallVector<Value>> all;
    for (int64_t i = 0; i < count; ++i) {
      auto registers = loader.load(i, k);
      if (failed(registers))
        return failure();
      all.push_back(*registers);
    }
    return all;
  };
  for (int64_t k = 0; k < setup.tilesK; ++k) {
    auto as = loadAll(**aLoader, setup.tilesM, k);
    auto bs = loadAll(**bLoader, setup.tilesN, k);
    if (failed(as) || failed(bs))
      return failure();
    for (int64_t i = 0; i < setup.tilesM; ++i) {
      SmallVector<Value> &a = (*as)[i];
      Sparsity sparsity;
      if (gemm.isSparse())
        sparsity = {metadata.words[i * setup.tilesK + k], metadata.selector(k)};
      if (unpacks)
        a = unpackFp8(lowering, a, elementOf(gemm.getA()));
      for (int64_t jj = 0; jj < setup.tilesN; ++jj) {
        // Serpentine order: neighbouring instructions share an operand.
        int64_t j = i % 2 ? setup.tilesN - 1 - jj : jj;
        SmallVector<Value> &b = (*bs)[j];
        MutableArrayRef<Value> c =
            MutableArrayRef<Value>(accumulators)
                .slice((i * setup.tilesN + j) * perInstruction, perInstruction);
        if (!unpacks) {
          emitMma(lowering, setup, a, b, sparsity, c);
          continue;
        }
        // With its first instruction, so that others are packed until theirs.
        if (i == 0)
          b = unpackFp8(lowering, b, elementOf(gemm.getB()));
        emitUnpackedMma(lowering, setup, a, b, c);
      }
    }
  }
  size_t next = 0;
  for (int64_t i = 0; i < setup.tilesM; ++i)
    for (int64_t j = 0; j < setup.tilesN; ++j)
      for (int64_t r = 0; r < perInstruction; ++r)
        lowering.storeRegister(*accumulator, cType, cRegister(i, j, r),
                               accumulators[next++]);
  return success();
}

static LogicalResult lowerGemm(KernelLowering &lowering, GemmOp gemm) {
  Operation *op = gemm;
  auto plan = gemm.getPlan();
  if (!plan)
    return op->emitOpError() << "expected a plan: run --tile-infer-layouts";
  switch (plan->getInstruction()) {
  case MmaInstruction::Fma:
    return lowerFma(lowering, gemm);
  case MmaInstruction::MmaSync:
  case MmaInstruction::MmaSp:
    return lowerMmaSync(lowering, gemm, *plan);
  case MmaInstruction::Wgmma:
  case MmaInstruction::WgmmaSp:
    return lowerWgmma(lowering, gemm, *plan);
  case MmaInstruction::Tcgen05:
    return lowerTcgen05(lowering, gemm, *plan);
  }
  llvm_unreachable("every instruction is listed");
}

void tile::nvvm::registerGemmLowerings(Registry &registry) {
  registry.add<GemmOp>(lowerGemm);
}
