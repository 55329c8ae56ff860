//===- RingChoices.h - which sizes and conditions are tried -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of a model asks for a value whenever control flow depends on one that
// is not known: it takes a *decision*, a joint assignment of the variables
// concerned out of a list. Runs repeat with the next assignment until each
// combination was tried; the same decisions come in the same order.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_RINGCHOICES_H
#define TILE_LIB_ANALYSIS_RINGCHOICES_H

#include "RingModel.h"
#include <map>

namespace mlir::tile::rings {

using Assignment = SmallVector<int64_t, 2>;

struct Variable {
  int source = 0;
  int64_t value = 0;
  bool isAssigned = false;
};

class Choices {
public:
  explicit Choices(const Model &model) : model(model) {}

  void beginRun();
  /// The next combination; false when all were tried.
  bool advance();

  /// The variable that stands for a source with these operands. A source that
  /// gives many values alternates between two variables: the n-th new key of a
  /// run gets variable n mod 2.
  int variable(int source, ArrayRef<int64_t> key);

  /// Takes a decision about `vars` for step `owner`; `domain` is asked on the
  /// first time only.
  void decide(ArrayRef<int> vars, int owner,
              llvm::function_ref<std::vector<Assignment>()> domain);

  /// The variables of each decision that has one of `vars` and was taken for
  /// another step than `owner`, the latest one first.
  std::vector<SmallVector<int, 2>> decisionsOn(ArrayRef<int> vars,
                                               int owner) const;
  /// Adds assignments to every decision about `decided`.
  void extend(ArrayRef<int> decided, ArrayRef<Assignment> more);

  std::vector<Variable> variables;
  const Source &sourceOf(int variable) const {
    return model.sources[variables[variable].source];
  }
  /// `K = 96, end of blocks = 2`.
  std::string describe() const;
  /// How many combinations there are, as far as is known yet.
  int64_t estimate() const;
  /// Agents that decided on values of their own (SourceKind::Effect).
  SmallVector<int, 2> guessingAgents;

private:
  struct Decision {
    SmallVector<int, 2> vars;
    std::vector<Assignment> domain;
    int owner = -1;
    size_t index = 0;
  };
  void assign(const Decision &decision);

  const Model &model;
  std::vector<Decision> stack;
  size_t depth = 0;
  std::map<std::pair<int, int64_t>, int> numbers; // (source, parity)
  std::map<std::pair<int, std::vector<int64_t>>, int> keys;
  std::map<int, int> keysOfSource;
  std::map<std::vector<int>, std::vector<Assignment>> extensions;
};

} // namespace mlir::tile::rings
#endif // TILE_LIB_ANALYSIS_RINGCHOICES_H
