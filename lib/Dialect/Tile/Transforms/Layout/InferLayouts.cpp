//===- InferLayouts.cpp - writes the layout analysis into the IR ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the analysis on each kernel and records what it decided: layouts on
// allocations and loops, plans on gemms, `tile.convert_layout` where two
// operations need different layouts of one fragment. The decisions themselves
// are in lib/Analysis and in the operations' constraints.
//
//===----------------------------------------------------------------------===//
#include "FoldSubviews.h"
#include "Schedule/Asynchronous.h"
#include "SinkViews.h"
#include "StageTiles.h"
#include "UnrollIndexLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tile/Analysis/Dependence.h"
#include "tile/Analysis/LayoutAnalysis.h"
#include "tile/Analysis/RegisterPressure.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/IR/Tunables.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"
#include "llvm/ADT/ScopeExit.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {

/// Inserts the conversions that the analysis found necessary.
class ConversionInserter {
public:
  explicit ConversionInserter(MLIRContext *context) : builder(context) {}

  void insert(const LayoutConversion &conversion) {
    Operation *op = conversion.op;
    auto layout =
        FragmentLayoutAttr::get(builder.getContext(), conversion.layout);
    Value converted;
    Operation *place = op;
    if (conversion.reads) {
      if (!conversion.writes) {
        place = hoistedReader(op, conversion.buffer);
        converted = reuse(place, conversion.buffer, layout);
      }
      if (!converted) {
        converted = allocate(conversion, layout);
        builder.setInsertionPoint(place);
        auto convert = ConvertLayoutOp::create(builder, op->getLoc(),
                                               conversion.buffer, converted);
        if (!conversion.writes)
          readOnly[convert] = layout;
      }
    } else {
      converted = allocate(conversion, layout);
    }
    // Before an asynchronous operation has ended, nothing may read what it
    // writes, and another round of a loop may not convert again.
    bool isRepeated = converted && place->getBlock() == op->getBlock();
    if (conversion.writes || isRepeated) {
      Operation *end =
          completionOf(op, conversion.writes ? conversion.buffer : Value());
      builder.setInsertionPointAfter(end);
    }
    if (conversion.writes) {
      ConvertLayoutOp::create(builder, op->getLoc(), converted,
                              conversion.buffer);
    }
    for (OpOperand *operand : conversion.operands)
      operand->set(converted);
  }

private:
  /// A conversion made earlier in the block whose source has not changed since.
  Value reuse(Operation *place, Value buffer, FragmentLayoutAttr layout) {
    for (Operation *op = place->getPrevNode(); op; op = op->getPrevNode()) {
      auto convert = dyn_cast<ConvertLayoutOp>(op);
      if (convert && convert.getSource() == buffer &&
          readOnly.lookup(convert) == layout)
        return convert.getTarget();
      if (mayWrite(op, buffer))
        break;
    }
    return {};
  }

  /// Next to the buffer, so that loops do not allocate.
  Value allocate(const LayoutConversion &conversion,
                 FragmentLayoutAttr layout) {
    builder.setInsertionPointAfterValue(conversion.buffer);
    return AllocOp::create(builder, conversion.op->getLoc(),
                           conversion.buffer.getType(), layout);
  }

  OpBuilder builder;
  DenseMap<Operation *, FragmentLayoutAttr> readOnly;
};

void explain(const LayoutAnalysis &analysis, bool remarks) {
  if (!remarks)
    return;
  for (const OperationDecision &entry : analysis.decisions) {
    Remark remark = remarkAt(remarks, entry.op);
    remark << "chose " << entry.decision.attribute << " "
           << entry.decision.value << ": " << entry.decision.why;
    if (entry.decision.attribute == "plan")
      remark << "; `policy` or `plan` on the gemm states another";
    for (const std::string &refused : entry.decision.refused)
      remark.attachNote() << "not possible: " << refused;
  }
  for (auto &[buffer, choice] : analysis.shareds) {
    AllocOp alloc = allocationOf(buffer);
    if (!alloc || alloc.getLayout()) // stated by the program
      continue;
    Remark remark = remarkAt(remarks, alloc);
    remark << "shared memory: " << choice.why;
    if (choice.degree > 1)
      remark << "; `layout(#tile.shared_layout<...>)` on the tile states "
                "another";
  }
  for (const LayoutConversion &conversion : analysis.conversions) {
    Remark remark = remarkAt(remarks, conversion.op);
    remark << "needs a fragment in another layout (" << conversion.why
           << "): inserted a conversion of class "
           << stringify(conversion.kind.kind);
    if (!conversion.kind.reason.empty())
      remark << ", because " << conversion.kind.reason;
    remark << "; `layout(#tile.fragment_layout<...>)` can state one for both";
    remark.attachNote(conversion.buffer.getLoc()) << "of this fragment";
  }
}

void apply(const LayoutAnalysis &analysis, MLIRContext *context) {
  auto setOnAlloc = [](Value buffer, Attribute layout) {
    if (AllocOp alloc = allocationOf(buffer))
      alloc.setLayoutAttr(layout);
  };
  for (auto &[buffer, choice] : analysis.fragments)
    setOnAlloc(buffer, FragmentLayoutAttr::get(context, choice.layout));
  for (auto &[buffer, choice] : analysis.shareds)
    setOnAlloc(buffer, SharedLayoutAttr::get(context, choice.layout));
  for (auto &[op, choice] : analysis.loops)
    cast<TileOpInterface>(op).setLoopLayout(
        FragmentLayoutAttr::get(context, choice.layout));
  for (const OperationDecision &entry : analysis.decisions)
    entry.op->setAttr(entry.decision.attribute, entry.decision.value);
  ConversionInserter inserter(context);
  for (const LayoutConversion &conversion : analysis.conversions)
    inserter.insert(conversion);
}

