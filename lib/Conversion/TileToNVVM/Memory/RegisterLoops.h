//===- RegisterLoops.h - loops over a thread's registers --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of more registers than a thread has lie in local memory, where an
// address may depend on a loop (isKeptInLocalMemory decides it). What goes
// through them is not written out register by register, and neither is a loop
// of very many iterations a thread that uses no fragment: digits of the loop
// layout's register number become loops, and the code for the rest stands once
// in their body. A digit that moves the tile's coordinates by as much for
// everyone is one more digit of the warp's number to those who compute places
// from layouts: layouts inside the loops have it there, as their last modes,
// and KernelLowering::loopDigits holds its value.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_MEMORY_REGISTERLOOPS_H
#define TILE_LIB_CONVERSION_TILETONVVM_MEMORY_REGISTERLOOPS_H

#include "Lowering.h"
#include <vector>

namespace mlir::tile::nvvm {

/// How a loop over a tile reaches a fragment: index d of the fragment moves by
/// coefficients[d][i] with index i of the loop.
struct FragmentUse {
  Value buffer;
  SmallVector<SmallVector<int64_t>> coefficients;
};

class RegisterLoops {
public:
  /// Chooses the digits of `loop` that become loops, so that one iteration is
  /// written out for at most `writtenOut` registers where that is possible.
  /// Digits along a dimension of `unrolled` do not.
  RegisterLoops(KernelLowering &lowering, const FragmentLayout &loop,
                ArrayRef<FragmentUse> uses, ArrayRef<unsigned> unrolled = {},
                int64_t writtenOut = kWrittenOut);

  /// Registers of a loop that one iteration is written out for: eight accesses
  /// of 16 bytes under way at a time, and few enough instructions.
  static constexpr int64_t kWrittenOut = 32;

  bool isEmpty() const { return digits.empty(); }
  /// The loop's layout inside.
  const FragmentLayout &inner() const { return layout; }

  /// Emits the loops and `body` in the innermost. There `fragments` of the
  /// lowering has what the digits leave of each, and values are carried from
  /// one iteration to the next: `body` gets and returns them.
  FailureOr<SmallVector<Value>>
  emit(ValueRange init,
       llvm::function_ref<FailureOr<SmallVector<Value>>(ValueRange)> body);

private:
  /// A fragment, and by how many registers each digit moves in it.
  struct View {
    FragmentUse use;
    FragmentBuffer buffer;
    SmallVector<int64_t> steps;
  };
  void chooseDigits(int64_t mostRegisters, bool movesRegisters);
  /// Makes a loop of mode `index`, but for its `kept` fastest values.
  bool takeDigit(unsigned index, int64_t kept, bool movesRegisters);
  static bool holds(const View &view, const FragmentLayout &rest);
  std::optional<View> withDigit(const View &view, const Mode &digit) const;
  FragmentBuffer viewInside(const View &view, ArrayRef<Value> values);

  KernelLowering &lowering;
  FragmentLayout layout;
  SmallVector<unsigned> unrolled;
  int64_t writtenOut;
  std::vector<View> views;
  /// From the slowest loop to the fastest.
  SmallVector<Mode> digits;
};

/// The registers that a loop over all of a fragment goes through; in loops over
/// registers those that the digits leave, whose numbers stay what they were.
SmallVector<int64_t> registersInside(KernelLowering &lowering,
                                     const FragmentBuffer &fragment);
/// The use of a whole fragment under a loop of its own shape.
FragmentUse wholeUse(Value buffer);

/// Emits `op`, which runs over a tile, by `lower`: in loops where it uses a
/// fragment in local memory, or none and has very many iterations a thread.
LogicalResult lowerInLoops(KernelLowering &lowering, Operation *op,
                           LowerFunction lower);
template <typename OpT, LogicalResult (*lower)(KernelLowering &, OpT)>
LogicalResult inLoops(KernelLowering &lowering, OpT op) {
  return lowerInLoops(lowering, op,
                      [](KernelLowering &lowering, Operation *inside) {
                        return lower(lowering, cast<OpT>(inside));
                      });
}

} // namespace mlir::tile::nvvm

#endif // TILE_LIB_CONVERSION_TILETONVVM_MEMORY_REGISTERLOOPS_H
