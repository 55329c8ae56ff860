//===- GemmOperands.cpp - operand registers of mma.sync -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From shared memory by ldmatrix (with transposition for 16-bit elements where
// the buffer is not K-major; for 8-bit elements see ByteOperands.cpp) or by
// single loads where ldmatrix cannot, and from fragments that already have the
// operand's layout.
//
//===----------------------------------------------------------------------===//
#include "GemmOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Layout/ByteTransposition.h"
#include "tile/Layout/CheckedMath.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// ldmatrix: 8x8 matrices of 16-bit elements, or rows of 16 bytes of anything
/// when the buffer is K-major. One x4 (or x2) load serves one instruction of A,
/// or two neighbouring instructions of B.
class LdmatrixLoader : public OperandLoader {
public:
  LdmatrixLoader(KernelLowering &lowering, const SharedBuffer &buffer,
                 MmaOperand operand, const MmaSetup &setup, bool kMajor,
                 Type elementType, bool roundTf32)
      : lowering(lowering), roundTf32(roundTf32) {
    bool isA = operand == MmaOperand::A;
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    int64_t outer = isA ? setup.shape.m : setup.shape.n; // per instruction
    int64_t kStep = setup.kOf(operand);
    int64_t kBlock = 16 / elementBytes; // k elements of one 8x16-byte matrix
    matricesK = kStep / kBlock;
    int64_t tilesOuter = isA ? setup.tilesM : setup.tilesN;
    // B instructions are 8 wide: two of them fill an x4 load.
    perLoad = !isA && tilesOuter % 2 == 0 && matricesK <= 2 ? 2 : 1;
    int64_t outerMatrices = isA ? outer / 8 : perLoad;
    matrices = outerMatrices * matricesK;
    // Dimensions of the buffer.
    int dOuter = kMajor ? 0 : 1, dK = kMajor ? 1 : 0;
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
        if (roundTf32)
          reg = lowering.roundToTf32(reg);
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
  KernelLowering &lowering;
  SharedBuffer buffer;
  bool roundTf32, transposed = false;
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
  /// The 32-bit register that holds these elements, or null.
  using WordFn = std::function<Value(ArrayRef<SmallVector<int64_t>>)>;
  WordFn word;
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
      SmallVector<SmallVector<int64_t>> elements;
      for (int64_t e = 0; e < perRegister; ++e) {
        SmallVector<int64_t> at =
            instruction.axisCoordinates(Axis::Register, r + e);
        if (isA) {
          at[0] += i * setup.shape.m;
          at[1] += k * setup.kOf(operand);
        } else {
          at[0] += k * setup.shape.k;
          at[1] += i * setup.shape.n;
        }
        elements.push_back(at);
      }
      if (word && perRegister > 1)
        if (Value whole = word(elements)) {
          registers.push_back(whole);
          continue;
        }
      for (ArrayRef<int64_t> at : elements) {
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
          reg = lowering.roundToTf32(reg);
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
               const FragmentLayout &instruction, bool roundTf32) {
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
  // their products go to accumulators that nothing reads.
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
      lowering, instruction, operand, setup, elementType, element, roundTf32));
}

FailureOr<std::unique_ptr<OperandLoader>>
tile::nvvm::makeLoader(KernelLowering &lowering, Operation *op, Value buffer,
                       MmaOperand operand, const MmaSetup &setup,
                       bool transposed) {
  Type elementType = cast<MemRefType>(buffer.getType()).getElementType();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  auto instruction = setup.fragmentOf(operand, bits);
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
    bool rowsAligned =
        shared->layout.alignedElements(contiguousDim) * bits >= 128;
    // Whole 8x8 matrices only: an overhanging tile would read outside rows.
    int64_t tileOuter = isA ? setup.tilesM * setup.shape.m * setup.warps.m
                            : setup.tilesN * setup.shape.n * setup.warps.n;
    bool roundTf32 =
        elementType.isF32() && !lowering.roundedTiles.contains(buffer);
    bool exact = tileOuter == (isA ? setup.op.getM() : setup.op.getN()) &&
                 setup.tilesK * setup.shape.k == setup.op.getK();
    bool canLdmatrix = lowering.target.hasLdmatrix() && rowsAligned && exact &&
                       bits <= 32 && (kMajor || bits == 16);
    if (canLdmatrix)
      return std::unique_ptr<OperandLoader>(std::make_unique<LdmatrixLoader>(
          lowering, *shared, operand, setup, kMajor, elementType, roundTf32));
    if (lowering.target.hasLdmatrix() && rowsAligned && exact && !kMajor &&
        bits == 8 && !setup.isSparse() &&
        transposesBytes(operand, setup.shape, setup.warps, setup.op.getM(),
                        setup.op.getN()))
      return makeByteLoader(lowering, *shared, operand, setup);
    return sharedElements(lowering, op, *shared, operand, setup, transposed,
                          elementType, *instruction, roundTf32);
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
  auto loader = std::make_unique<ElementLoader>(lowering, *instruction, operand,
                                                setup, elementType, element,
                                                elementType.isF32());
  loader->word = [context, held, map, transposed, elementType](
                     ArrayRef<SmallVector<int64_t>> elements) -> Value {
    int64_t first = -1;
    for (auto [i, at] : llvm::enumerate(elements)) {
      SmallVector<int64_t> coordinates(at);
      if (transposed)
        std::swap(coordinates[0], coordinates[1]);
      int64_t reg = (*map)(coordinates);
      if (i == 0)
        first = reg;
      if (reg < 0 || reg != first + static_cast<int64_t>(i))
        return {};
    }
    if (first % elements.size())
      return {};
    auto &b = context->builder;
    return LLVM::LoadOp::create(
        b, b.getI32Type(), context->registerAddress(held, elementType, first));
  };
  return std::unique_ptr<OperandLoader>(std::move(loader));
}
