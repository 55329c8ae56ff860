//===- SetTarget.cpp - states the architecture of a module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SETTARGETPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct SetTargetPass : tile::impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    // First in every pipeline: refused before anything is made of it.
    if (failed(verifyOnlyKernels(getOperation())))
      return signalPassFailure();
    std::string error;
    if (!TargetInfo::get(arch, &error)) {
      getOperation().emitError() << error;
      return signalPassFailure();
    }
    getOperation()->setAttr(kTargetAttrName,
                            TargetAttr::get(&getContext(), arch));
  }
};
} // namespace
