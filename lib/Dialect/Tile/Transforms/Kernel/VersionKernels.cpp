//===- VersionKernels.cpp - kernels compiled once more, on promises -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs after the target is known and before layouts: what the program leaves
// open about addresses and strides decides whether tiles can be moved 16 bytes
// at a time, or by tensor copies. Nothing may be assumed of it, so the kernel
// is copied, the copy promises it, and the launcher asks which of the two fits
// the arguments. What promises are good for is decided by later phases.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "tile/Analysis/IndexFacts.h"
#include "tile/Analysis/TmaGeometry.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Dialect/Tile/Transforms/Versions.h"
#include "tile/Target/ManifestBuilder.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERSIONKERNELSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// What the widest copies take at a time.
static constexpr int64_t kWideBytes = 16;

static std::string nameOfVersion(KernelOp kernel) {
  return (kernel.getSymName() + "__aligned").str();
}

namespace {
/// What would have to hold of one argument.
struct Promises {
  unsigned argument;
  bool alignment = false;
  /// Dimensions whose extent (whose stride) is a multiple of `divisor`.
  SmallVector<unsigned> extents, strides;
  int64_t divisor = 1;

  bool any() const { return alignment || !extents.empty() || !strides.empty(); }
};

struct VersionKernelsPass
    : tile::impl::VersionKernelsPassBase<VersionKernelsPass> {
  using VersionKernelsPassBase::VersionKernelsPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (llvm::is_contained(without, nameOfVersion(kernel)))
        continue;
      SmallVector<Promises> promises = missingPromises(kernel);
      if (!promises.empty())
        addVersion(kernel, promises, symbols);
    }
  }

private:
  SmallVector<Promises> missingPromises(KernelOp kernel);
  void addVersion(KernelOp kernel, ArrayRef<Promises> promises,
                  SymbolTable &symbols);
};
} // namespace

/// The first copy between tiles and the memory of an argument, or null.
static TileMoveOpInterface findCopy(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto copy = dyn_cast<TileMoveOpInterface>(user))
      if (copy.getSource() == buffer || copy.getTarget() == buffer)
        return copy;
    if (auto cast = dyn_cast<memref::CastOp>(user))
      if (TileMoveOpInterface copy = findCopy(cast.getResult()))
        return copy;
  }
  return {};
}

/// What is not known of an argument, and would let its rows be moved in whole
/// pieces; nothing when its type rules that out.
static Promises missingPromises(KernelOp kernel, unsigned index) {
  Promises promises;
  promises.argument = index;
  BlockArgument argument = kernel.getKernelArgument(index);
  auto type = dyn_cast<MemRefType>(argument.getType());
  if (!type || type.getRank() == 0)
    return promises;
  TileMoveOpInterface copy = findCopy(argument);
  Type element = type.getElementType();
  int64_t bits = getStorageBits(element);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!copy || failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return promises;
  promises.divisor = std::max<int64_t>(1, kWideBytes * 8 / bits);
  SmallVector<IndexFacts> known = getStrideFacts(argument, copy);
  unsigned last = type.getRank() - 1;
  Promises found = promises;
  for (unsigned dim = 0; dim < last; ++dim) {
    if (known[dim].isMultipleOf(found.divisor) || type.getDimSize(dim) == 1)
      continue;
    if (!ShapedType::isDynamic(strides[dim]))
      return promises; // known not to be
    if (!type.getLayout().isIdentity())
      found.strides.push_back(dim);
    else if (!type.isDynamicDim(last))
      return promises; // rows are of a length that cannot be promised
    else if (found.extents.empty())
      found.extents.push_back(last); // all strides are products of it
  }
  found.alignment = kernel.getArgumentAlignment(index) < kWideBytes;
  return found;
}

SmallVector<Promises> VersionKernelsPass::missingPromises(KernelOp kernel) {
  SmallVector<Promises> result;
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i)
    if (Promises promises = ::missingPromises(kernel, i); promises.any())
      result.push_back(std::move(promises));
  return result;
}

void tile::nameVersionInLocations(KernelOp kernel, StringAttr version) {
  auto name = FlatSymbolRefAttr::get(version);
  kernel.walk([&](Operation *op) {
    op->setLoc(FusedLoc::get({op->getLoc()}, name, op->getContext()));
  });
}

void VersionKernelsPass::addVersion(KernelOp kernel,
                                    ArrayRef<Promises> promises,
                                    SymbolTable &symbols) {
  auto version = kernel.clone();
  version.setSymName(nameOfVersion(kernel));
  // Behind all kernels: the order of what the user wrote stays.
  symbols.insert(version, getOperation().getBody()->end());
  // A version of a version is one of the kernel.
  if (!version->hasAttr(kVersionOfAttrName))
    version->setAttr(kVersionOfAttrName, kernel.getSymNameAttr());
  version->removeAttr(kStandsForAttrName);

  SmallVector<Attribute> attributes(version.getArgAttrs().begin(),
                                    version.getArgAttrs().end());
  Block &body = version.getBodyRegion().front();
  auto builder = ImplicitLocOpBuilder::atBlockBegin(version.getLoc(), &body);
  auto assume = [&](Value value, int64_t divisor) {
    AssumeOp::create(builder, value, builder.getI64IntegerAttr(divisor),
                     /*min=*/nullptr, /*max=*/nullptr,
                     /*equals=*/Value());
  };
  for (const Promises &promise : promises) {
    BlockArgument argument = version.getKernelArgument(promise.argument);
    if (promise.alignment) {
      NamedAttrList list(cast<DictionaryAttr>(attributes[promise.argument]));
      list.set(kAlignmentAttrName, builder.getI64IntegerAttr(kWideBytes));
      attributes[promise.argument] = list.getDictionary(&getContext());
    }
    for (unsigned dim : promise.extents)
      assume(memref::DimOp::create(builder, argument, dim), promise.divisor);
    if (promise.strides.empty())
      continue;
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, argument);
    for (unsigned dim : promise.strides)
      assume(metadata.getStrides()[dim], promise.divisor);
  }
  version.setArgAttrsAttr(builder.getArrayAttr(attributes));
  nameVersionInLocations(version, version.getSymNameAttr());
  remarkAt(remarks, kernel)
      << "compiled a second time, as '" << version.getSymName()
      << "', for addresses and strides that are multiples of 16 bytes: the "
         "launcher takes it where they are; `tile.alignment = 16` and "
         "`tile.assume` promise it, and one version is enough";
}
