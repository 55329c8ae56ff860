//===- CheckAccesses.cpp - assertions on what a kernel's author wrote -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On request: an index outside its buffer, or a loop whose step is not
// positive, fails with a message instead of reading foreign memory or running
// for ever. Runs before tile operations become loops, whose accesses are right
// by construction.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

static std::string describe(StringRef what, Location loc) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << what << " at " << loc;
  return text;
}

static void checkIndices(Operation *op, Value buffer, ValueRange indices) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value inside;
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value size = memref::DimOp::create(builder, loc, buffer, d);
    Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        index, size);
    inside = inside ? Value(arith::AndIOp::create(builder, loc, inside, below))
                    : below;
  }
  if (inside)
    AssertOp::create(builder, loc, inside,
                     describe("expected indices inside the buffer", loc));
}

static void checkStep(Operation *op, Value step) {
  APInt constant;
  if (matchPattern(step, m_ConstantInt(&constant)) &&
      constant.isStrictlyPositive())
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(step.getType()));
  Value positive = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::sgt, step, zero);
  AssertOp::create(builder, loc, positive,
                   describe("expected a positive step of the loop", loc));
}

void tile::checkAccesses(KernelOp kernel) {
  SmallVector<Operation *> operations;
  kernel.getBodyRegion().walk([&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      checkIndices(op, load.getMemRef(), load.getIndices());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      checkIndices(op, store.getMemRef(), store.getIndices());
    else if (auto rmw = dyn_cast<memref::AtomicRMWOp>(op))
      checkIndices(op, rmw.getMemref(), rmw.getIndices());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      checkStep(op, loop.getStep());
    else if (auto loop = dyn_cast<PipelinedOp>(op))
      checkStep(op, loop.getStep());
  }
}
