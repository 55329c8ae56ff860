//===- Gemm.cpp - lowering of gemm ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the plan that layout inference recorded: mma.sync here, with operands from
// GemmOperands.cpp; FMA in GemmFma.cpp; wgmma in Wgmma.cpp; tcgen05 in
// Tcgen05.cpp.
//
//===----------------------------------------------------------------------===//
#include "GemmOperands.h"
#include "Tcgen05/TensorMemory.h"
#include "Wgmma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Layout/CheckedMath.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// mma.sync in PTX, for what has no form in NVVM: fp8, and f64 beyond m8n8k4.
static Value emitInlineMma(KernelLowering &lowering, const MmaSetup &setup,
                           ArrayRef<Value> a, ArrayRef<Value> b,
                           ArrayRef<Value> c, ArrayRef<Type> results) {
  std::string text = "mma.sync.aligned.m" + std::to_string(setup.shape.m) +
                     "n" + std::to_string(setup.shape.n) + "k" +
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
  return lowering
      .inlineAsm(results, text + ";", constraints, operands,
                 /*sideEffects=*/false)
      .getResult(0);
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
       lowering.target.mmaInstructions(setup.a, setup.b, setup.c))
    known |= info->shape == setup.shape;
  if (!known)
    return gemm.emitOpError()
           << "expected an mma.sync that " << lowering.target.arch
           << " has, got m" << setup.shape.m << "n" << setup.shape.n << "k"
           << setup.shape.k << " of " << stringify(setup.a) << " x "
           << stringify(setup.b) << " into " << stringify(setup.c);

  FailureOr<FragmentBuffer> accumulator = lowering.fragment(gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  auto instruction =
      mmaSyncFragment(setup.shape, MmaOperand::C, bitWidth(setup.c));
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
  MLIRContext *context = b.getContext();
  bool isHalfC = cType.isF16();
  Type packedHalf = VectorType::get({2}, b.getF16Type());
  for (int64_t k = 0; k < setup.tilesK; ++k) {
    SmallVector<SmallVector<Value>> as, bs;
    for (int64_t i = 0; i < setup.tilesM; ++i) {
      auto registers = (*aLoader)->load(i, k);
      if (failed(registers))
        return failure();
      as.push_back(*registers);
    }
    for (int64_t j = 0; j < setup.tilesN; ++j) {
      auto registers = (*bLoader)->load(j, k);
      if (failed(registers))
        return failure();
      bs.push_back(*registers);
    }
    for (int64_t i = 0; i < setup.tilesM; ++i)
      for (int64_t jj = 0; jj < setup.tilesN; ++jj) {
        // Serpentine order: neighbouring instructions share an operand.
        int64_t j = i % 2 ? setup.tilesN - 1 - jj : jj;
        MutableArrayRef<Value> c =
            MutableArrayRef<Value>(accumulators)
                .slice((i * setup.tilesN + j) * perInstruction, perInstruction);
        SmallVector<Value> aRegs = as[i], bRegs = bs[j];
        if (setup.a == MmaType::F16)
          for (Value &v : aRegs)
            v = LLVM::BitcastOp::create(b, packedHalf, v);
        if (setup.b == MmaType::F16)
          for (Value &v : bRegs)
            v = LLVM::BitcastOp::create(b, packedHalf, v);
        SmallVector<Value> cRegs(c.begin(), c.end());
        if (isHalfC) {
          SmallVector<Value> packed;
          for (size_t r = 0; r < cRegs.size(); r += 2) {
            Value v = LLVM::PoisonOp::create(b, packedHalf);
            v = LLVM::InsertElementOp::create(b, v, cRegs[r], lowering.i32(0));
            v = LLVM::InsertElementOp::create(b, v, cRegs[r + 1],
                                              lowering.i32(1));
            packed.push_back(v);
          }
          cRegs = packed;
        }
        bool inNvvm = nvvmType(setup.a) && (setup.a != MmaType::F64 ||
                                            setup.shape == MmaShape{8, 8, 4});
        if (!inNvvm && isHalfC)
          for (Value &v : cRegs)
            v = LLVM::BitcastOp::create(b, b.getI32Type(), v);
        SmallVector<Type> resultTypes;
        for (Value v : cRegs)
          resultTypes.push_back(v.getType());
        Type resultType =
            LLVM::LLVMStructType::getLiteral(context, resultTypes);
        Value result;
        if (inNvvm) {
          std::optional<NVVM::MMAIntOverflow> overflow;
          if (setup.c == MmaType::I32)
            overflow = NVVM::MMAIntOverflow::wrapped;
          result = NVVM::MmaOp::create(
              b, resultType, aRegs, bRegs, cRegs,
              ArrayRef<int64_t>{setup.shape.m, setup.shape.n, setup.shape.k},
              std::nullopt, overflow,
              std::array<NVVM::MMATypes, 2>{*nvvmType(setup.a),
                                            *nvvmType(setup.b)},
              std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                             NVVM::MMALayout::col});
        } else {
          result =
              emitInlineMma(lowering, setup, aRegs, bRegs, cRegs, resultTypes);
        }
        for (size_t r = 0; r < cRegs.size(); ++r) {
          Value part = LLVM::ExtractValueOp::create(b, result, r);
          if (!isHalfC) {
            c[r] = part;
            continue;
          }
          if (!inNvvm)
            part = LLVM::BitcastOp::create(b, packedHalf, part);
          c[2 * r] = LLVM::ExtractElementOp::create(b, part, lowering.i32(0));
          c[2 * r + 1] =
              LLVM::ExtractElementOp::create(b, part, lowering.i32(1));
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
    return lowerMmaSync(lowering, gemm, *plan);
  case MmaInstruction::Wgmma:
    return lowerWgmma(lowering, gemm, *plan);
  case MmaInstruction::Tcgen05:
    return lowerTcgen05(lowering, gemm, *plan);
  }
  llvm_unreachable("every instruction is listed");
}

void tile::nvvm::registerGemmLowerings(Registry &registry) {
  registry.add<GemmOp>(lowerGemm);
}
