//===- TileToNVVM.cpp - tile kernels to NVVM functions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives the lowering: one `llvm.func` per kernel with the argument order of
// docs/Artifact.md, shared memory in one dynamic arena, tile operations through
// the registry of this directory, then what upstream's dialects have become
// (ToLLVM.cpp). Layouts, copy and mma plans, pipelining, places in shared
// memory and barriers are decided before.
//
//===----------------------------------------------------------------------===//
#include "Memory/PackedMemory.h"
#include "Memory/Places.h"
#include "Schedule/Iterations.h"
#include "Schedule/Tokens.h"
#include "Tcgen05/TensorMemory.h"
#include "Tma/TmaCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Conversion/ExpandMath.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Placement.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Target/ManifestBuilder.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETONVVMPASS
#include "tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

static constexpr StringLiteral kArenaName = "tile_shared_arena";

//===----------------------------------------------------------------------===//
// Kernel signature
//===----------------------------------------------------------------------===//

/// Parameter types of one kernel argument, in the order of the artifact format.
static void appendParameters(Type type, SmallVectorImpl<Type> &parameters) {
  MLIRContext *context = type.getContext();
  Type i64 = IntegerType::get(context, 64);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    if (type.isIndex())
      type = i64;
    else if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
      type = IntegerType::get(context, 8);
    parameters.push_back(type);
    return;
  }
  parameters.push_back(LLVM::LLVMPointerType::get(context, 1));
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)memref.getStridesAndOffset(strides, offset);
  for (int64_t size : memref.getShape())
    if (ShapedType::isDynamic(size))
      parameters.push_back(i64);
  if (!memref.getLayout().isIdentity())
    for (int64_t stride : strides)
      if (ShapedType::isDynamic(stride))
        parameters.push_back(i64);
}

/// Arguments whose memory changes while the kernel runs, in a way that LLVM
/// does not see at their pointers: other blocks write what atomic loads read,
/// and the asynchronous proxy writes by tensor maps. As `noalias` ones that are
/// only read, they would be read through the cache that nobody keeps up to
/// date, and the assembler would move such loads in front of barriers.
static llvm::SmallDenseSet<Value> changedUnseen(KernelOp kernel) {
  llvm::SmallDenseSet<Value> arguments;
  kernel.walk([&](Operation *op) {
    if (auto access = dyn_cast<TileElementOpInterface>(op);
        access && !access.writesElement())
      arguments.insert(getBaseBuffer(access.getMemref()));
    for (Value buffer : op->getOperands())
      if (isGlobal(buffer) && writesThroughAsyncProxy(op, buffer))
        arguments.insert(getBaseBuffer(buffer));
  });
  return arguments;
}

/// Binds the arguments of `function` to what kernel code uses.
static void bindArguments(KernelLowering &lowering, LLVM::LLVMFuncOp function) {
  KernelOp kernel = lowering.kernel;
  llvm::SmallDenseSet<Value> shared = changedUnseen(kernel);
  unsigned next = 0;
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i) {
    BlockArgument argument = kernel.getKernelArgument(i);
    auto memref = dyn_cast<MemRefType>(argument.getType());
    Value parameter = function.getArgument(next);
    if (!memref) {
      Type type = argument.getType();
      Value value = parameter;
      if (type.isIndex())
        value = arith::IndexCastOp::create(lowering.builder, type, value);
      else if (type != parameter.getType())
        value = arith::BitcastOp::create(lowering.builder, type, value);
      argument.replaceAllUsesWith(value);
      lowering.scalars[i] = value;
      ++next;
      continue;
    }
    if (!kernel.mayAlias(i) && !shared.contains(argument))
      function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(kernel.getContext()));
    // LLVM makes one wide access of narrow ones next to each other.
    function.setArgAttr(
        next, LLVM::LLVMDialect::getAlignAttrName(),
        lowering.builder.getI64IntegerAttr(kernel.getArgumentAlignment(i)));
    ++next;
    GlobalBuffer buffer;
    buffer.pointer = parameter;
    buffer.alignment = kernel.getArgumentAlignment(i);
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)memref.getStridesAndOffset(strides, offset);
    buffer.staticSizes = llvm::to_vector(memref.getShape());
    buffer.staticStrides = strides;
    for (int64_t size : memref.getShape())
      buffer.sizes.push_back(ShapedType::isDynamic(size)
                                 ? Value(function.getArgument(next++))
                                 : lowering.i64(size));
    buffer.strides.resize(strides.size());
    if (memref.getLayout().isIdentity()) {
      // Row-major: each stride is the product of the sizes behind it.
      Value stride = lowering.i64(1);
      for (int64_t d = memref.getRank(); d-- > 0;) {
        buffer.strides[d] = ShapedType::isDynamic(strides[d])
                                ? stride
                                : lowering.i64(strides[d]);
        stride = lowering.mul(buffer.strides[d], buffer.sizes[d]);
      }
    } else {
      for (auto [d, known] : llvm::enumerate(strides))
        buffer.strides[d] = ShapedType::isDynamic(known)
                                ? Value(function.getArgument(next++))
                                : lowering.i64(known);
    }
    for (int64_t d = 0; d < memref.getRank(); ++d) {
      buffer.strideDivisors.push_back(strideDivisor(argument, d));
      buffer.sizeDivisors.push_back(sizeDivisor(argument, d));
    }
    if (offset != 0 && !ShapedType::isDynamic(offset))
      buffer.pointer = LLVM::GEPOp::create(
          lowering.builder, buffer.pointer.getType(),
          lowering.builder.getI8Type(), buffer.pointer,
          ArrayRef<LLVM::GEPArg>{lowering.i64(
              offset * getStorageBits(memref.getElementType()) / 8)});
    lowering.globals[argument] = buffer;
  }
}

