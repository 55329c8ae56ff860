//===- KernelReader.h - a walk over one kernel for its cost -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk is in CostFacts.cpp, what it expects of later passes in
// ExpectedPasses.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_COST_KERNELREADER_H
#define TILE_LIB_ANALYSIS_COST_KERNELREADER_H

#include "Numbers.h"
#include "Symbols.h"
#include "tile/Analysis/ClusterSharing.h"
#include "tile/Analysis/CostFacts.h"
#include "tile/Analysis/Occupancy.h"
#include "tile/Dialect/Tile/IR/Surroundings.h"

namespace mlir::tile::cost {

inline MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

class KernelReader {
public:
  KernelReader(FactsReader &reader, const TargetInfo &target,
               const DeviceInfo &device, KernelOp kernel,
               const ProblemSizes &sizes, KernelFacts &facts)
      : reader(reader), target(target), device(device), rates(device.rates),
        kernel(kernel), sizes(sizes), facts(facts), numbers(kernel, sizes),
        symbols(kernel), sharing(kernel) {}

  std::optional<std::string> read();
  /// What `read` found, for any sizes.
  runtime::CostSpec takeSpec();

private:
  std::optional<std::string> readGrid();
  void readMemory();
  BlockFacts block();
  /// Operations of `block`, each executed `times` in an iteration of `phase`.
  void visit(Block &block, double times, unsigned phase);
  void visitOp(Operation *op, double times, unsigned phase, bool &hasLoad);
  void visitPipelined(PipelinedOp loop, double times, unsigned phase);
  int64_t sharers(TileMoveOpInterface copy);
  int64_t finishers(Value fragment);
  bool passesShared(TileMoveOpInterface copy);
  bool leavesLater(TileMoveOpInterface copy, unsigned phase);
  void visitCopy(TileMoveOpInterface copy, double times, unsigned phase,
                 bool &hasLoad);
  void visitParallel(ParallelOp loop, double times, unsigned phase);
  /// `bytes` an iteration of the phase, `loaded` of them from the L2 cache.
  void addStream(Value buffer, ValueRange offsets, double bytes, double loaded,
                 bool isStore, unsigned phase);
  double trips(Value lower, Value upper, Value step);
  void addDependences(Value value, std::array<bool, 3> &varies,
                      llvm::SmallDenseSet<Value> &seen);
  Work &work(unsigned phase) { return facts.phases[phase].work; }
  double elements(ArrayRef<int64_t> extents) {
    double product = 1;
    for (int64_t extent : extents)
      product *= double(extent);
    return product;
  }

  FactsReader &reader;
  const TargetInfo &target;
  const DeviceInfo &device;
  const MultiprocessorRates &rates;
  KernelOp kernel;
  const ProblemSizes &sizes;
  KernelFacts &facts;
  Numbers numbers;
  Symbols symbols;
  runtime::CostSpec spec;
  ClusterSharing sharing;
  int64_t gemmRegisters = FactsReader::kBaseRegisters;
  int64_t fragmentRegisters = 0;
  int64_t slotBytes = 0;                // of facts.sharedBytes, those of rings
  llvm::SmallDenseSet<Value> exchanged; // results that split blocks add up
  std::string refused;
  std::optional<bool> endsByElements; // what follows the pipelined loops
};

} // namespace mlir::tile::cost
#endif // TILE_LIB_ANALYSIS_COST_KERNELREADER_H
