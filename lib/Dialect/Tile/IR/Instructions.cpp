//===- Instructions.cpp - the tables of instructions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each instruction, in the order of the enumerations. Which copy
// takes which instruction is another table (Analysis/CopyRules.cpp); which
// gemm, the planners of GemmConstraints.cpp.
//
//===----------------------------------------------------------------------===//
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static int64_t noRegisters(int64_t, int64_t) { return 0; }
/// Some runs are loaded ahead.
static int64_t throughRegisters(int64_t bytes, int64_t) {
  return std::min<int64_t>(bytes / 4, 32);
}
/// A run that is realigned comes as two of 16 bytes.
static int64_t realigned(int64_t, int64_t runs) {
  return 8 * std::min<int64_t>(runs, 4);
}

static constexpr CopyTraits kCopies[] = {
    {CopyInstruction::Tma, CopyCompletion::Bulk, /*byAsyncProxy=*/true,
     /*usesTensorMap=*/true, /*isPlain=*/false, /*movesMatrices=*/false,
     /*mayCombine=*/true, /*takesCachePolicy=*/true, RingProducer::Tma,
     RingProducer::Tma, noRegisters},
    {CopyInstruction::Bulk, CopyCompletion::Bulk, /*byAsyncProxy=*/true,
     /*usesTensorMap=*/false, /*isPlain=*/false, /*movesMatrices=*/false,
     /*mayCombine=*/false, /*takesCachePolicy=*/true, RingProducer::Tma,
     RingProducer::Tma, noRegisters},
    {CopyInstruction::CpAsync, CopyCompletion::ThreadGroups,
     /*byAsyncProxy=*/false, /*usesTensorMap=*/false, /*isPlain=*/false,
     /*movesMatrices=*/false, /*mayCombine=*/false, /*takesCachePolicy=*/false,
     RingProducer::CpAsync, RingProducer::CpAsyncMbarrier, noRegisters},
    {CopyInstruction::Ldmatrix, CopyCompletion::Issue, /*byAsyncProxy=*/false,
     /*usesTensorMap=*/false, /*isPlain=*/false, /*movesMatrices=*/true,
     /*mayCombine=*/false, /*takesCachePolicy=*/true, RingProducer::Threads,
     RingProducer::ThreadsMbarrier, throughRegisters},
    {CopyInstruction::Stmatrix, CopyCompletion::Issue, /*byAsyncProxy=*/false,
     /*usesTensorMap=*/false, /*isPlain=*/false, /*movesMatrices=*/true,
     /*mayCombine=*/false, /*takesCachePolicy=*/true, RingProducer::Threads,
     RingProducer::ThreadsMbarrier, throughRegisters},
    {CopyInstruction::Vector, CopyCompletion::Issue, /*byAsyncProxy=*/false,
     /*usesTensorMap=*/false, /*isPlain=*/true, /*movesMatrices=*/false,
     /*mayCombine=*/true, /*takesCachePolicy=*/true, RingProducer::Threads,
     RingProducer::ThreadsMbarrier, throughRegisters},
    {CopyInstruction::Scalar, CopyCompletion::Issue, /*byAsyncProxy=*/false,
     /*usesTensorMap=*/false, /*isPlain=*/true, /*movesMatrices=*/false,
     /*mayCombine=*/true, /*takesCachePolicy=*/true, RingProducer::Threads,
     RingProducer::ThreadsMbarrier, throughRegisters},
    {CopyInstruction::Realign, CopyCompletion::Issue, /*byAsyncProxy=*/false,
     /*usesTensorMap=*/false, /*isPlain=*/false, /*movesMatrices=*/false,
     /*mayCombine=*/false, /*takesCachePolicy=*/true, RingProducer::Threads,
     RingProducer::ThreadsMbarrier, realigned},
};

//===----------------------------------------------------------------------===//
// Gemms
//===----------------------------------------------------------------------===//

