//===- LargeFunctions.h - what grows faster than a function -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of LLVM's passes compare the instructions of a function with each other,
// or ask of each condition whether it holds somewhere. In functions far larger
// than the kernels that people write, these take minutes: there they are left
// out, or shown less. docs/Rationale/Backend.md has the measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_TARGET_LARGEFUNCTIONS_H
#define TILE_LIB_TARGET_LARGEFUNCTIONS_H

#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"

namespace llvm {
class LLVMContext;
class Module;
class PassBuilder;
} // namespace llvm

namespace mlir::tile {

/// Leaves out of the optimizer what takes too long for a function.
void skipInLargeFunctions(llvm::PassInstrumentationCallbacks &callbacks);

/// Has the optimizer compute equal conversions of one value once in a large
/// function, and hide conditions that many of its branches share, once equal
/// ones are one: behind calls of `tile.condition`, of which it knows nothing
/// but that they are pure.
void prepareLargeFunctions(llvm::PassBuilder &builder);
/// Removes these calls.
void showSharedConditions(llvm::Module &module);

/// Bounds the copies of one register that the register coalescer looks at: it
/// merges live ranges, which grow with each. To be called once in a process,
/// before code generation: LLVM has no other place for it than an option.
void boundCoalescing();

/// Leaves passes out of code generation, as long as it lives. Passes ask the
/// gate of their context whether they run.
class LargeCodeGate : public llvm::OptPassGate {
public:
  explicit LargeCodeGate(llvm::Module &module);
  ~LargeCodeGate() override;

  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &previous;
  bool hasLargeBlock = false, hasManyBlocks = false;
};

} // namespace mlir::tile
#endif // TILE_LIB_TARGET_LARGEFUNCTIONS_H
