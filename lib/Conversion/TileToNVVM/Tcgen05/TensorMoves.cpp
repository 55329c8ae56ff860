//===- TensorMoves.cpp - between tensor memory and registers --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies, fills and operands. Zeros are not written: a tile remembers that it
// counts as zeros, the first product then ignores what is there (Tcgen05.cpp),
// and so does a read. Every move ends with a barrier of the agent between the
// two fences that the manual asks for, so that whatever comes next may touch
// the tile. Source: PTX ISA 9.0, "tcgen05.ld", "tcgen05.st", "Memory
// Consistency Model for 5th generation of TensorCore operations".
//
//===----------------------------------------------------------------------===//
#include "Assembly.h"
#include "RegisterMap.h"
#include "TensorMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

bool tile::nvvm::isZeroValue(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

MemRefType tile::nvvm::tensorWords(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t perWord = 32 / type.getElementTypeBitWidth();
  return MemRefType::get({type.getDimSize(0), type.getDimSize(1) / perWord},
                         IntegerType::get(type.getContext(), 32));
}

namespace {
/// What one tcgen05.ld or .st moves: neighbouring columns, a power of two.
struct Move {
  int64_t row, column; // of the tile, as far as registers tell
  int64_t columns;
};

/// Moves a whole tile, warp by warp.
class TensorMove {
public:
  TensorMove(KernelLowering &lowering, const TensorBuffer &buffer,
             ArrayRef<int64_t> tile)
      : lowering(lowering), buffer(buffer), tile(tile),
        groups{buffer.warps.m / kWarpsPerGroup, buffer.warps.n},
        span(tcgen05Span(tile[1], groups.n)) {}

  LogicalResult check(Operation *op) {
    if (buffer.warps.m * buffer.warps.n == lowering.agent.warps &&
        lowering.agent.firstWarp % kWarpsPerGroup == 0)
      return success();
    return op->emitOpError()
           << "expected " << buffer.warps.m << " x " << buffer.warps.n
           << " warps that start at a multiple of four to reach all lanes of "
              "tensor memory, got "
           << lowering.agent.warps << " from warp " << lowering.agent.firstWarp;
  }

  SmallVector<Move> moves() {
    SmallVector<Move> result;
    for (int64_t row = 0; row < tile[0] / groups.m; row += buffer.rows)
      for (int64_t first = 0; first < tile[1]; first += span * groups.n)
        for (int64_t column = 0; column < span;) {
          int64_t columns =
              std::min<int64_t>(64, llvm::bit_floor<uint64_t>(span - column));
          result.push_back({row, first + column, columns});
          column += columns;
        }
    return result;
  }

  /// Registers of a move, each with the part of its coordinates that it tells.
  SmallVector<std::array<int64_t, 2>> registers(const Move &move) {
    SmallVector<std::array<int64_t, 2>> result;
    if (buffer.rows == 128)
      for (int64_t column = 0; column < move.columns; ++column)
        result.push_back({move.row, move.column + column});
    else // rows r and r + 8, pairs of columns
      for (int64_t r = 0; r < move.columns / 2; ++r)
        result.push_back(
            {move.row + r / 2 % 2 * 8, move.column + r / 4 * 8 + r % 2});
    return result;
  }

  std::string shape(const Move &move) {
    bool whole = buffer.rows == 128;
    return std::string(whole ? "32x32b" : "16x256b") + ".x" +
           std::to_string(whole ? move.columns : move.columns / 8) + ".b32";
  }

  /// The address of this warp's lanes and part of the tile.
  Value base() {
    auto &b = lowering.builder;
    Value warp = lowering.uniformWarpId();
    Value lanes = b.createOrFold<arith::ShLIOp>(
        b.createOrFold<arith::AndIOp>(warp, lowering.i32(3)),
        lowering.i32(16 + 5));
    Value address = lowering.add(
        lowering.add(lowering.tensorMemory.base, buffer.slot), lanes);
    if (groups.m > 1) {
      Value group = b.createOrFold<arith::RemUIOp>(
          b.createOrFold<arith::DivUIOp>(warp, lowering.i32(kWarpsPerGroup)),
          lowering.i32(groups.m));
      address = lowering.add(
          address,
          lowering.mulConst(group, tile[0] / groups.m / buffer.rows * tile[1]));
    }
    if (groups.n > 1)
      address = lowering.add(
          address, lowering.mulConst(b.createOrFold<arith::DivUIOp>(
                                         warp, lowering.i32(buffer.warps.m)),
                                     span));
    return address;
  }

  int64_t offset(const Move &move) {
    return buffer.column + move.row / buffer.rows * tile[1] + move.column;
  }

  /// All threads of the agent have moved their part, in pairs of both agents;
  /// of a slot each speaks for itself when it releases it.
  void finish() {
    emitTcgen05Fence(lowering, /*before=*/true);
    if (buffer.slot)
      return;
    lowering.barrier();
    meetPair(lowering);
    emitTcgen05Fence(lowering, /*before=*/false);
  }

private:
  KernelLowering &lowering;
  const TensorBuffer &buffer;
  ArrayRef<int64_t> tile;
  WarpGrid groups;
  int64_t span;
};
} // namespace

/// One instruction's address, from the warp's base.
static void addAddress(Assembly &assembly, const std::string &base,
                       int64_t offset) {
  assembly.line(".reg .b32 ta;");
  assembly.line("add.u32 ta, " + base + ", " + std::to_string(offset) + ";");
}

static void load(KernelLowering &lowering, TensorMove &tensor,
                 const TensorBuffer &buffer, const FragmentBuffer &fragment,
                 Type element) {
  auto &b = lowering.builder;
  RegisterMap map(fragment.layout);
  Value base = tensor.base();
  Value holds;
  if (buffer.holds)
    holds = b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ne,
        LLVM::LoadOp::create(b, b.getI32Type(), buffer.holds), lowering.i32(0));
  for (const Move &move : tensor.moves()) {
    // The wait is in the same piece: nothing uses a register before it.
    Assembly assembly(lowering);
    auto registers = tensor.registers(move);
    SmallVector<std::string> names;
    for (size_t i = 0; i < registers.size(); ++i)
      names.push_back(assembly.result(b.getI32Type(), 'r'));
    addAddress(assembly, assembly.input(base, "r"), tensor.offset(move));
    assembly.line((ptx::kTcgen05Load + "sync.aligned.").str() +
                  tensor.shape(move) + " {" + llvm::join(names, ", ") +
                  "}, [ta];");
    assembly.line(ptx::kTcgen05WaitForLoads.str());
    SmallVector<Value> words = assembly.emit();
    for (auto [at, word] : llvm::zip_equal(registers, words)) {
      Value value = word;
      if (holds)
        value = arith::SelectOp::create(b, holds, value, lowering.i32(0));
      if (!element.isInteger(32))
        value = LLVM::BitcastOp::create(b, element, value);
      lowering.storeRegister(fragment, element, map({at[0], at[1]}), value);
    }
  }
  tensor.finish();
}

