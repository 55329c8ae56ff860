//===- Gemm.cpp - lowering of gemm to mma.sync, or to FMA -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync: operands come from shared memory by ldmatrix (with transposition
// for 16-bit elements where the buffer is not K-major), by single loads where
// ldmatrix cannot, or from fragments that already have the operand's layout.
// FMA: each thread computes its elements of C by increasing k from shared
// memory; the path for what tensor cores do not do.
//
//===----------------------------------------------------------------------===//
#include "Endpoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// One operand (A or B) of one gemm: gives the registers of an instruction.
class OperandLoader {
public:
  virtual ~OperandLoader() = default;
  /// 32-bit registers (64-bit for f64) of the instruction at tile (i, k), where
  /// i counts instructions along M (A) or N (B).
  virtual FailureOr<SmallVector<Value>> load(int64_t i, int64_t k) = 0;
};

/// What a gemm multiplies with.
struct MmaSetup {
  mutable GemmOp op; // accessors of operations are not const
  MmaShape shape;
  WarpGrid warps;
  MmaType a, b, c;
  int64_t tilesM, tilesN, tilesK; // instructions per warp
};
} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static MmaType operandType(Type type, bool isUnsigned) {
  if (type.isF16())
    return MmaType::F16;
  if (type.isBF16())
    return MmaType::BF16;
  if (type.isF32())
    return MmaType::TF32;
  if (type.isF64())
    return MmaType::F64;
  if (isa<Float8E4M3FNType>(type))
    return MmaType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MmaType::E5M2;
  return isUnsigned ? MmaType::U8 : MmaType::I8;
}

static MmaType accumulatorType(Type type) {
  if (type.isF16())
    return MmaType::F16;
  if (type.isF64())
    return MmaType::F64;
  if (type.isF32())
    return MmaType::F32;
  return MmaType::I32;
}

//===----------------------------------------------------------------------===//
// Operands from shared memory
//===----------------------------------------------------------------------===//

namespace {
/// ldmatrix: 8x8 matrices of 16-bit elements, or rows of 16 bytes of anything
/// when the buffer is K-major. One x4 (or x2) load serves one instruction of A,
/// or two neighbouring instructions of B.
class LdmatrixLoader : public OperandLoader {
public:
  LdmatrixLoader(KernelLowering &lowering, const SharedBuffer &buffer,
                 MmaOperand operand, const MmaSetup &setup, bool kMajor,
                 Type elementType)
      : lowering(lowering), operand(operand), setup(setup),
        isTf32(elementType.isF32()) {
    bool isA = operand == MmaOperand::A;
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    int64_t outer = isA ? setup.shape.m : setup.shape.n; // per instruction
    int64_t kStep = setup.shape.k;
    int64_t kBlock = 16 / elementBytes; // k elements of one 8x16-byte matrix
    matricesK = kStep / kBlock;
    int64_t tilesOuter = isA ? setup.tilesM : setup.tilesN;
    // B instructions are 8 wide: two of them fill an x4 load.
    perLoad = !isA && tilesOuter % 2 == 0 && matricesK <= 2 ? 2 : 1;
    int64_t outerMatrices = isA ? outer / 8 : perLoad;
    matrices = outerMatrices * matricesK;
    // Dimensions of the buffer.
    unsigned outerDim, kDim;
    if (isA) {
      outerDim = kMajor ? 0 : 1;
      kDim = kMajor ? 1 : 0;
    } else {
      outerDim = kMajor ? 0 : 1;
      kDim = kMajor ? 1 : 0;
    }
    int dOuter = outerDim, dK = kDim;
    // Lane l gives the address of row l%8 of matrix l/8. A: matrices run along
    // M first, then K (registers a0..a3); B: along K first, then N.
    Modes lane;
    auto pushMatrices = [&](int64_t count, int dim, int64_t stride) {
      if (count > 1)
        lane.push_back({count, dim, stride});
    };
    if (kMajor)
      lane.push_back({8, dOuter, 1});
    else
      lane.push_back({8, dK, 1});
    if (isA) {
      pushMatrices(outerMatrices, dOuter, 8);
      pushMatrices(matricesK, dK, kBlock);
    } else {
      pushMatrices(matricesK, dK, kBlock);
      pushMatrices(outerMatrices, dOuter, 8);
    }
    if (matrices * 8 < kWarpSize)
      lane.push_back({kWarpSize / (matrices * 8), Mode::kReplicated, 0});
    Modes warp;
    int64_t own = isA ? setup.warps.m : setup.warps.n;
    int64_t others = isA ? setup.warps.n : setup.warps.m;
    Mode ownMode{own, dOuter, tilesOuter * outer};
    Mode otherMode{others, Mode::kReplicated, 0};
    if (isA)
      warp = {ownMode, otherMode};
    else
      warp = {otherMode, ownMode};
    Modes reg = {{ceilDiv(tilesOuter, perLoad), dOuter, outer * perLoad},
                 {setup.tilesK, dK, kStep}};
    SmallVector<int64_t> shape(buffer.layout.shape());
    layout = FragmentLayout(shape, reg, lane, warp);
    this->buffer = buffer;
    transposed = !kMajor;
    addresses = std::make_unique<KernelLowering::SharedAddresses>(
        lowering, this->buffer, layout, ArrayRef<unsigned>{0, 1});
  }

