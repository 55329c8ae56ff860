//===- Assembly.h - inline PTX under construction ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For instructions whose operands must not be touched between one another:
// several lines in one piece, with every register tied in or out.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_ASSEMBLY_H
#define TILE_LIB_CONVERSION_TILETONVVM_ASSEMBLY_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// Inline PTX under construction. Results come first in PTX's numbering, so all
/// of them are added before the first input.
class Assembly {
public:
  explicit Assembly(KernelLowering &lowering) : lowering(lowering) {}

  std::string result(Type type, char constraint) {
    assert(inputs.empty() && "results come before inputs");
    results.push_back(type);
    constraints += (constraints.empty() ? "=" : ",=");
    constraints += constraint;
    return "$" + std::to_string(results.size() - 1);
  }
  std::string input(Value value, const std::string &constraint) {
    inputs.push_back(value);
    constraints += (constraints.empty() ? "" : ",") + constraint;
    return "$" + std::to_string(results.size() + inputs.size() - 1);
  }
  void line(const std::string &instruction) { text += "\n\t" + instruction; }
  /// The assembly clobbers memory, because these instructions read shared
  /// memory.
  SmallVector<Value> emit() {
    auto &b = lowering.builder;
    constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
    LLVM::InlineAsmOp op =
        lowering.inlineAsm(results, "{" + text + "\n\t}", constraints, inputs);
    SmallVector<Value> values;
    for (size_t i = 0; i < results.size(); ++i)
      values.push_back(results.size() == 1
                           ? op.getResult(0)
                           : Value(LLVM::ExtractValueOp::create(
                                 b, op.getResult(0), int64_t(i))));
    return values;
  }

private:
  KernelLowering &lowering;
  std::string text, constraints;
  SmallVector<Type> results;
  SmallVector<Value> inputs;
};

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_ASSEMBLY_H