/// The range of one of the hardware's block indices where the grid's extent is
/// a constant; the launcher rounds it up to whole clusters.
static LLVM::ConstantRangeAttr blockIdRange(KernelOp kernel, unsigned d) {
  auto extent = dyn_cast<AffineConstantExpr>(kernel.getGrid().getResult(d));
  if (!extent || extent.getValue() <= 0)
    return {};
  int64_t cluster = kernel.getCluster() ? (*kernel.getCluster())[d] : 1;
  int64_t end = llvm::alignTo(extent.getValue(), cluster);
  if (end > std::numeric_limits<int32_t>::max())
    return {};
  return LLVM::ConstantRangeAttr::get(kernel.getContext(), 32, 0, end);
}

/// Block indices: the hardware's, or regrouped into panels of rows so that
/// blocks that run together share operands in the L2 cache.
static void bindBlockIds(KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  auto &b = lowering.builder;
  Type i32 = b.getI32Type();
  SmallVector<Value> ids, counts;
  unsigned rank = kernel.getGridRank();
  ids.push_back(NVVM::BlockIdXOp::create(b, i32, blockIdRange(kernel, 0)));
  if (rank > 1)
    ids.push_back(NVVM::BlockIdYOp::create(b, i32, blockIdRange(kernel, 1)));
  if (rank > 2)
    ids.push_back(NVVM::BlockIdZOp::create(b, i32, blockIdRange(kernel, 2)));
  if (kernel.getPanel() && rank > 1) {
    Value countX = NVVM::GridDimXOp::create(b, i32);
    Value countY = NVVM::GridDimYOp::create(b, i32);
    Value panel = lowering.i32(*kernel.getPanel());
    // Linear order of launch, taken panel by panel: inside a panel of `panel`
    // rows, down the rows first.
    Value linear = lowering.add(lowering.mul(ids[1], countX), ids[0]);
    Value panelSize = lowering.mul(panel, countX);
    Value group = b.createOrFold<arith::DivUIOp>(linear, panelSize);
    Value within = b.createOrFold<arith::RemUIOp>(linear, panelSize);
    Value firstRow = lowering.mul(group, panel);
    Value rows = b.createOrFold<arith::MinUIOp>(
        panel, b.createOrFold<arith::SubIOp>(countY, firstRow));
    ids[1] =
        lowering.add(firstRow, b.createOrFold<arith::RemUIOp>(within, rows));
    ids[0] = b.createOrFold<arith::DivUIOp>(within, rows);
  }
  for (auto [i, id] : llvm::enumerate(ids))
    kernel.getBlockId(i).replaceAllUsesWith(lowering.toIndex(id));
}