  FailureOr<SmallVector<Value>> load(int64_t i, int64_t k) override {
    int64_t group = i / perLoad;
    int64_t groups = layout.modes(Axis::Register)[0].extent;
    auto key = std::make_pair(group, k);
    auto it = cache.find(key);
    if (it == cache.end()) {
      auto &b = lowering.builder;
      Value address = (*addresses)(group + groups * k);
      Type i32 = b.getI32Type();
      Type result = i32;
      if (matrices > 1)
        result = LLVM::LLVMStructType::getLiteral(
            b.getContext(), SmallVector<Type>(matrices, i32));
      Value loaded = NVVM::LdMatrixOp::create(
          b, result, address, static_cast<uint32_t>(matrices),
          transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
          NVVM::LdStMatrixEltType::B16);
      SmallVector<Value> registers;
      for (int64_t m = 0; m < matrices; ++m) {
        Value reg =
            matrices == 1 ? loaded : LLVM::ExtractValueOp::create(b, loaded, m);
        if (isTf32)
          reg = toTf32(reg);
        registers.push_back(reg);
      }
      it = cache.try_emplace(key, std::move(registers)).first;
    }
    int64_t each = matrices / perLoad;
    int64_t from = (i % perLoad) * each;
    return SmallVector<Value>(it->second.begin() + from,
                              it->second.begin() + from + each);
  }

private:
  Value toTf32(Value bits) {
    auto &b = lowering.builder;
    return lowering
        .inlineAsm(b.getI32Type(), "cvt.rna.tf32.f32 $0, $1;", "=r,r", bits,
                   /*sideEffects=*/false)
        .getResult(0);
  }

  KernelLowering &lowering;
  SharedBuffer buffer;
  MmaOperand operand;
  const MmaSetup &setup;
  bool isTf32, transposed = false;
  int64_t matrices = 4, matricesK = 2, perLoad = 1;
  FragmentLayout layout;
  std::unique_ptr<KernelLowering::SharedAddresses> addresses;
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> cache;
};

/// Element by element, from shared memory or from a fragment: whatever
/// `element` gives is packed into the instruction's registers.
class ElementLoader : public OperandLoader {
public:
  using ElementFn = std::function<FailureOr<Value>(ArrayRef<int64_t>)>;
  /// `instruction` is the operand's fragment layout of one instruction; the
  /// function gets constants (outer, k) in the operand's own orientation.
  ElementLoader(KernelLowering &lowering, FragmentLayout instruction,
                MmaOperand operand, const MmaSetup &setup, Type elementType,
                ElementFn element, bool roundTf32)
      : lowering(lowering), instruction(std::move(instruction)),
        operand(operand), setup(setup), elementType(elementType),
        element(std::move(element)), roundTf32(roundTf32) {}

