//===- LowerAgents.cpp - roles and asynchronous operations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What does not run where it stands becomes an `scf.execute_region` with a
// mark: a role, and an operation that returns a token where such operations are
// put off until they are awaited. OutlineRegions.cpp makes functions of them
// once their contents are loops. A token is a number, 0 when nothing is under
// way.
//
//===----------------------------------------------------------------------===//
#include "RuntimeCalls.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/TileBarrierOps.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// Values that carry tokens become numbers.
static void retypeTokens(func::FuncOp function) {
  Type index = IndexType::get(function.getContext());
  auto retype = [&](Value value) {
    if (isa<TokenType>(value.getType()))
      value.setType(index);
  };
  function.walk([&](Operation *op) {
    if (!isa<TileDialect>(op->getDialect()))
      llvm::for_each(op->getResults(), retype);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        retype(argument);
  });
}

/// The same operation without a token.
static void createSynchronous(OpBuilder &builder, Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  builder.create(state);
}

/// Executes `op` where it stands, or marks it as put off; its token becomes a
/// number.
static void replaceIssue(Operation *op, bool lazy) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (!lazy) {
    createSynchronous(builder, op);
    op->getResult(0).replaceAllUsesWith(indexConstant(builder, loc, 0));
    op->erase();
    return;
  }
  std::string name;
  llvm::raw_string_ostream(name) << op->getName() << " at " << loc;
  auto region =
      scf::ExecuteRegionOp::create(builder, loc, builder.getIndexType());
  region->setAttr(kDeferredAttrName, builder.getStringAttr(name));
  if (isa<GemmOp>(op))
    region->setAttr(kGemmAttrName, builder.getUnitAttr());
  op->getResult(0).replaceAllUsesWith(region.getResult(0));
  builder.setInsertionPointToStart(&region.getRegion().emplaceBlock());
  createSynchronous(builder, op);
  scf::YieldOp::create(builder, loc,
                       ValueRange(indexConstant(builder, loc, 0)));
  op->erase();
}