/// Four times the registers that a thread has: instructions of gemms are
/// written out for each of an accumulator's registers, and take minutes to
/// compile beyond.
constexpr int64_t kMostGemmRegisters = 1024;

/// Refuses fragments that no thread holds, before layouts are sought.
LogicalResult checkFragmentSizes(KernelOp kernel, const TargetInfo &target) {
  WalkResult walk = kernel.walk([&](AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getType());
    if (!isFragment(alloc.getResult()) || !type.hasStaticShape())
      return WalkResult::advance();
    int64_t threads = getFragmentThreads(alloc.getResult());
    // Of elements that replicas share, each holds its own.
    int64_t elements = llvm::divideCeil(type.getNumElements(), threads);
    if (FragmentLayoutAttr stated = getFragmentLayout(alloc.getResult()))
      elements = stated.getLayout().numRegisters();
    int64_t registers =
        llvm::divideCeil(elements * getStorageBits(type.getElementType()), 32);
    bool isOfGemm = isFragmentOfGemm(alloc.getResult());
    if (elements <= kMaxRegisters &&
        (registers <= kMostGemmRegisters || !isOfGemm))
      return WalkResult::advance();
    InFlightDiagnostic diag = alloc.emitOpError() << "expected a fragment of ";
    if (isOfGemm)
      diag << "at most " << kMostGemmRegisters
           << " registers in each thread for a gemm, got " << registers;
    else
      diag << "at most " << kMaxRegisters << " elements in each thread, got "
           << elements;
    diag << ": " << type << " over " << threads << " threads";
    diag.attachNote() << "a thread has " << target.maxRegistersPerThread
                      << " registers: use a smaller tile in a loop, more "
                         "threads, or a tile in shared memory";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Says of fragments that have their layouts now which are kept in memory.
void explainMemory(KernelOp kernel, const TargetInfo &target, bool remarks) {
  kernel.walk([&](AllocOp alloc) {
    if (isKeptInLocalMemory(alloc, target))
      missedAt(remarks, alloc, "fragment is kept in local memory",
               "it holds " + Twine(registersOfFragment(alloc)) +
                   " registers a thread, more than " +
                   Twine(target.maxRegistersPerThread),
               "more `threads(...)`, a smaller tile in a loop, or a tile in "
               "shared memory fit");
  });
}

/// Whether loops over indices of fragments are worth writing out: of a copy
/// where they are, each thread holds what it accesses in each round.
bool threadsHoldRounds(KernelOp kernel, const TargetInfo &target) {
  if (!hasIndexLoops(kernel, target))
    return false;
  ScopedDiagnosticHandler silence(kernel.getContext(), [](Diagnostic &) {});
  OpBuilder builder(kernel);
  auto trial = cast<KernelOp>(builder.clone(*kernel));
  llvm::scope_exit erase([&] { trial.erase(); });
  unrollIndexLoops(trial, target, /*remarks=*/false);
  sinkViews(trial);
  if (failed(stageTiles(trial, target, /*remarks=*/false)))
    return false;
  FailureOr<LayoutAnalysis> analysis = LayoutAnalysis::compute(trial, target);
  while (succeeded(analysis) && !analysis->unheld.empty() &&
         !analysis->movesOwned) {
    if (failed(stageTiles(trial, target, /*remarks=*/false, analysis->unheld)))
      return false;
    analysis = LayoutAnalysis::compute(trial, target);
  }
  return succeeded(analysis) && analysis->unheld.empty();
}

struct InferLayoutsPass : tile::impl::InferLayoutsPassBase<InferLayoutsPass> {
  using InferLayoutsPassBase::InferLayoutsPassBase;

  void runOnOperation() override {
    if (failed(requireChosen(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    if (module.getOps<KernelOp>().empty())
      return;
    const TargetInfo *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    // The analysis works on staged IR; printing alone must not leave it behind.
    OwningOpRef<ModuleOp> scratch;
    if (printAnalysisOnly) {
      scratch = module.clone();
      module = *scratch;
      markAllAnalysesPreserved();
    }
    for (KernelOp kernel : module.getOps<KernelOp>()) {
      if (failed(checkFragmentSizes(kernel, *target)))
        return signalPassFailure();
      if (failed(foldSubviews(kernel, remarks && !printAnalysisOnly)))
        return signalPassFailure();
      if (threadsHoldRounds(kernel, *target))
        unrollIndexLoops(kernel, *target, remarks && !printAnalysisOnly);
      sinkViews(kernel);
      if (failed(stageTiles(kernel, *target, remarks && !printAnalysisOnly)))
        return signalPassFailure();
      FailureOr<LayoutAnalysis> analysis =
          LayoutAnalysis::compute(kernel, *target, exhaustive);
      // Whether threads hold what a loop accesses at an offset shows once
      // layouts are chosen. Each round takes at least one such access away.
      while (succeeded(analysis) && !analysis->unheld.empty()) {
        if (failed(stageTiles(kernel, *target, remarks && !printAnalysisOnly,
                              analysis->unheld)))
          return signalPassFailure();
        analysis = LayoutAnalysis::compute(kernel, *target, exhaustive);
      }
      if (failed(analysis))
        return signalPassFailure();
      if (printAnalysisOnly) {
        analysis->print(llvm::outs(), kernel);
        continue;
      }
      numConversions += analysis->conversions.size();
      explain(*analysis, remarks);
      apply(*analysis, &getContext());
      explainMemory(kernel, *target, remarks);
    }
  }
};

} // namespace