static void store(KernelLowering &lowering, TensorMove &tensor,
                  const TensorBuffer &buffer,
                  llvm::function_ref<Value(ArrayRef<int64_t>)> valueAt) {
  auto &b = lowering.builder;
  Value base = tensor.base();
  for (const Move &move : tensor.moves()) {
    Assembly assembly(lowering);
    SmallVector<std::string> names;
    for (const std::array<int64_t, 2> &at : tensor.registers(move)) {
      Value value = valueAt(at);
      if (!value.getType().isInteger(32))
        value = LLVM::BitcastOp::create(b, b.getI32Type(), value);
      names.push_back(assembly.input(value, "r"));
    }
    addAddress(assembly, assembly.input(base, "r"), tensor.offset(move));
    assembly.line("tcgen05.st.sync.aligned." + tensor.shape(move) + " [ta], {" +
                  llvm::join(names, ", ") + "};");
    assembly.emit();
  }
  lowering.inlineAsm(TypeRange(), "tcgen05.wait::st.sync.aligned;", "~{memory}",
                     ValueRange());
  tensor.finish();
  if (buffer.holds)
    LLVM::StoreOp::create(b, lowering.i32(1), buffer.holds);
}

LogicalResult tile::nvvm::lowerTensorCopy(KernelLowering &lowering,
                                          CopyOp copy) {
  bool isLoad = isTensorMemory(copy.getSource());
  Value inTensor = isLoad ? copy.getSource() : copy.getTarget();
  Value inRegisters = isLoad ? copy.getTarget() : copy.getSource();
  auto type = cast<MemRefType>(inTensor.getType());
  if (inRegisters.getType() !=
          MemRefType::get(type.getShape(), type.getElementType(),
                          MemRefLayoutAttrInterface(),
                          FragmentSpaceAttr::get(type.getContext())) ||
      !copy.getSourceOffsets().empty() || !copy.getTargetOffsets().empty() ||
      copy.getSourceSizes() || copy.getTargetSizes())
    return copy.emitOpError()
           << "expected a whole buffer in tensor memory and a fragment of its "
              "shape and element type, got "
           << copy.getSource().getType() << " to "
           << copy.getTarget().getType();
  FailureOr<TensorBuffer> buffer = tensorBuffer(lowering, inTensor, copy);
  FailureOr<FragmentBuffer> fragment = lowering.fragment(inRegisters, copy);
  if (failed(buffer) || failed(fragment))
    return failure();
  auto expected = tcgen05Fragment(buffer->rows, type.getShape(), buffer->warps);
  if (!expected)
    return copy.emitOpError() << expected.reason();
  if (!sameThreads(*expected, fragment->layout, {0, 1}))
    return copy.emitOpError()
           << "expected a fragment in the layout in which warps read tensor "
              "memory: run --tile-infer-layouts";
  TensorMove tensor(lowering, *buffer, type.getShape());
  if (failed(tensor.check(copy)))
    return failure();
  Type element = type.getElementType();
  if (isLoad) {
    load(lowering, tensor, *buffer, *fragment, element);
    return success();
  }
  RegisterMap map(fragment->layout);
  store(lowering, tensor, *buffer, [&](ArrayRef<int64_t> at) {
    return lowering.loadRegister(*fragment, element,
                                 map(SmallVector<int64_t>(at)));
  });
  return success();
}

