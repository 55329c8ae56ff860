//===- RingExtractor.h - reduces a kernel to its schedule -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the ring verifier: RingModel.cpp finds out what matters,
// RingSteps.cpp writes it down.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGEXTRACTOR_H
#define TILE_LIB_ANALYSIS_RINGEXTRACTOR_H

#include "RingModel.h"
#include "RingScalars.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tile/Analysis/ClusterSharing.h"

namespace mlir::tile::rings {

/// The ring that an operation acts on, and the number of the use; null for
/// other operations.
Value ringOf(Operation *op);
Value useOf(Operation *op);

class Extractor {
public:
  explicit Extractor(Model &model)
      : model(model), kernel(model.kernel), sharing(model.kernel),
        scalars(model, [this](Value memref) { return slotOf(memref); }) {}

  void run();

private:
  // What matters.
  void collectRingsAndBuffers();
  void collectUsersOfViews();
  void markHeavy(Operation *op);
  void need(Value value);
  void closeNeeds();
  bool isAsync(Operation *op) const;
  /// Whether its result is a ring that is modelled.
  bool createsRing(Operation *op) const;
  /// Asynchronous operations and ring operations, by what they need.
  void findEvents();

  // Steps.
  int compile(Block &block);
  void compileOp(Operation &op, Body &body);
  void compileRingOp(Operation &op, Body &body);
  void compileFor(LoopLikeOpInterface loop, Body &body);
  void compileWhile(scf::WhileOp loop, Body &body);
  void compileIf(scf::IfOp branch, Body &body);
  bool isWrittenByHand();
  void compileAgents(Operation *op, Body &body);
  /// Accesses of everything below `op`, without its control flow.
  void compileAccesses(Operation &op, Body &body);
  bool addTouches(Operation *op, Step &step);
  Step &append(Body &body, StepKind kind, Operation *op);
  void classifyReader(Operation *op, Step &step);
  /// Whether a view is of a ring whose slots two blocks share.
  bool isPair(int view);
  /// Gemms of pairs read rings of pairs, and nobody else does.
  void checkPairs();
  void checkArrivals(const Ring &ring);
  void checkClaims();

  std::pair<int, int> slotOf(Value memref) const;
  Value baseOf(Value memref) const;
  void unsupported(Operation *op, const Twine &reason) {
    if (model.unsupported)
      return;
    model.unsupported = op;
    model.unsupportedReason = reason.str();
  }
  int agentOf(Operation *op) const;
  void finishRings();

  Model &model;
  KernelOp kernel;
  ClusterSharing sharing;
  ScalarBuilder scalars;
  llvm::DenseMap<Value, int> rings, buffers;
  llvm::DenseMap<Operation *, int> views;
  llvm::DenseSet<Operation *> heavy, light;
  llvm::DenseSet<Value> needed;
  SmallVector<Value> pending;
};

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGEXTRACTOR_H
