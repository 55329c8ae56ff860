//===- SharedPlaces.cpp - where in shared memory an address points --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "NvvmShapes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tile/Target/PtxMnemonics.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::hazards;

std::optional<Place> hazards::placeOf(Value address) {
  Place place;
  while (Operation *op = address.getDefiningOp()) {
    APInt constant;
    if (isa<LLVM::PtrToIntOp, LLVM::AddrSpaceCastOp>(op)) {
      address = op->getOperand(0);
    } else if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
      if (gep.getRawConstantIndices().size() != 1 ||
          !gep.getElemType().isInteger(8))
        return std::nullopt;
      int32_t raw = gep.getRawConstantIndices().front();
      if (raw != LLVM::GEPOp::kDynamicIndex)
        place.offset += raw;
      else if (matchPattern(gep.getDynamicIndices().front(),
                            m_ConstantInt(&constant)))
        place.offset += constant.getSExtValue();
      else
        place.isExact = false;
      address = gep.getBase();
    } else {
      break;
    }
  }
  place.root = address;
  // The same symbol may be asked for twice.
  if (auto symbol = address.getDefiningOp<LLVM::AddressOfOp>())
    for (auto other : symbol->getBlock()->getOps<LLVM::AddressOfOp>())
      if (other.getGlobalName() == symbol.getGlobalName()) {
        place.root = other.getResult();
        break;
      }
  return place;
}

//===----------------------------------------------------------------------===//
// Who writes what matrix instructions read
//===----------------------------------------------------------------------===//

static bool isSharedPointer(Value value) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(value.getType());
  return pointer && pointer.getAddressSpace() == 3;
}

/// The pointer into shared memory that an integer is computed from, an address
/// or a matrix descriptor; null where there is none, or another one.
static Value pointerIn(Value value, unsigned depth = 0) {
  if (isSharedPointer(value))
    return value;
  Operation *op = value.getDefiningOp();
  constexpr unsigned kDeepest = 16;
  if (!op || depth > kDeepest ||
      !isa<LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp,
           LLVM::AddOp, LLVM::OrOp, LLVM::AndOp, LLVM::LShrOp, LLVM::ZExtOp,
           LLVM::TruncOp>(op))
    return nullptr;
  return pointerIn(op->getOperand(0), depth + 1);
}

void CopiedByTma::addWrite(Value address, bool isTma) {
  Value pointer = address ? pointerIn(address) : nullptr;
  std::optional<Place> place = pointer ? placeOf(pointer) : std::nullopt;
  if (!place) {
    isUnclear |= !isTma;
    return;
  }
  auto [it, isNew] = writes[place->root].insert({place->offset, isTma});
  it->second &= isTma;
}

/// The address that an operation writes to through the generic proxy; null
/// where the text does not say which of its operands it is.
static Value genericDestination(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getAddr();
  if (isa<NVVM::CpAsyncOp, NVVM::StMatrixOp>(op) ||
      assembly(op).contains("cp.async.c"))
    return op->getOperand(0);
  return nullptr;
}

CopiedByTma::CopiedByTma(LLVM::LLVMFuncOp function) {
  function.walk([&](Operation *op) {
    if (op->getName().getStringRef().starts_with(
            "nvvm.cp.async.bulk.tensor.shared"))
      addWrite(op->getOperand(0), true);
    else if (writesShared(op))
      addWrite(genericDestination(op), false);
  });
}

bool CopiedByTma::areOperandsOf(Operation *mma) const {
  bool hasOperand = false;
  for (Value operand : mma->getOperands()) {
    // Descriptors.
    if (!operand.getType().isInteger(64))
      continue;
    Value pointer = pointerIn(operand);
    std::optional<Place> place = pointer ? placeOf(pointer) : std::nullopt;
    auto symbol = place ? writes.find(place->root) : writes.end();
    if (isUnclear || symbol == writes.end())
      return false;
    // Steps along k begin behind the place that is written.
    auto behind = symbol->second.upper_bound(place->offset);
    if (behind == symbol->second.begin() || !std::prev(behind)->second)
      return false;
    hasOperand = true;
  }
  return hasOperand;
}
