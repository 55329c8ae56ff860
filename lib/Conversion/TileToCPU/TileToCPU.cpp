//===- TileToCPU.cpp - kernels as functions over memrefs ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass `convert-tile-to-cpu`: runs at any phase after (or before) layout
// inference, and leaves scf, memref, arith, math and vector to the upstream
// conversions that the pipeline `tile-to-cpu` lists. What each operation means
// is in the pattern files next to this one.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tile/Conversion/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOCPUPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

Value tile::indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

void tile::loopOver(
    OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  Value zero = indexConstant(builder, loc, 0);
  Value one = indexConstant(builder, loc, 1);
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  SmallVector<Value> upper;
  for (int64_t extent : extents)
    upper.push_back(indexConstant(builder, loc, extent));
  scf::buildLoopNest(builder, loc, lower, upper, step,
                     [&](OpBuilder &b, Location l, ValueRange indices) {
                       body(b, l, indices);
                     });
}

Value tile::allocateScratch(OpBuilder &builder, Operation *user,
                            MemRefType type) {
  auto function = user->getParentOfType<func::FuncOp>();
  Block &entry = function.getBody().front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  auto buffer = memref::AllocOp::create(
      builder, user->getLoc(), type, builder.getI64IntegerAttr(kCpuAlignment));
  builder.setInsertionPoint(entry.getTerminator());
  memref::DeallocOp::create(builder, user->getLoc(), buffer);
  return buffer;
}

/// The number of blocks in each grid dimension; a negative extent counts as
/// none, so that an empty grid runs nothing.
static SmallVector<Value> buildGrid(OpBuilder &builder, KernelOp kernel,
                                    ValueRange arguments) {
  Location loc = kernel.getLoc();
  SmallVector<Value> symbols;
  ArrayRef<int64_t> operands = kernel.getGridOperands();
  for (size_t i = 0; i < operands.size(); i += 2) {
    Value argument = arguments[operands[i]];
    if (operands[i + 1] >= 0)
      argument = memref::DimOp::create(builder, loc, argument, operands[i + 1]);
    symbols.push_back(
        castElement(builder, loc, argument, builder.getIndexType()));
  }
  SmallVector<Value> grid;
  Value zero = indexConstant(builder, loc, 0);
  for (AffineExpr extent : kernel.getGrid().getResults()) {
    Value count = affine::AffineApplyOp::create(
        builder, loc, AffineMap::get(0, symbols.size(), extent), symbols);
    grid.push_back(arith::MaxSIOp::create(builder, loc, count, zero));
  }
  return grid;
}

/// Moves the kernel's body into a function that runs the blocks `worker`,
/// `worker + workers`, ... of the grid.
static func::FuncOp buildFunction(KernelOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  unsigned count = kernel.getNumKernelArguments();
  SmallVector<Type> types;
  for (Attribute type : kernel.getArgTypes())
    types.push_back(cast<TypeAttr>(type).getValue());
  types.append(3, builder.getIndexType());
  // The suffix keeps a kernel named @exp or @free from being taken for the
  // library function of that name.
  auto function =
      func::FuncOp::create(builder, loc, (kernel.getSymName() + ".cpu").str(),
                           builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ValueRange arguments = entry->getArguments();
  Value worker = arguments[count], workers = arguments[count + 1];

  SmallVector<Value> grid =
      buildGrid(builder, kernel, arguments.take_front(count));
  Value blocks = grid.front();
  for (Value extent : llvm::drop_begin(grid))
    blocks = arith::MulIOp::create(builder, loc, blocks, extent);
  auto loop = scf::ForOp::create(builder, loc, worker, blocks, workers);
  func::ReturnOp::create(builder, loc);

  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> bodyArguments =
      llvm::to_vector_of<Value>(arguments.take_front(count));
  Value rest = loop.getInductionVar();
  for (size_t d = 0; d < grid.size(); ++d) {
    if (d + 1 == grid.size()) {
      bodyArguments.push_back(rest);
      break;
    }
    bodyArguments.push_back(
        arith::RemUIOp::create(builder, loc, rest, grid[d]));
    rest = arith::DivUIOp::create(builder, loc, rest, grid[d]);
  }
  IRRewriter rewriter(builder);
  Block &body = kernel.getBodyRegion().front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, loop.getBody()->getTerminator(),
                             bodyArguments);
  kernel.erase();
  return function;
}

/// Every buffer is plain memory from here on.
static void dropMemorySpaces(func::FuncOp function) {
  auto drop = [](Value value) {
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      if (type.getMemorySpace())
        value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                      type.getLayout()));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), drop);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), drop);
  });
  function.walk([](memref::MemorySpaceCastOp cast) {
    if (cast.getSource().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    }
  });
  SmallVector<Type> inputs(function.getBody().front().getArgumentTypes());
  function.setType(FunctionType::get(function.getContext(), inputs, {}));
}

/// What a kernel may contain once its tile operations are loops.
static LogicalResult verifyMeaning(func::FuncOp function) {
  WalkResult walk = function.walk([](Operation *op) {
    if (isa_and_nonnull<
            affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
            func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
            memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>(
            op->getDialect()))
      return WalkResult::advance();
    op->emitOpError() << "has no meaning on the CPU";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct ConvertTileToCPUPass
    : tile::impl::ConvertTileToCPUPassBase<ConvertTileToCPUPass> {
  using ConvertTileToCPUPassBase::ConvertTileToCPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (widen)
      widenFloats(module);
    if (checkAccesses)
      for (KernelOp kernel : module.getOps<KernelOp>())
        tile::checkAccesses(kernel);

    SmallVector<func::FuncOp> functions;
    for (KernelOp kernel :
         llvm::make_early_inc_range(module.getOps<KernelOp>()))
      functions.push_back(buildFunction(kernel));
    for (func::FuncOp function : functions)
      if (failed(lowerRings(function)))
        return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    populateLoopPatterns(patterns);
    populateMovePatterns(patterns);
    populateGemmPattern(patterns);
    populateReducePattern(patterns);
    populateDebugPatterns(patterns, checkAssumptions);
    ConversionTarget target(getContext());
    target.addIllegalDialect<TileDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();

    for (func::FuncOp function : functions) {
      dropMemorySpaces(function);
      if (failed(verifyMeaning(function)))
        return signalPassFailure();
    }
    module->removeAttr(kTargetAttrName);
  }
};
} // namespace
