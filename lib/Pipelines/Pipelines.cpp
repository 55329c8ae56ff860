//===- Pipelines.cpp - named pass pipelines -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of phases, in one place; tile-opt, tile-translate and the C API run
// the same ones.
//
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tile/Conversion/Passes.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Pipelines/Passes.h"
#include "tile/Target/Passes.h"

using namespace mlir;
using namespace mlir::tile;

/// Steps of the ring verifier in the pipeline: 10 ms and below (measured:
/// 15,000 steps a millisecond; GEMMs of two to eight stages need up to
/// 150,000).
static constexpr int64_t kVerifierSteps = 200000;

void mlir::tile::buildLayoutPipeline(OpPassManager &passes,
                                     const TileToNVVMOptions &options) {
  passes.addPass(
      createSetTargetPass(SetTargetPassOptions{options.arch, options.device}));
  ChooseTunablesPassOptions choice;
  choice.hints.assign(options.hints.begin(), options.hints.end());
  choice.values.assign(options.tunables.begin(), options.tunables.end());
  choice.versions = options.versions;
  choice.without.assign(options.without.begin(), options.without.end());
  choice.remarks = options.remarks;
  passes.addPass(createChooseTunablesPass(choice));
  FormRolesPassOptions stated;
  stated.remarks = options.remarks;
  passes.addPass(createFormRolesPass(stated));
  if (options.versions) {
    VersionKernelsPassOptions versions;
    versions.remarks = options.remarks;
    versions.without.assign(options.without.begin(), options.without.end());
    passes.addPass(createVersionKernelsPass(versions));
  }
  SplitReductionPassOptions split;
  split.remarks = options.remarks;
  passes.addPass(createSplitReductionPass(split));
  MakePersistentPassOptions persistent;
  persistent.remarks = options.remarks;
  passes.addPass(createMakePersistentPass(persistent));
  StreamReductionPassOptions streams;
  streams.remarks = options.remarks;
  passes.addPass(createStreamReductionPass(streams));
  ExpandOperationsPassOptions expansion;
  expansion.remarks = options.remarks;
  passes.addPass(createExpandOperationsPass(expansion));
  passes.addPass(createLowerAffineAccessesPass());
  GuardOverhangPassOptions overhang;
  overhang.remarks = options.remarks;
  passes.addPass(createGuardOverhangPass(overhang));
  GuardAccessesPassOptions accesses;
  accesses.guards = options.guards;
  accesses.remarks = options.remarks;
  passes.addPass(createGuardAccessesPass(accesses));
  passes.addPass(createFoldComparisonsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  UnswitchLoopsPassOptions unswitching;
  unswitching.remarks = options.remarks;
  passes.addPass(createUnswitchLoopsPass(unswitching));
  passes.addPass(createForwardStoresPass());
  FormCopiesPassOptions forming;
  forming.remarks = options.remarks;
  passes.addPass(createFormCopiesPass(forming));
  MergeGemmsPassOptions products;
  products.remarks = options.remarks;
  passes.addPass(createMergeGemmsPass(products));
  NestGuardsPassOptions guards;
  guards.remarks = options.remarks;
  passes.addPass(createNestGuardsPass(guards));
  CombineUpdatesPassOptions updates;
  updates.remarks = options.remarks;
  passes.addPass(createCombineUpdatesPass(updates));
  PrivatizeFragmentsPassOptions rows;
  rows.remarks = options.remarks;
  passes.addPass(createPrivatizeFragmentsPass(rows));
  WidenBlocksPassOptions threads;
  threads.remarks = options.remarks;
  passes.addPass(createWidenBlocksPass(threads));
  KeepRowsPassOptions kept;
  kept.remarks = options.remarks;
  passes.addPass(createKeepRowsPass(kept));
  ExpandSparseGemmsPassOptions sparse;
  sparse.remarks = options.remarks;
  passes.addPass(createExpandSparseGemmsPass(sparse));
  InferLayoutsPassOptions inference;
  inference.remarks = options.remarks;
  passes.addPass(createInferLayoutsPass(inference));
}

void mlir::tile::buildCopyPipeline(OpPassManager &passes,
                                   const TileToNVVMOptions &options) {
  buildLayoutPipeline(passes, options);
  ShareResultsPassOptions shared;
  shared.remarks = options.remarks;
  passes.addPass(createShareResultsPass(shared));
  PlaceAccumulatorsPassOptions accumulators;
  accumulators.remarks = options.remarks;
  passes.addPass(createPlaceAccumulatorsPass(accumulators));
  StageLoadsPassOptions loads;
  loads.remarks = options.remarks;
  passes.addPass(createStageLoadsPass(loads));
  StageStoresPassOptions stores;
  stores.remarks = options.remarks;
  passes.addPass(createStageStoresPass(stores));
  SelectCopiesPassOptions copies;
  copies.remarks = options.remarks;
  passes.addPass(createSelectCopiesPass(copies));
  FindStreamsPassOptions streams;
  streams.remarks = options.remarks;
  passes.addPass(createFindStreamsPass(streams));
}

void mlir::tile::buildSchedulePipeline(OpPassManager &passes,
                                       const TileToNVVMOptions &options) {
  buildCopyPipeline(passes, options);
  FitStagesPassOptions stages;
  stages.remarks = options.remarks;
  stages.roles = options.roles;
  passes.addPass(createFitStagesPass(stages));
  addSchedulePasses(passes, options);
}

void mlir::tile::addSchedulePasses(OpPassManager &passes,
                                   const TileToNVVMOptions &options) {
  PipelinePassOptions pipelining;
  pipelining.remarks = options.remarks;
  pipelining.roles = options.roles;
  passes.addPass(createPipelinePass(pipelining));
  PairGemmsPassOptions pairs;
  pairs.remarks = options.remarks;
  passes.addPass(createPairGemmsPass(pairs));
  RingAccumulatorsPassOptions turns;
  turns.remarks = options.remarks;
  passes.addPass(createRingAccumulatorsPass(turns));
  PrefetchOperandsPassOptions operands;
  operands.remarks = options.remarks;
  passes.addPass(createPrefetchOperandsPass(operands));
  SpecializeWarpsPassOptions roles;
  roles.remarks = options.remarks;
  passes.addPass(createSpecializeWarpsPass(roles));
  SkipRescalingPassOptions rescaling;
  rescaling.remarks = options.remarks;
  passes.addPass(createSkipRescalingPass(rescaling));
  AdvanceLoadsPassOptions advance;
  advance.remarks = options.remarks;
  passes.addPass(createAdvanceLoadsPass(advance));
  OverlapGemmsPassOptions overlap;
  overlap.remarks = options.remarks;
  passes.addPass(createOverlapGemmsPass(overlap));
  OrderGemmsPassOptions order;
  order.remarks = options.remarks;
  passes.addPass(createOrderGemmsPass(order));
  ScheduleGemmsPassOptions gemms;
  gemms.remarks = options.remarks;
  passes.addPass(createScheduleGemmsPass(gemms));
  ClearAccumulatorsPassOptions zeros;
  zeros.remarks = options.remarks;
  passes.addPass(createClearAccumulatorsPass(zeros));
  ScheduleStoresPassOptions scheduled;
  scheduled.remarks = options.remarks;
  passes.addPass(createScheduleStoresPass(scheduled));
  DelayStoresPassOptions delay;
  delay.remarks = options.remarks;
  passes.addPass(createDelayStoresPass(delay));
  passes.addPass(createCountArrivalsPass());
}

void mlir::tile::buildPlacementPipeline(OpPassManager &passes,
                                        const TileToNVVMOptions &options) {
  buildSchedulePipeline(passes, options);
  if (options.verifyRings) {
    VerifyRingsPassOptions rings;
    rings.budget = kVerifierSteps;
    rings.lenient = true;
    rings.remarks = options.remarks;
    passes.addPass(createVerifyRingsPass(rings));
  }
  CountQuotientsPassOptions quotients;
  quotients.remarks = options.remarks;
  passes.addPass(createCountQuotientsPass(quotients));
  // Tiles that share bytes conflict, so that barriers come after places.
  PlaceSharedMemoryPassOptions places;
  places.remarks = options.remarks;
  passes.addPass(createPlaceSharedMemoryPass(places));
  InsertBarriersPassOptions barriers;
  barriers.remarks = options.remarks;
  passes.addPass(createInsertBarriersPass(barriers));
  SkipRowsPassOptions rows;
  rows.remarks = options.remarks;
  passes.addPass(createSkipRowsPass(rows));
}

void mlir::tile::buildTileToNVVMPipeline(OpPassManager &passes,
                                         const TileToNVVMOptions &options) {
  buildPlacementPipeline(passes, options);
  ConvertTileToNVVMPassOptions conversion;
  conversion.fastMath = options.fastMath;
  passes.addPass(createConvertTileToNVVMPass(conversion));
  if (options.verifyNvvm)
    passes.addPass(createVerifyNvvmPass());
}

void mlir::tile::registerTilePipelines() {
  PassPipelineRegistration<TileToNVVMOptions>(
      "tile-to-layouts",
      "the part of --tile-to-nvvm up to where every tile has its layout",
      buildLayoutPipeline);
  PassPipelineRegistration<TileToNVVMOptions>(
      "tile-to-copies",
      "the part of --tile-to-nvvm up to where every copy has its instruction",
      buildCopyPipeline);
  PassPipelineRegistration<TileToNVVMOptions>(
      "tile-to-schedule",
      "the part of --tile-to-nvvm up to what is lowered: rings, roles and "
      "tokens, before --tile-verify-rings",
      buildSchedulePipeline);
  PassPipelineRegistration<TileToNVVMOptions>(
      "tile-to-barriers",
      "the part of --tile-to-nvvm up to where shared memory is placed and "
      "barriers stand: what is translated",
      buildPlacementPipeline);
  PassPipelineRegistration<TileToNVVMOptions>(
      "tile-to-nvvm",
      "from the tile dialect to the LLVM and NVVM dialects, for one "
      "architecture",
      buildTileToNVVMPipeline);
}
