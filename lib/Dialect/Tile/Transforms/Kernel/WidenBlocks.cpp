//===- WidenBlocks.cpp - more threads for large fragments -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts, which divide tiles among the threads that are there.
// A program says what a block does with tiles, and its number of threads is the
// author's guess of what that takes. Where the fragments that are alive
// together do not fit in the registers of so many threads, the assembler
// spills, and runs wgmma one after the other. Twice the threads hold half as
// much each.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "tile/Target/ThreadBudget.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_WIDENBLOCKSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Left for addresses, counters and operands on their way beside fragments. A
/// choice, not fitted: attention with 224 registers of fragments did not spill,
/// with 320 it did.
static constexpr int64_t kOtherRegisters = 16;
/// The most threads that are chosen here.
static constexpr int64_t kMostThreads = 512;

/// What makes the number of threads the program's own: layouts and plans divide
/// tiles among threads by number, and roles name warps.
static bool countsOnThreads(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto move = dyn_cast<TileMoveOpInterface>(op);
        bool counts = op->hasAttr("layout") || op->hasAttr("plan") ||
                      (move && (move.getLayoutAttr() || move.getPlanAttr())) ||
                      isa<WarpSpecializeOp, OnWarpsOp, MbarrierCreateOp>(op);
        return counts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether so many threads can still multiply by the instructions that fewer
/// can: whole warpgroups for wgmma, whole warps for mma.sync. An A in registers
/// is divided by rows alone; by columns, each thread would hold more of it.
static bool dividesGemm(GemmOp gemm, int64_t threads,
                        const TargetInfo &target) {
  constexpr int64_t kRows = 16, kColumns = 8, kColumnsOfGroup = 64;
  int64_t warps = threads / 32;
  bool byRows =
      isFragment(gemm.getA()) || gemm.getPolicy() == WarpPolicy::FullRow;
  if (!target.hasWgmma())
    return gemm.getM() / kRows * (byRows ? 1 : gemm.getN() / kColumns) >= warps;
  int64_t groups = llvm::divideCeil(warps, kWarpsPerGroup);
  int64_t parts =
      gemm.getM() / kWgmmaM *
      (byRows ? 1 : std::max<int64_t>(1, gemm.getN() / kColumnsOfGroup));
  return gemm.getM() % kWgmmaM == 0 && parts % groups == 0;
}

static bool dividesGemms(KernelOp kernel, int64_t threads,
                         const TargetInfo &target) {
  return !kernel
              .walk([&](GemmOp gemm) {
                return dividesGemm(gemm, threads, target)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

namespace {
struct WidenBlocksPass : tile::impl::WidenBlocksPassBase<WidenBlocksPass> {
  using WidenBlocksPassBase::WidenBlocksPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    // Accumulators lie in tensor memory there.
    if (target->hasTcgen05())
      return;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      widen(kernel, *target);
  }

private:
  /// Registers that fragments have in each of so many threads.
  static int64_t room(int64_t threads, const TargetInfo &target) {
    return ThreadBudget(target).launched(threads) - kOtherRegisters;
  }

  void widen(KernelOp kernel, const TargetInfo &target) {
    int64_t given = kernel.getThreads(), threads = given;
    std::optional<RegisterPeak> peak = estimateRegisterPeak(kernel, given);
    if (!peak || peak->fragments <= room(given, target))
      return;
    Operation *where = peak->op;
    int64_t needed = peak->fragments;
    auto refuse = [&](const Twine &why) {
      missedAt(remarks, where,
               "fragments take " + Twine(needed) + " registers of each of " +
                   plural(given, "thread") + ", which have " +
                   Twine(ThreadBudget(target).launched(given)),
               why, "smaller tiles need fewer");
    };
    if (countsOnThreads(kernel))
      return refuse("the program's layouts, plans or roles count on so many");
    do {
      threads *= 2;
      if (threads > kMostThreads)
        return refuse("no more threads have enough");
      if (!dividesGemms(kernel, threads, target))
        return refuse(Twine(threads) + " threads would not divide its gemms");
      peak = estimateRegisterPeak(kernel, threads);
    } while (peak->fragments > room(threads, target));
    kernel.setThreads(threads);
    ++widenedKernels;
    remarkAt(remarks, kernel)
        << "a block has " << threads << " threads in place of " << given
        << ": fragments would not fit in registers, which are "
        << ThreadBudget(target).launched(given)
        << " a thread; a `plan` on a gemm or a layout on a tile keeps "
           "`threads("
        << given << ")`";
  }
};
} // namespace
