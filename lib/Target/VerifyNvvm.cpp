//===- VerifyNvvm.cpp - checks instructions and their hazards -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Target/NvvmHazards.h"
#include "tile/Target/NvvmInstructions.h"
#include "tile/Target/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_VERIFYNVVMPASS
#include "tile/Target/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
struct VerifyNvvmPass : tile::impl::VerifyNvvmPassBase<VerifyNvvmPass> {
  using VerifyNvvmPassBase::VerifyNvvmPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string name = arch;
    if (name.empty())
      if (auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName))
        name = target.getArch().str();
    // What --convert-tile-to-nvvm leaves in its place.
    if (name.empty())
      if (auto lowered = module->getAttrOfType<StringAttr>("mlir_tile.arch"))
        name = lowered.str();
    std::string error;
    const TargetInfo *target = TargetInfo::get(name, &error);
    if (!target) {
      module.emitError() << error;
      return signalPassFailure();
    }
    if (failed(verifyForTarget(module, *target)) ||
        failed(verifyHazards(module)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