//===----------------------------------------------------------------------===//
// Kernel body
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto it = registry->functions.find(op.getName().getStringRef());
    if (it != registry->functions.end()) {
      builder.setLoc(op.getLoc());
      builder.setInsertionPoint(&op);
      if (failed(it->second(*this, &op)))
        return failure();
      lowered.push_back(&op);
      continue;
    }
    if (isa<TileDialect>(op.getDialect()) && !isa<ReturnOp>(op)) {
      if (isa<PipelinedOp>(op))
        return op.emitOpError() << "expected rings or a plain loop: run "
                                   "--tile-pipeline";
      return op.emitOpError() << "has no lowering for " << target.arch;
    }
    for (mlir::Region &region : op.getRegions())
      for (Block &nested : region)
        if (failed(lowerBlock(nested)))
          return failure();
  }
  return success();
}

/// The arena's symbol: dynamic shared memory, aligned for 128-byte swizzles.
static LLVM::GlobalOp getArena(ModuleOp module, OpBuilder &builder) {
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(kArenaName))
    return global;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), 0), /*isConstant=*/false,
      LLVM::Linkage::External, kArenaName, Attribute(), /*alignment=*/1024,
      /*addrSpace=*/3);
}

/// Register arrays become SSA values only where they stand in the function's
/// first block, which control flow at its start would end.
static void hoistAllocas(Block &entry) {
  SmallVector<LLVM::AllocaOp> allocas(entry.getOps<LLVM::AllocaOp>());
  for (LLVM::AllocaOp alloca : llvm::reverse(allocas)) {
    Operation *size = alloca.getArraySize().getDefiningOp();
    alloca->moveBefore(&entry, entry.begin());
    OpBuilder builder(alloca);
    alloca.getArraySizeMutable().assign(builder.clone(*size)->getResult(0));
  }
}

/// What earlier passes decided about shared memory and barriers.
static FailureOr<SharedArena> readDecisions(KernelOp kernel) {
  FailureOr<SharedArena> arena = readSharedArena(kernel);
  if (succeeded(arena) && !kernel->hasAttr(kHasBarriersAttrName))
    return kernel.emitOpError()
           << "expected its barriers: run --tile-insert-barriers";
  return arena;
}

/// An empty function with the kernel's parameters and bounds.
static LLVM::LLVMFuncOp createFunction(OpBuilder &builder, KernelOp kernel,
                                       const TargetInfo &target) {
  SmallVector<Type> parameters;
  for (Attribute type : kernel.getArgTypes())
    appendParameters(cast<TypeAttr>(type).getValue(), parameters);
  auto function = LLVM::LLVMFuncOp::create(
      builder, kernel.getLoc(), kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  parameters));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  if (Attribute base = kernel->getAttr(kVersionOfAttrName))
    function->setAttr(kVersionOfAttrName, base);
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    builder.getDenseI32ArrayAttr(
                        {static_cast<int32_t>(kernel.getThreads()), 1, 1}));
  if (std::optional<RegisterPeak> peak = findRegisterPeak(kernel, target)) {
    function->setAttr(kPeakRegistersAttrName,
                      builder.getI64IntegerAttr(peak->registers()));
    function->setAttr(kPeakLocationAttrName, peak->op->getLoc());
  }
  return function;
}

/// What a block does once before it runs the kernel's body.
static LogicalResult emitStart(KernelLowering &lowering) {
  auto module = lowering.kernel->getParentOfType<ModuleOp>();
  lowering.entry = lowering.function.addEntryBlock(lowering.builder);
  lowering.builder.setInsertionPointToStart(lowering.entry);
  bindArguments(lowering, lowering.function);
  bindBlockIds(lowering);
  OpBuilder builder(lowering.kernel);
  LLVM::GlobalOp arenaSymbol = getArena(module, builder);
  lowering.sharedBase =
      LLVM::AddressOfOp::create(lowering.builder, arenaSymbol);
  if (failed(beginTensorMemory(lowering)))
    return failure();
  return createClusterBarriers(lowering, lowering.kernel);
}

/// What a block does once after the kernel's body.
static void emitEnd(KernelLowering &lowering) {
  Operation *terminator = lowering.entry->getTerminator();
  lowering.builder.setInsertionPoint(terminator);
  emitProducerTails(lowering);
  endTensorMemory(lowering);
  // No block leaves while a peer may still arrive at or write into its memory.
  // Pairs have met before they gave their columns back.
  if (!lowering.tensorMemory.isPair &&
      llvm::any_of(
          lowering.entry->getOps<RingCreateOp>(),
          [](RingCreateOp ring) { return ring.getPeers().value_or(1) > 1; }))
    lowering.clusterBarrier();
  LLVM::ReturnOp::create(lowering.builder, ValueRange());
  terminator->erase();
}