static constexpr MmaTraits kGemms[] = {
    {MmaInstruction::Fma, MmaCompletion::Issue, /*readsByDescriptor=*/false,
     /*loadsOperandFragments=*/false, /*usesTensorMemory=*/false,
     /*takesAccumulateFlag=*/false, /*worksInPairs=*/false,
     /*swapsOperands=*/false, /*readsMetadata=*/false, RingConsumer::Threads,
     std::nullopt},
    {MmaInstruction::MmaSync, MmaCompletion::Issue,
     /*readsByDescriptor=*/false, /*loadsOperandFragments=*/true,
     /*usesTensorMemory=*/false, /*takesAccumulateFlag=*/false,
     /*worksInPairs=*/false, /*swapsOperands=*/false, /*readsMetadata=*/false,
     RingConsumer::Threads, std::nullopt},
    {MmaInstruction::Wgmma, MmaCompletion::WarpgroupGroups,
     /*readsByDescriptor=*/true, /*loadsOperandFragments=*/false,
     /*usesTensorMemory=*/false, /*takesAccumulateFlag=*/true,
     /*worksInPairs=*/false, /*swapsOperands=*/true, /*readsMetadata=*/false,
     RingConsumer::Wgmma, std::nullopt},
    {MmaInstruction::Tcgen05, MmaCompletion::Mbarrier,
     /*readsByDescriptor=*/true, /*loadsOperandFragments=*/false,
     /*usesTensorMemory=*/true, /*takesAccumulateFlag=*/false,
     /*worksInPairs=*/true, /*swapsOperands=*/false, /*readsMetadata=*/false,
     RingConsumer::Tcgen05, RingProducer::Mma},
    {MmaInstruction::WgmmaSp, MmaCompletion::WarpgroupGroups,
     /*readsByDescriptor=*/true, /*loadsOperandFragments=*/false,
     /*usesTensorMemory=*/false, /*takesAccumulateFlag=*/true,
     /*worksInPairs=*/false, /*swapsOperands=*/false, /*readsMetadata=*/true,
     RingConsumer::Wgmma, std::nullopt},
    {MmaInstruction::MmaSp, MmaCompletion::Issue,
     /*readsByDescriptor=*/false, /*loadsOperandFragments=*/true,
     /*usesTensorMemory=*/false, /*takesAccumulateFlag=*/false,
     /*worksInPairs=*/false, /*swapsOperands=*/false, /*readsMetadata=*/true,
     RingConsumer::Threads, std::nullopt},
};

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

/// Every instruction has its row, at its number.
template <typename TraitsT, size_t N>
static constexpr bool isComplete(const TraitsT (&rows)[N], unsigned last) {
  for (size_t i = 0; i < N; ++i)
    if (size_t(rows[i].instruction) != i)
      return false;
  return N == last + 1;
}
static_assert(isComplete(kCopies, getMaxEnumValForCopyInstruction()));
static_assert(isComplete(kGemms, getMaxEnumValForMmaInstruction()));

const CopyTraits &tile::traitsOf(CopyInstruction instruction) {
  return kCopies[size_t(instruction)];
}
const MmaTraits &tile::traitsOf(MmaInstruction instruction) {
  return kGemms[size_t(instruction)];
}
const CopyTraits &tile::traitsOf(TileMoveOpInterface move) {
  CopyPlanAttr plan = move.getPlanAttr();
  return plan ? traitsOf(plan) : traitsOf(CopyInstruction::Scalar);
}
const MmaTraits &tile::traitsOf(GemmOp gemm) {
  MmaPlanAttr plan = gemm.getPlanAttr();
  return plan ? traitsOf(plan) : traitsOf(MmaInstruction::Fma);
}

const MmaTraits *tile::gemmTraits(Operation *op) {
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm ? &traitsOf(gemm) : nullptr;
}

const CopyTraits *tile::moveTraits(Operation *op) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move ? &traitsOf(move) : nullptr;
}

/// Threads load metadata whatever instruction they load it for.
static bool isMetadata(Operation *op, Value buffer) {
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm && gemm.getMetadata() == buffer;
}

RingConsumer tile::readerOf(Operation *op, Value buffer) {
  if (const MmaTraits *gemm = gemmTraits(op))
    return isMetadata(op, buffer) ? RingConsumer::Threads : gemm->reader;
  return readsThroughAsyncProxy(op, buffer) ? RingConsumer::TmaStore
                                            : RingConsumer::Threads;
}

bool tile::readsThroughAsyncProxy(Operation *op, Value buffer) {
  if (const MmaTraits *gemm = gemmTraits(op))
    return gemm->readsByDescriptor && !isMetadata(op, buffer);
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move && move.getSource() == buffer && move.isMovedByProxy();
}

bool tile::writesThroughAsyncProxy(Operation *op, Value buffer) {
  auto move = dyn_cast<TileMoveOpInterface>(op);
  return move && move.getTarget() == buffer && move.isMovedByProxy();
}

bool tile::isPrefetch(TileMoveOpInterface move) {
  return isa<CopyOp>(*move) && move.getSource() == move.getTarget() &&
         llvm::equal(move.getSourceOffsets(), move.getTargetOffsets()) &&
         move.getSourceExtents() == move.getTargetExtents();
}

bool TileMoveOpInterface::isMovedByProxy() {
  CopyPlanAttr plan = getPlanAttr();
  return plan && traitsOf(plan).byAsyncProxy;
}
