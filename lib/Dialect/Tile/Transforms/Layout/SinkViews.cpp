//===- SinkViews.cpp - views of tiles where they are used -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "SinkViews.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// The operation at block level that `user` is, or is in the body of.
static Operation *atBlockLevel(Operation *user) {
  auto around = user->getParentOfType<TileOpInterface>();
  return around ? around.getOperation() : user;
}

void tile::sinkViews(KernelOp kernel) {
  SmallVector<Operation *> views;
  kernel.getBodyRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (getTileViewSource(op) && !isGlobal(op->getResult(0)))
      views.push_back(op);
  });
  // A view of a view is visited after the view that it is made of, because it
  // is one of its uses.
  for (Operation *view : llvm::reverse(views)) {
    llvm::MapVector<Operation *, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : view->getUses())
      uses[atBlockLevel(use.getOwner())].push_back(&use);
    for (auto &[user, operands] : uses) {
      OpBuilder builder(user);
      Value own = builder.clone(*view)->getResult(0);
      for (OpOperand *operand : operands)
        operand->set(own);
    }
    view->erase();
  }
}
