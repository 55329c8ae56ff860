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
#include "Schedule/ClusterOps.h"
#include "KernelSignature.h"
#include "Memory/PackedMemory.h"
#include "Memory/Places.h"
#include "Moves/Streams.h"
#include "Schedule/Iterations.h"
#include "Schedule/Tokens.h"
#include "Schedule/UniformLoops.h"
#include "Tcgen05/TensorMemory.h"
#include "Tma/RoundedTiles.h"
#include "Tma/TmaCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Conversion/ExpandMath.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
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
// Kernel body
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto it = registry->functions.find(op.getName().getStringRef());
    if (it != registry->functions.end()) {
      builder.setLoc(op.getLoc());
      builder.setInsertionPoint(&op);
      scratchStart = arena.scratch.lookup(&op).first;
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
static FailureOr<SharedArena> readDecisions(KernelOp kernel,
                                            const TargetInfo &target) {
  FailureOr<SharedArena> arena = readSharedArena(kernel, target);
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
  for (StringRef name : {kVersionOfAttrName, kStandsForAttrName})
    if (Attribute value = kernel->getAttr(name))
      function->setAttr(name, value);
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

/// The arena's address plus what is 0 in every warp, which ptxas does not know.
/// It computes an address that it knows anew wherever it is used, from the
/// block's number in its cluster (S2UR). Under a condition that differs among
/// threads this costs every wgmma around it its uniform registers: see
/// docs/Rationale/Wgmma.md.
static Value keepInRegister(KernelLowering &lowering, Value address) {
  auto &b = lowering.builder;
  constexpr int64_t kUnusedBits = 20, kAlignmentBits = 10;
  Value nothing = arith::ShRUIOp::create(b, lowering.uniformWarpId(),
                                         lowering.i32(kUnusedBits));
  nothing = arith::ShLIOp::create(b, nothing, lowering.i32(kAlignmentBits));
  return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{nothing});
}

/// What a block does once before it runs the kernel's body.
static LogicalResult emitStart(KernelLowering &lowering) {
  auto module = lowering.kernel->getParentOfType<ModuleOp>();
  lowering.entry = lowering.function.addEntryBlock(lowering.builder);
  lowering.builder.setInsertionPointToStart(lowering.entry);
  bindArguments(lowering, lowering.function);
  bindBlockIds(lowering);
  // Asked before roles are taken apart.
  lowering.kernel.walk([&](AwaitOp await) {
    if (isLastOfKernel(await))
      lowering.lastWaits.insert(await);
  });
  beginStreams(lowering);
  OpBuilder builder(lowering.kernel);
  LLVM::GlobalOp arenaSymbol = getArena(module, builder);
  lowering.sharedBase =
      LLVM::AddressOfOp::create(lowering.builder, arenaSymbol);
  if (usesWgmma(lowering.kernel.getBodyRegion()))
    lowering.sharedBase = keepInRegister(lowering, lowering.sharedBase);
  if (failed(beginTensorMemory(lowering)))
    return failure();
  if (failed(createClusterBarriers(lowering, lowering.kernel)))
    return failure();
  announceBlock(lowering);
  return success();
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
  FailureOr<SharedArena> arena = readDecisions(kernel, target);
  if (failed(arena))
    return failure();
  lowering.arena = *arena;
  FailureOr<runtime::KernelSpec> manifest = buildKernelManifest(kernel);
  if (failed(manifest))
    return failure();
  lowering.manifest = &*manifest;
  lowering.function = createFunction(builder, kernel, target);
  lowering.agent.warps = kernel.getNumWarps();
  lowering.hasFewRegisters = leavesFewRegisters(kernel, target);
  lowering.roundedTiles = findRoundedTiles(kernel);
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
  keepLoopsUniform(lowering);
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