  FailureOr<SmallVector<Value>> load(int64_t i, int64_t k) override {
    auto key = std::make_pair(i, k);
    auto it = cache.find(key);
    if (it != cache.end())
      return it->second;
    auto &b = lowering.builder;
    bool isA = operand == MmaOperand::A;
    int64_t bits = elementType.getIntOrFloatBitWidth();
    int64_t perRegister = bits >= 32 ? 1 : 32 / bits;
    Type storage = lowering.storageType(elementType);
    SmallVector<Value> registers;
    int64_t count = instruction.numRegisters();
    for (int64_t r = 0; r < count; r += perRegister) {
      SmallVector<Value> parts;
      for (int64_t e = 0; e < perRegister; ++e) {
        SmallVector<int64_t> at =
            instruction.axisCoordinates(Axis::Register, r + e);
        if (isA) {
          at[0] += i * setup.shape.m;
          at[1] += k * setup.shape.k;
        } else {
          at[0] += k * setup.shape.k;
          at[1] += i * setup.shape.n;
        }
        FailureOr<Value> value = element(at);
        if (failed(value))
          return failure();
        parts.push_back(*value);
      }
      if (bits == 64) {
        registers.push_back(parts[0]);
        continue;
      }
      if (perRegister == 1) {
        Value reg = parts[0];
        if (roundTf32)
          reg = lowering
                    .inlineAsm(b.getI32Type(), "cvt.rna.tf32.f32 $0, $1;",
                               "=r,f", reg, /*sideEffects=*/false)
                    .getResult(0);
        else
          reg = LLVM::BitcastOp::create(b, b.getI32Type(), reg);
        registers.push_back(reg);
        continue;
      }
      Type vector = VectorType::get({perRegister}, storage);
      Value packed = LLVM::PoisonOp::create(b, vector);
      for (int64_t e = 0; e < perRegister; ++e)
        packed = LLVM::InsertElementOp::create(
            b, packed, lowering.toStorage(parts[e]), lowering.i32(e));
      registers.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), packed));
    }
    cache[key] = registers;
    return registers;
  }

private:
  KernelLowering &lowering;
  FragmentLayout instruction;
  MmaOperand operand;
  const MmaSetup &setup;
  Type elementType;
  ElementFn element;
  bool roundTf32;
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> cache;
};
} // namespace

/// An operand buffer read element by element from shared memory: the tiling of
/// the instruction's fragment over warps says which element a thread needs.
static FailureOr<std::unique_ptr<OperandLoader>>
sharedElements(KernelLowering &lowering, Operation *op,
               const SharedBuffer &buffer, MmaOperand operand,
               const MmaSetup &setup, bool transposed, Type elementType,
               const FragmentLayout &instruction) {
  // One instruction spread over the warps; instructions are added as constants.
  bool isA = operand == MmaOperand::A;
  int64_t own = isA ? setup.warps.m : setup.warps.n;
  int64_t others = isA ? setup.warps.n : setup.warps.m;
  int64_t step =
      isA ? setup.tilesM * setup.shape.m : setup.tilesN * setup.shape.n;
  int outer = isA ? 0 : 1;
  Mode ownMode{own, outer, step}, otherMode{others, Mode::kReplicated, 0};
  Modes warp = isA ? Modes{ownMode, otherMode} : Modes{otherMode, ownMode};
  FragmentLayout spread(instruction.shape(), {}, instruction.modes(Axis::Lane),
                        warp);
  SmallVector<Value> threadPart = lowering.threadCoordinates(spread);
  KernelLowering *context = &lowering;
  // Instructions that overhang the tile read its last row or column again:
  // their products go to accumulators that nobody reads.
  int64_t extent = isA ? setup.op.getM() : setup.op.getN();
  bool overhangs = step * own > extent;
  auto element = [context, buffer, threadPart, transposed, elementType, extent,
                  overhangs, outer](ArrayRef<int64_t> at) -> FailureOr<Value> {
    SmallVector<Value> coordinates = {context->addConst(threadPart[0], at[0]),
                                      context->addConst(threadPart[1], at[1])};
    if (overhangs)
      coordinates[outer] = context->builder.createOrFold<arith::MinUIOp>(
          coordinates[outer], context->i32(extent - 1));
    if (transposed)
      std::swap(coordinates[0], coordinates[1]);
    Value address = context->sharedElement(buffer, coordinates);
    Value stored = LLVM::LoadOp::create(
        context->builder, context->storageType(elementType), address);
    return context->fromStorage(stored, elementType);
  };
  return std::unique_ptr<OperandLoader>(std::make_unique<ElementLoader>(
      lowering, instruction, operand, setup, elementType, element,
      elementType.isF32()));
}