/// Erases the operations that were lowered; fails where one is still used.
static LogicalResult eraseLowered(KernelLowering &lowering) {
  for (Operation *op : llvm::reverse(lowering.lowered)) {
    if (!op->use_empty()) {
      Operation *user = *op->user_begin();
      return user->emitOpError()
             << "uses a tile that has no address outside tile operations";
    }
    op->erase();
  }
  return success();
}

static LogicalResult lowerKernel(KernelOp kernel, const TargetInfo &target,
                                 const Registry &registry) {
  OpBuilder builder(kernel);
  KernelLowering lowering(kernel, target, builder);
  lowering.registry = &registry;
  FailureOr<SharedArena> arena = readDecisions(kernel);
  if (failed(arena))
    return failure();
  lowering.arena = *arena;
  lowering.scratchStart = arena->scratch.front();
  FailureOr<runtime::KernelSpec> manifest = buildKernelManifest(kernel);
  if (failed(manifest))
    return failure();
  lowering.manifest = &*manifest;
  lowering.function = createFunction(builder, kernel, target);
  lowering.agent.warps = kernel.getNumWarps();
  lowering.hasFewRegisters = leavesFewRegisters(kernel, target);
  if (failed(emitStart(lowering)))
    return failure();

  Block *entry = lowering.entry;
  Block &body = kernel.getBodyRegion().front();
  entry->getOperations().splice(entry->end(), body.getOperations());
  if (failed(lowering.lowerBlock(*entry)))
    return failure();
  prefetchTensorMaps(lowering);
  if (failed(verifyKernelManifest(kernel, *manifest)))
    return failure();
  emitEnd(lowering);
  if (failed(keepAsyncLoops(lowering)))
    return failure();
  replaceIterations(lowering);
  eraseTokens(lowering.function);
  orderPackedAccesses(lowering);
  hoistAllocas(*entry);
  if (failed(eraseLowered(lowering)))
    return failure();

  lowering.function->setAttr(kSharedBytesAttrName,
                             builder.getI64IntegerAttr(lowering.arena.bytes));
  lowering.function->setAttr(
      kManifestAttrName, builder.getStringAttr(writeKernelManifest(*manifest)));
  for (BlockArgument argument : body.getArguments())
    if (!argument.use_empty())
      return argument.use_begin()->getOwner()->emitOpError()
             << "uses a kernel argument in a way that has no lowering";
  kernel.erase();
  return success();
}

namespace {
struct ConvertTileToNVVMPass
    : tile::impl::ConvertTileToNVVMPassBase<ConvertTileToNVVMPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())) ||
        failed(verifyOnlyKernels(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    const TargetInfo *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    Registry registry;
    registerMoveLowerings(registry);
    registerRowMoveLowerings(registry);
    registerGemmLowerings(registry);
    registerParallelLowerings(registry);
    registerReduceLowerings(registry);
    registerScanLowerings(registry);
    registerClusterLowerings(registry);
    registerRingLowerings(registry);
    registerRoleLowerings(registry);
    registerMbarrierLowerings(registry);
    registerClusterMeetingLowerings(registry);
    registerTokenLowerings(registry);
    registerIterationLowerings(registry);
    registerGridLowerings(registry);
    registerDebugLowerings(registry);
    registerMemoryLowerings(registry);
    registerViewLowerings(registry);
    for (KernelOp kernel :
         llvm::make_early_inc_range(module.getOps<KernelOp>()))
      if (failed(lowerKernel(kernel, *target, registry)))
        return signalPassFailure();
    // Attributes of the tile dialect stay behind.
    std::string arch = target->arch.str();
    module->removeAttr(kTargetAttrName);
    module->setAttr("mlir_tile.arch", StringAttr::get(&getContext(), arch));
    ExpandMathOptions functions;
    functions.fastMath = fastMath;
    if (failed(expandMath(module, *target, functions)) ||
        failed(convertToLLVM(module)))
      return signalPassFailure();
  }
};
} // namespace