LogicalResult tile::nvvm::storeOperand(KernelLowering &lowering, GemmOp gemm) {
  auto &b = lowering.builder;
  Value operand = gemm.getA();
  auto type = cast<MemRefType>(operand.getType());
  FailureOr<FragmentBuffer> fragment = lowering.fragment(operand, gemm);
  if (failed(fragment))
    return failure();
  const TensorBuffer &buffer = lowering.tensorOperands[gemm];
  auto expected = tcgen05Fragment(buffer.rows, type.getShape(), buffer.warps);
  if (buffer.rows != 128 || buffer.warps.n != 1 || gemm.getTransposeA())
    return gemm.emitOpError()
           << "expected operand A of tcgen05 in registers to "
              "be M x K, M a multiple of 128, and all "
              "warpgroups along m";
  if (!expected)
    return gemm.emitOpError() << expected.reason();
  if (!sameThreads(*expected, fragment->layout, {0, 1}))
    return gemm.emitOpError()
           << "expected operand A in the layout in which warps write tensor "
              "memory: run --tile-infer-layouts";
  MemRefType words = tensorWords(operand);
  TensorMove tensor(lowering, buffer, words.getShape());
  if (failed(tensor.check(gemm)))
    return failure();
  Type element = type.getElementType(), storage = lowering.storageType(element);
  int64_t perWord = 32 / type.getElementTypeBitWidth();
  RegisterMap map(fragment->layout);
  auto registerOf = [&](ArrayRef<int64_t> word, int64_t e) {
    return map({word[0], word[1] * perWord + e});
  };
  for (const Move &move : tensor.moves())
    for (const std::array<int64_t, 2> &at : tensor.registers(move))
      for (int64_t e = 0; e < perWord; ++e)
        if (registerOf(at, e) != registerOf(at, 0) + e)
          return gemm.emitOpError() << "expected operand A to hold elements "
                                       "along k in the order of its words";
  store(lowering, tensor, buffer, [&](ArrayRef<int64_t> at) -> Value {
    int64_t reg = registerOf(at, 0);
    if (perWord > 1)
      return LLVM::BitcastOp::create(
          b, b.getI32Type(),
          LLVM::LoadOp::create(
              b, VectorType::get({perWord}, storage),
              lowering.registerAddress(*fragment, element, reg),
              storage.getIntOrFloatBitWidth() / 8));
    Value value = lowering.loadRegister(*fragment, element, reg);
    // The instruction drops the low bits of an f32: round first.
    return lowering.roundToTf32(value);
  });
  return success();
}

LogicalResult tile::nvvm::lowerTensorFill(KernelLowering &lowering,
                                          FillOp fill) {
  if (!fill.getOffsets().empty() || fill.getSizes())
    return fill.emitOpError() << "expected a whole buffer in tensor memory";
  FailureOr<TensorBuffer> buffer =
      tensorBuffer(lowering, fill.getTarget(), fill);
  if (failed(buffer))
    return failure();
  if (isZeroValue(fill.getValue())) {
    LLVM::StoreOp::create(lowering.builder, lowering.i32(0), buffer->holds);
    return success();
  }
  // Another thread issues the products, and nothing orders it and stores.
  if (ringOf(fill.getTarget()))
    return fill.emitOpError()
           << "expected zero in a slot of a ring in tensor memory, which the "
              "first product then starts from: add other numbers where the "
              "result is read";
  auto type = cast<MemRefType>(fill.getTarget().getType());
  TensorMove tensor(lowering, *buffer, type.getShape());
  if (failed(tensor.check(fill)))
    return failure();
  store(lowering, tensor, *buffer,
        [&](ArrayRef<int64_t>) { return fill.getValue(); });
  return success();
}
