//===- ReadOnlyCache.cpp - loads that assume nobody writes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ReadOnlyCache.h"
#include "Instrument.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace mlir::tile::lowered;

bool mlir::tile::lowered::readsThroughReadOnlyCache(
    const llvm::LoadInst &load) {
  if (load.getPointerAddressSpace() != unsigned(Space::Global) ||
      !load.isSimple())
    return false;
  if (load.hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return true;
  bool isKernel =
      load.getFunction()->getCallingConv() == llvm::CallingConv::PTX_Kernel;
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(load.getPointerOperand(), objects);
  return llvm::all_of(objects, [&](const llvm::Value *object) {
    if (auto *argument = llvm::dyn_cast<llvm::Argument>(object))
      return isKernel && argument->onlyReadsMemory() &&
             argument->hasNoAliasAttr();
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return variable && variable->isConstant();
  });
}

void ReadOnlyBytes::clear() { reads = writes = Side(); }

std::optional<SiteId> ReadOnlyBytes::record(Side &side, const Side &other,
                                            size_t offset, size_t bytes,
                                            size_t size, SiteId site) {
  if (side.bytes.empty())
    side.bytes.resize(size);
  side.bytes.set(offset, offset + bytes);
  side.site = site;
  if (other.bytes.empty() ||
      other.bytes.find_first_in(offset, offset + bytes) < 0)
    return std::nullopt;
  return other.site;
}

std::optional<SiteId> ReadOnlyBytes::read(size_t offset, size_t bytes,
                                          size_t size, SiteId site) {
  return record(reads, writes, offset, bytes, size, site);
}

std::optional<SiteId> ReadOnlyBytes::write(size_t offset, size_t bytes,
                                           size_t size, SiteId site) {
  return record(writes, reads, offset, bytes, size, site);
}