static FailureOr<std::unique_ptr<OperandLoader>>
makeLoader(KernelLowering &lowering, Operation *op, Value buffer,
           MmaOperand operand, const MmaSetup &setup, bool transposed) {
  Type elementType = cast<MemRefType>(buffer.getType()).getElementType();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  auto instruction = mmaSyncFragment(setup.shape, operand, bits);
  if (!instruction)
    return op->emitOpError() << instruction.reason();
  if (isShared(buffer)) {
    FailureOr<SharedBuffer> shared = lowering.shared(buffer, op);
    if (failed(shared))
      return failure();
    // K-major: consecutive k are contiguous. A is [M, K], B is [K, N].
    bool isA = operand == MmaOperand::A;
    bool kMajor = isA != transposed;
    unsigned contiguousDim = 1;
    bool rowsContiguous =
        shared->layout.contiguousElements(contiguousDim) * bits >= 128;
    // Whole 8x8 matrices only: an overhanging tile would read outside rows.
    int64_t tileOuter = isA ? setup.tilesM * setup.shape.m * setup.warps.m
                            : setup.tilesN * setup.shape.n * setup.warps.n;
    bool exact = tileOuter == (isA ? setup.op.getM() : setup.op.getN()) &&
                 setup.tilesK * setup.shape.k == setup.op.getK();
    bool canLdmatrix = lowering.target.hasLdmatrix() && rowsContiguous &&
                       exact && bits <= 32 && (kMajor || bits == 16);
    if (canLdmatrix)
      return std::unique_ptr<OperandLoader>(std::make_unique<LdmatrixLoader>(
          lowering, *shared, operand, setup, kMajor, elementType));
    return sharedElements(lowering, op, *shared, operand, setup, transposed,
                          elementType, *instruction);
  }
  FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, op);
  if (failed(fragment))
    return failure();
  // The fragment must hold the operand's elements in the right threads.
  SmallVector<int64_t> tile(cast<MemRefType>(buffer.getType()).getShape());
  if (transposed)
    std::swap(tile[0], tile[1]);
  auto expected = tileMmaFragment(*instruction, operand, tile, setup.warps);
  if (!expected)
    return op->emitOpError() << expected.reason();
  SmallVector<unsigned> dims = {0, 1};
  if (transposed)
    std::swap(dims[0], dims[1]);
  if (!sameThreads(*expected, fragment->layout, dims))
    return op->emitOpError()
           << "expected operand " << (operand == MmaOperand::A ? "A" : "B")
           << " in the fragment layout of its instruction: run "
              "--tile-infer-layouts";
  auto map = std::make_shared<RegisterMap>(fragment->layout);
  KernelLowering *context = &lowering;
  FragmentBuffer held = *fragment;
  auto element = [context, held, map, transposed, elementType,
                  op](ArrayRef<int64_t> at) -> FailureOr<Value> {
    SmallVector<int64_t> coordinates(at);
    if (transposed)
      std::swap(coordinates[0], coordinates[1]);
    int64_t reg = (*map)(coordinates);
    if (reg < 0)
      return op->emitOpError()
             << "expected a fragment that holds every element "
                "of the operand";
    return context->loadRegister(held, elementType, reg);
  };
  return std::unique_ptr<OperandLoader>(std::make_unique<ElementLoader>(
      lowering, *instruction, operand, setup, elementType, element,
      elementType.isF32()));
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

