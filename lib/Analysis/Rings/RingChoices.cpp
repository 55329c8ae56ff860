//===- RingChoices.cpp - which sizes and conditions are tried -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "RingChoices.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::rings;

void Choices::beginRun() {
  depth = 0;
  keys.clear();
  keysOfSource.clear();
  guessingAgents.clear();
  for (Variable &variable : variables)
    variable.isAssigned = false;
}

bool Choices::advance() {
  // Decisions that the last run did not reach are stale.
  stack.resize(std::min(stack.size(), depth));
  while (!stack.empty()) {
    if (++stack.back().index < stack.back().domain.size())
      return true;
    stack.pop_back();
  }
  return false;
}

int Choices::variable(int source, ArrayRef<int64_t> key) {
  int64_t parity = 0;
  if (model.sources[source].kind != SourceKind::Fixed) {
    auto [it, isNew] = keys.try_emplace(
        {source, std::vector<int64_t>(key.begin(), key.end())}, 0);
    if (isNew)
      it->second = keysOfSource[source]++;
    parity = it->second % 2;
  }
  auto [it, isNew] =
      numbers.try_emplace({source, parity}, static_cast<int>(variables.size()));
  if (isNew)
    variables.push_back({source, 0, false});
  return it->second;
}

void Choices::assign(const Decision &decision) {
  for (auto [variable, value] :
       llvm::zip(decision.vars, decision.domain[decision.index])) {
    variables[variable].value = value;
    variables[variable].isAssigned = true;
  }
}

void Choices::decide(ArrayRef<int> vars, int owner,
                     llvm::function_ref<std::vector<Assignment>()> domain) {
  if (depth == stack.size()) {
    Decision made{SmallVector<int, 2>(vars), domain(), owner, 0};
    auto more = extensions.find(std::vector<int>(vars.begin(), vars.end()));
    if (more != extensions.end())
      for (const Assignment &assignment : more->second)
        if (!llvm::is_contained(made.domain, assignment))
          made.domain.push_back(assignment);
    stack.push_back(std::move(made));
  }
  assign(stack[depth++]);
}

std::vector<SmallVector<int, 2>> Choices::decisionsOn(ArrayRef<int> vars,
                                                      int owner) const {
  std::vector<SmallVector<int, 2>> found;
  for (size_t i = std::min(depth, stack.size()); i-- > 0;)
    if (stack[i].owner != owner && llvm::any_of(stack[i].vars, [&](int var) {
          return llvm::is_contained(vars, var);
        }))
      found.push_back(stack[i].vars);
  return found;
}

void Choices::extend(ArrayRef<int> decided, ArrayRef<Assignment> more) {
  auto &known = extensions[std::vector<int>(decided.begin(), decided.end())];
  for (const Assignment &assignment : more) {
    if (!llvm::is_contained(known, assignment))
      known.push_back(assignment);
    for (Decision &decision : stack)
      if (ArrayRef<int>(decision.vars) == decided &&
          !llvm::is_contained(decision.domain, assignment))
        decision.domain.push_back(assignment);
  }
}

std::string Choices::describe() const {
  std::string text;
  for (size_t i = 0; i < depth && i < stack.size(); ++i)
    for (int var : stack[i].vars) {
      const Source &source = sourceOf(var);
      text += (text.empty() ? "" : ", ") + source.name + " = ";
      int64_t value = variables[var].value;
      text +=
          source.isBool ? (value ? "true" : "false") : std::to_string(value);
    }
  return text;
}

int64_t Choices::estimate() const {
  int64_t product = 1;
  for (const Decision &decision : stack)
    if (product < int64_t(1) << 40)
      product *= static_cast<int64_t>(decision.domain.size());
  return product;
}
