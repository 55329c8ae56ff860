//===- RingScalars.h - the index arithmetic of a ring model -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns SSA integers into the scalars of RingModel.h, on demand: what can be
// computed stays arithmetic, what cannot becomes a leaf whose source says when
// two agents see the same value.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGSCALARS_H
#define TILE_LIB_ANALYSIS_RINGSCALARS_H

#include "RingModel.h"
#include "tile/Analysis/Dependence.h"
#include <functional>
#include <map>

namespace mlir::tile::rings {

/// Arithmetic that the model computes from the operands.
bool isArithmetic(Operation *op);

class ScalarBuilder {
public:
  /// `tracer` gives the view (else -1) and the buffer that a memref is part of.
  using Tracer = std::function<std::pair<int, int>(Value)>;
  ScalarBuilder(Model &model, Tracer tracer)
      : model(model), tracer(std::move(tracer)) {}

  ScalarId get(Value value);
  /// A value that execution sets.
  ScalarId bound(Value value);
  ScalarId constant(int64_t value);
  /// Scalars of `block` belong to `body` from now on.
  void enter(Block &block, int body) { bodyOf[&block] = body; }
  /// A promise about a leaf bounds its enumeration.
  void assume(AssumeOp op);
  bool isLoadOfSlot(Value value) const;

private:
  using Key = std::vector<const void *>;
  ScalarId add(Scalar scalar);
  ScalarId leaf(Value value);
  Scalar comparison(IterationOp op);
  int source(Key key, llvm::function_ref<Source()> make);
  void registerLocal(Value value, ScalarId id);
  bool readsConstantMemory(Value memref);

  Model &model;
  Tracer tracer;
  llvm::DenseMap<Value, ScalarId> ids;
  std::map<int64_t, ScalarId> constants; // any number may be one
  llvm::DenseMap<Block *, int> bodyOf;
  std::map<Key, int> sources;
  SmallVector<OpAccess> accesses;
  bool accessesKnown = false, unknownAccess = false;
};

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGSCALARS_H