/// Whether something is put off.
static bool lowerTokens(func::FuncOp function, bool lazy) {
  SmallVector<Operation *> issues;
  SmallVector<AwaitOp> awaits;
  SmallVector<TokenDoneOp> dones;
  function.walk([&](Operation *op) {
    auto gemm = dyn_cast<GemmOp>(op);
    auto copy = dyn_cast<TileMoveOpInterface>(op);
    if ((gemm && gemm.isAsync()) || (copy && copy.isAsync()))
      issues.push_back(op);
    else if (auto await = dyn_cast<AwaitOp>(op))
      awaits.push_back(await);
    else if (auto done = dyn_cast<TokenDoneOp>(op))
      dones.push_back(done);
  });
  retypeTokens(function);
  for (Operation *op : issues)
    replaceIssue(op, lazy);
  for (TokenDoneOp done : dones) {
    OpBuilder builder(done);
    done.getToken().replaceAllUsesWith(
        indexConstant(builder, done.getLoc(), 0));
    done.erase();
  }
  for (AwaitOp await : awaits) {
    OpBuilder builder(await);
    if (lazy)
      for (Value token : await.getTokens())
        RuntimeCalls(await).call(builder, "await", {token});
    await.erase();
  }
  return lazy && !issues.empty();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// An agent is one thread here: what its threads meet at is nothing.
static void dropBarriers(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (isa<BarrierOp, FenceOp, CommitCopiesOp>(op))
      op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static void lowerRoles(WarpSpecializeOp op) {
  OpBuilder builder(op);
  for (auto [i, role] : llvm::enumerate(op.getRoles())) {
    StringRef name = cast<StringAttr>(op.getNames()[i]).getValue();
    auto region =
        scf::ExecuteRegionOp::create(builder, op.getLoc(), TypeRange());
    region->setAttr(kRoleAttrName, builder.getStringAttr(name));
    region.getRegion().takeBody(role);
    Operation *end = region.getRegion().front().getTerminator();
    OpBuilder atEnd(end);
    scf::YieldOp::create(atEnd, end->getLoc());
    end->erase();
  }
  RuntimeCalls(op).call(builder, "run_roles", {});
  op.erase();
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

void tile::noteArrivals(KernelOp kernel) {
  kernel.walk([](MbarrierArriveOp arrive) {
    arrive->setAttr(kThreadsAttrName,
                    Builder(arrive.getContext())
                        .getI64IntegerAttr(getAgentThreads(arrive)));
  });
}

/// A barrier is a count that whoever runs the program keeps: `number` is that
/// of its create.
static void lowerMbarrierUser(Operation *user, int64_t number) {
  OpBuilder builder(user);
  RuntimeCalls runtime(user);
  Value id = indexConstant(builder, user->getLoc(), number);
  if (auto arrive = dyn_cast<MbarrierArriveOp>(user)) {
    int64_t threads =
        user->getAttrOfType<IntegerAttr>(kThreadsAttrName).getInt();
    Value count = indexConstant(builder, user->getLoc(), threads);
    if (Value block = arrive.getBlock())
      runtime.call(builder, "cluster_arrive",
                   {id, arrive.getIndex(), block, count});
    else
      runtime.call(builder, "mbarrier_arrive", {id, arrive.getIndex(), count});
  } else if (auto wait = dyn_cast<MbarrierWaitOp>(user)) {
    runtime.call(builder, "mbarrier_wait",
                 {id, wait.getIndex(), wait.getParity()});
  } else {
    // A copy that completes here is done before its thread arrives.
    auto copy = cast<CopyOp>(user);
    copy.getCompletionMutable().clear();
    copy.getCompletionIndexMutable().clear();
    return;
  }
  user->erase();
}

/// Whether there are any.
static bool lowerMbarriers(func::FuncOp function) {
  SmallVector<MbarrierCreateOp> creates;
  function.walk([&](MbarrierCreateOp create) { creates.push_back(create); });
  for (auto [number, create] : llvm::enumerate(creates)) {
    OpBuilder builder(create);
    RuntimeCalls runtime(create);
    std::string name;
    llvm::raw_string_ostream(name) << "the barriers at " << create.getLoc();
    auto constant = [&](int64_t value) {
      return indexConstant(builder, create.getLoc(), value);
    };
    Value text = runtime.message(builder, name);
    for (int64_t i = 0; i < create.getBarriers().getType().getCount(); ++i)
      runtime.call(builder, "mbarrier_create",
                   {constant(number), constant(i),
                    constant(create.getArrivalsOf(i)), text});
    for (Operation *user : llvm::make_early_inc_range(create->getUsers()))
      lowerMbarrierUser(user, static_cast<int64_t>(number));
    create.erase();
  }
  return !creates.empty();
}

LogicalResult tile::lowerAgents(func::FuncOp function, bool lazyAsync,
                                std::optional<unsigned> poison) {
  dropBarriers(function);
  SmallVector<WarpSpecializeOp> roles;
  function.walk([&](WarpSpecializeOp op) { roles.push_back(op); });
  bool hasRings =
      function.walk([](RingCreateOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (failed(lowerRings(function, poison)))
    return failure();
  bool hasDeferred = lowerTokens(function, lazyAsync);
  FailureOr<bool> clustersMeet = lowerClusterMeetings(function);
  if (failed(clustersMeet))
    return failure();
  bool hasMbarriers = lowerMbarriers(function);
  llvm::for_each(roles, lowerRoles);
  if (!hasRings && !hasDeferred && !hasMbarriers && roles.empty() &&
      !*clustersMeet)
    return success();

  scf::ForOp loop = getBlockLoop(function);
  RuntimeCalls runtime(loop.getBody()->getTerminator());
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  runtime.call(builder, "block_begin", {runtime.getBlock()});
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  runtime.call(builder, "block_end", {});
  if (*clustersMeet)
    runtime.call(builder, "cluster_end", {});
  return success();
}
