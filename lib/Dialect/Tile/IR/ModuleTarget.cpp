//===- ModuleTarget.cpp - the target that a module states -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tile;

static ModuleOp moduleOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

const TargetInfo *tile::findTarget(Operation *op) {
  ModuleOp module = moduleOf(op);
  auto stated = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName)
                       : TargetAttr();
  return stated ? TargetInfo::get(stated.getArch()) : nullptr;
}

const DeviceInfo &tile::deviceOf(Operation *op, const TargetInfo &target) {
  ModuleOp module = moduleOf(op);
  auto stated = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName)
                       : TargetAttr();
  return DeviceInfo::of(target, stated ? stated.getDevice() : StringRef());
}

const TargetInfo *tile::requireTarget(Operation *op, StringRef why) {
  if (const TargetInfo *target = findTarget(op))
    return target;
  ModuleOp module = moduleOf(op);
  InFlightDiagnostic error = (module ? module.getOperation() : op)->emitError()
                             << "expected '" << kTargetAttrName
                             << "' on the module "
                                "(`--tile-set-target=arch=...`)";
  if (!why.empty())
    error.attachNote(op->getLoc()) << why;
  return nullptr;
}