/// fp8 has no form in NVVM: mma.sync in PTX.
static Value emitFp8Mma(KernelLowering &lowering, const MmaSetup &setup,
                        ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c,
                        Type result) {
  std::string text = "mma.sync.aligned.m16n8k32.row.col.f32.";
  text += stringify(setup.a).str() + "." + stringify(setup.b).str() +
          ".f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};";
  SmallVector<Value> operands(a.begin(), a.end());
  operands.append(b.begin(), b.end());
  operands.append(c.begin(), c.end());
  Type f32 = lowering.builder.getF32Type();
  return lowering
      .inlineAsm({f32, f32, f32, f32}, text, "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f",
                 operands,
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
  setup.a = operandType(elementOf(gemm.getA()), gemm.getUnsignedA());
  setup.b = operandType(elementOf(gemm.getB()), gemm.getUnsignedB());
  setup.c = accumulatorType(cType);
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
        SmallVector<Type> resultTypes;
        for (Value v : cRegs)
          resultTypes.push_back(v.getType());
        Type resultType =
            LLVM::LLVMStructType::getLiteral(context, resultTypes);
        Value result;
        if (nvvmType(setup.a)) {
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
          result = emitFp8Mma(lowering, setup, aRegs, bRegs, cRegs, resultType);
        }
        for (size_t r = 0; r < cRegs.size(); ++r) {
          Value part = LLVM::ExtractValueOp::create(b, result, r);
          if (!isHalfC) {
            c[r] = part;
            continue;
          }
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

//===----------------------------------------------------------------------===//
// FMA
//===----------------------------------------------------------------------===//

/// A fragment operand spilled to scratch so that every thread can read it.
static FailureOr<SharedBuffer> throughScratch(KernelLowering &lowering,
                                              GemmOp gemm, Value buffer,
                                              int64_t &offset) {
  FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, gemm);
  if (failed(fragment))
    return failure();
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  SharedBuffer scratch = {
      lowering.scratch(offset),
      SharedLayout::rowMajor(
          type.getShape(),
          lowering.storageType(element).getIntOrFloatBitWidth())};
  offset += llvm::alignTo(scratch.layout.sizeInBytes(), 16);
  lowering.scratchBytes = std::max(lowering.scratchBytes, offset);
  KernelLowering::SharedAddresses addresses(lowering, scratch, fragment->layout,
                                            {0, 1});
  SmallVector<Value> threadPart = lowering.threadCoordinates(fragment->layout);
  for (int64_t r = 0, e = fragment->layout.numRegisters(); r < e; ++r) {
    Value inside = lowering.inBounds(fragment->layout, threadPart, r);
    auto store = [&] {
      LLVM::StoreOp::create(
          lowering.builder,
          lowering.toStorage(lowering.loadRegister(*fragment, element, r)),
          addresses(r));
    };
    if (!inside) {
      store();
      continue;
    }
    auto branch = scf::IfOp::create(lowering.builder, inside, false);
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPointToStart(branch.thenBlock());
    store();
  }
  return scratch;
}

static LogicalResult lowerFma(KernelLowering &lowering, GemmOp gemm) {
  auto &b = lowering.builder;
  FailureOr<FragmentBuffer> accumulator = lowering.fragment(gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  int64_t scratchOffset = 0;
  bool anyFragment = isFragment(gemm.getA()) || isFragment(gemm.getB());
  if (anyFragment)
    lowering.barrier();
  SmallVector<SharedBuffer> operands;
  for (Value operand : {gemm.getA(), gemm.getB()}) {
    FailureOr<SharedBuffer> buffer =
        isShared(operand)
            ? lowering.shared(operand, gemm)
            : throughScratch(lowering, gemm, operand, scratchOffset);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  if (anyFragment)
    lowering.barrier();

  auto elementOf = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  Type aType = elementOf(gemm.getA()), bType = elementOf(gemm.getB());
  Type cType = elementOf(gemm.getC());
  Type wide = cType;
  const FragmentLayout &layout = accumulator->layout;
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  int64_t count = layout.numRegisters();
  if (gemm.getClear())
    for (int64_t r = 0; r < count; ++r)
      lowering.storeRegister(
          *accumulator, cType, r,
          arith::ConstantOp::create(b, b.getZeroAttr(cType)));
  // Coordinates that overshoot are clamped: their products go to registers that
  // nobody reads.
  auto clamp = [&](Value base, int64_t constant, int64_t extent,
                   int64_t largest) {
    Value value = lowering.addConst(base, constant);
    if (largest + constant < extent)
      return value;
    return b.createOrFold<arith::MinUIOp>(value, lowering.i32(extent - 1));
  };
  SmallVector<int64_t> largest(2, 0);
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (const Mode &mode : layout.modes(axis))
      if (!mode.isReplication())
        largest[mode.dim] += (mode.extent - 1) * mode.stride;
  auto loop = scf::ForOp::create(b, lowering.toIndex(lowering.i64(0)),
                                 lowering.toIndex(lowering.i64(gemm.getK())),
                                 lowering.toIndex(lowering.i64(1)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = lowering.toI32(loop.getInductionVar());
    std::map<int64_t, Value> rows, columns;
    auto element = [&](const SharedBuffer &buffer, Type type, Value outer,
                       bool outerFirst, bool isUnsigned) {
      SmallVector<Value> at = {outer, k};
      if (!outerFirst)
        std::swap(at[0], at[1]);
      Value stored = LLVM::LoadOp::create(b, lowering.storageType(type),
                                          lowering.sharedElement(buffer, at));
      return lowering.convertElement(lowering.fromStorage(stored, type), wide,
                                     isUnsigned);
    };
    for (int64_t r = 0; r < count; ++r) {
      SmallVector<int64_t> at = layout.axisCoordinates(Axis::Register, r);
      Value &row = rows[at[0]];
      if (!row)
        row = element(operands[0], aType,
                      clamp(threadPart[0], at[0], gemm.getM(), largest[0]),
                      !gemm.getTransposeA(), gemm.getUnsignedA());
      Value &column = columns[at[1]];
      if (!column)
        column = element(operands[1], bType,
                         clamp(threadPart[1], at[1], gemm.getN(), largest[1]),
                         gemm.getTransposeB(), gemm.getUnsignedB());
      Value old = lowering.loadRegister(*accumulator, cType, r);
      Value sum;
      if (isa<FloatType>(cType))
        sum = math::FmaOp::create(b, row, column, old);
      else
        sum = arith::AddIOp::create(b, old,
                                    arith::MulIOp::create(b, row, column));
      lowering.storeRegister(*accumulator, cType, r, sum);
    }
  }
  return success();
}

static LogicalResult lowerGemm(KernelLowering &lowering, Operation *op) {
  auto gemm = cast<GemmOp>(op);
  auto plan = gemm.getPlan();
  if (!plan)
    return op->emitOpError() << "expected a plan: run --tile-infer-layouts";
  switch (plan->getInstruction()) {
  case MmaInstruction::Fma:
    return lowerFma(lowering, gemm);
  case MmaInstruction::MmaSync:
    return lowerMmaSync(lowering, gemm, *plan);
  default:
    return op->emitOpError() << "expected fma or mma_sync, got "
                             << stringifyMmaInstruction(plan->getInstruction());
  }
}

void tile::nvvm::registerGemmLowerings(Registry &registry) {
  registry.add<GemmOp>(lowerGemm);
}
