//===- RuntimeCalls.h - calls of who runs the program -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that whoever runs a compiled kernel provides (in this project
// lib/Execution), declared where first called. docs/Rationale/CpuMeaning.md
// lists them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETOCPU_RUNTIMECALLS_H
#define TILE_LIB_CONVERSION_TILETOCPU_RUNTIMECALLS_H

#include "TileToCPU.h"

namespace mlir::tile {

class RuntimeCalls {
public:
  /// For calls at `op`, which lies in the loop over blocks of a kernel's
  /// function.
  explicit RuntimeCalls(Operation *op);

  void printBegin(OpBuilder &b, Value message);
  void printIndex(OpBuilder &b, Value index);
  void printValue(OpBuilder &b, Value value);
  /// Stops the block when `condition` is false.
  void check(OpBuilder &b, Value condition, StringRef message);

  /// Calls `tile_cpu_<name>(%context, operands...)`.
  func::CallOp call(OpBuilder &b, StringRef name, ValueRange operands,
                    TypeRange results = {});
  /// A pointer to the text, terminated by zero.
  Value message(OpBuilder &b, StringRef text);
  Value getBlock() const { return block; }

private:
  Location loc;
  func::FuncOp function;
  ModuleOp module;
  Value context, block;
};

} // namespace mlir::tile
#endif // TILE_LIB_CONVERSION_TILETOCPU_RUNTIMECALLS_H
