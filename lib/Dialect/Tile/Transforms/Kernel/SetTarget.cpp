//===- SetTarget.cpp - states the architecture of a module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Target/DeviceInfo.h"

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
    ModuleOp module = getOperation();
    auto emitError = [&] { return module.emitError(); };
    StringRef name = arch;
    StringRef wanted = device;
    if (!wanted.empty()) {
      std::string error;
      const DeviceInfo *figures = DeviceInfo::get(wanted, &error);
      if (!figures) {
        emitError() << error;
        return signalPassFailure();
      }
      wanted = figures->name;
      if (name.empty())
        name = TargetInfo::newestFor(figures->capability)->arch;
    }
    // A module that says for what it is compiled keeps that.
    if (name.empty() && module->hasAttrOfType<TargetAttr>(kTargetAttrName))
      return;
    auto attribute = TargetAttr::getChecked(
        llvm::function_ref<InFlightDiagnostic()>(emitError), &getContext(),
        name.empty() ? "sm_80" : name, wanted);
    if (!attribute)
      return signalPassFailure();
    module->setAttr(kTargetAttrName, attribute);
  }
};
} // namespace
