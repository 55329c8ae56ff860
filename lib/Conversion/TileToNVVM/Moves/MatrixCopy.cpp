//===- MatrixCopy.cpp - copies by ldmatrix and stmatrix -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane names which row comes from Analysis/MatrixAccess, as it did when
// copy selection chose the instruction. All lanes of a warp take part: such
// layouts overshoot nowhere, so there is nothing to predicate.
//
//===----------------------------------------------------------------------===//
#include "MatrixCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/MatrixAccess.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

namespace {
/// The shared side of a copy by ldmatrix or stmatrix: one row address for each
/// lane and instruction.
struct MatrixRows {
  MatrixAccess access;
  int64_t count; // matrices per instruction
  SharedBuffer buffer;
  std::unique_ptr<KernelLowering::SharedAddresses> addresses;
};
} // namespace

static FailureOr<MatrixRows> makeRows(KernelLowering &lowering, CopyOp copy,
                                      Value shared, ValueRange offsets,
                                      ArrayRef<int64_t> extents,
                                      const FragmentLayout &loop) {
  FailureOr<SharedBuffer> buffer = lowering.shared(shared, copy);
  if (failed(buffer))
    return failure();
  SmallVector<unsigned> dims;
  for (auto [d, extent] : llvm::enumerate(extents))
    if (extent != 1)
      dims.push_back(d);
  MatrixRows rows;
  rows.buffer = *buffer;
  rows.count = copy.getPlan()->getBytes() / 4;
  unsigned bits = buffer->layout.elementBits();
  // Rows run along the tile's last dimension (copy selection's limit).
  auto access = matrixAccess(loop, loop.rank() - 1, bits, rows.count);
  if (!access)
    return copy.emitOpError() << access.reason();
  if (buffer->layout.alignedElements(dims.back()) * bits < 16 * 8)
    return copy.emitOpError()
           << "expected rows of 16 bytes, aligned to as many, in "
              "shared memory";
  rows.access = *access;
  SmallVector<Value> moved;
  if (!llvm::all_of(offsets, [](Value v) { return isConstantIntValue(v, 0); }))
    for (Value offset : offsets)
      moved.push_back(lowering.toI32(offset));
  rows.addresses = std::make_unique<KernelLowering::SharedAddresses>(
      lowering, rows.buffer, rows.access.rows, dims, moved);
  return std::move(rows);
}

LogicalResult tile::nvvm::lowerLdmatrix(KernelLowering &lowering, CopyOp copy,
                                        Endpoint &fragment,
                                        const FragmentLayout &loop) {
  auto rows = makeRows(lowering, copy, copy.getSource(),
                       copy.getSourceOffsets(), copy.getSourceExtents(), loop);
  if (failed(rows))
    return failure();
  auto &b = lowering.builder;
  const MatrixAccess &access = rows->access;
  Type i32 = b.getI32Type(), result = i32;
  if (rows->count > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(rows->count, i32));
  Type storage = lowering.storageType(fragment.elementType);
  for (int64_t g = 0, e = access.rows.numRegisters(); g < e; ++g) {
    Value loaded = NVVM::LdMatrixOp::create(
        b, result, (*rows->addresses)(g), static_cast<uint32_t>(rows->count),
        access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < rows->count; ++i) {
      Value word = rows->count == 1
                       ? loaded
                       : LLVM::ExtractValueOp::create(b, loaded, i);
      if (access.unit > 1 &&
          succeeded(fragment.storeWord((g * rows->count + i) * access.unit,
                                       access.unit, word)))
        continue;
      SmallVector<Value> values;
      if (access.unit == 1) {
        values.push_back(
            lowering.fromStorage(b.createOrFold<LLVM::BitcastOp>(storage, word),
                                 fragment.elementType));
      } else {
        Value vector = LLVM::BitcastOp::create(
            b, VectorType::get({access.unit}, storage), word);
        for (int64_t u = 0; u < access.unit; ++u)
          values.push_back(lowering.fromStorage(
              LLVM::ExtractElementOp::create(b, vector, lowering.i32(u)),
              fragment.elementType));
      }
      if (failed(fragment.store((g * rows->count + i) * access.unit, values)))
        return failure();
    }
  }
  return success();
}

LogicalResult tile::nvvm::lowerStmatrix(KernelLowering &lowering, CopyOp copy,
                                        Endpoint &fragment,
                                        const FragmentLayout &loop) {
  auto rows = makeRows(lowering, copy, copy.getTarget(),
                       copy.getTargetOffsets(), copy.getTargetExtents(), loop);
  if (failed(rows))
    return failure();
  auto &b = lowering.builder;
  const MatrixAccess &access = rows->access;
  Type element = elementTypeOf(copy.getTarget());
  Type storage = lowering.storageType(element);
  // Copies store words: loaded as such they stay words where a loop carries
  // them; LLVM would carry each half in a register of its own.
  bool isWords =
      access.unit > 1 && element == fragment.elementType &&
      llvm::all_of(copy.getSource().getUsers(), llvm::IsaPred<CopyOp>);
  // Where several warps hold the same elements, one of them writes. The
  // condition is uniform in a warp, since the lanes of such a layout all hold
  // different elements.
  OpBuilder::InsertionGuard restore(b);
  if (Value first = lowering.firstReplica(loop)) {
    auto branch = scf::IfOp::create(b, first, /*withElse=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (int64_t g = 0, e = access.rows.numRegisters(); g < e; ++g) {
    SmallVector<Value> words;
    for (int64_t i = 0; i < rows->count; ++i) {
      int64_t reg = (g * rows->count + i) * access.unit;
      if (Value word =
              isWords ? fragment.loadWord(reg, access.unit) : Value()) {
        words.push_back(word);
        continue;
      }
      auto loaded = fragment.load(reg, access.unit, /*pad=*/Value());
      if (failed(loaded))
        return failure();
      SmallVector<Value> values = lowering.convertElements(*loaded, element);
      if (access.unit == 1) {
        words.push_back(b.createOrFold<LLVM::BitcastOp>(
            b.getI32Type(), lowering.toStorage(values[0])));
        continue;
      }
      Value vector =
          LLVM::PoisonOp::create(b, VectorType::get({access.unit}, storage));
      for (auto [u, value] : llvm::enumerate(values))
        vector = LLVM::InsertElementOp::create(
            b, vector, lowering.toStorage(value), lowering.i32(u));
      words.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), vector));
    }
    NVVM::StMatrixOp::create(
        b, (*rows->addresses)(g), words,
        access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
  return success();
}
