//===- ArgCheck.h - Checks of a launch's arguments --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares arguments with the manifest. Needs no driver: whether an address is
// the device's is Kernel.cpp's question.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_ARGCHECK_H
#define TILE_LIB_RUNTIME_ARGCHECK_H

#include "tile/Runtime/Launcher.h"

namespace mlir::tile::runtime {

/// The bytes that a memref's elements span: [begin, end), empty where it has
/// no elements.
struct ByteRange {
  cuda::DevicePtr begin;
  cuda::DevicePtr end;

  bool empty() const { return begin == end; }
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// "argument 1 ('B'): WHAT".
[[gnu::cold]] Error argError(const KernelSpec &kernel, size_t index,
                             const std::string &what);

/// Checks argument `index` and describes it to expressions. `strides` has room
/// for the argument's rank and receives the strides that the kernel is given:
/// those of the caller, but of dimensions of extent 1 or less and of tensors
/// without elements, whose strides mean nothing, the manifest's or the dense
/// ones.
Status checkArg(const KernelSpec &kernel, size_t index, const Arg &arg,
                int64_t *strides, ExprArg &described, ByteRange &range);

/// Checks that no written argument shares an element with another, or with
/// itself, unless it may alias.
Status checkOverlap(const KernelSpec &kernel, Span<const Arg> args,
                    const ExprArg *described, const ByteRange *ranges);

/// The arguments of a launch as expressions and checks see them. Lives on the
/// stack of a launch, uninitialized but for what `checkArgs` fills in.
struct CheckedArgs {
  ExprArg described[kMaxArgs];
  ByteRange ranges[kMaxArgs];
  int64_t strides[kMaxDims];
};

/// Checks their number and each of them by itself.
Status checkArgs(const KernelSpec &kernel, Span<const Arg> args,
                 CheckedArgs &checked);

/// Checks what the kernel relies on.
Status checkAssumptions(const KernelSpec &kernel, Span<const ExprArg> args);

/// "kernel 'gemm': WHAT".
[[gnu::cold]] Error kernelError(const KernelSpec &kernel,
                                const std::string &what);

/// Whether two strided sets of elements share a byte, or whether that would
/// take too long to find out. `distance` is the second set's address minus
/// the first's.
bool mayOverlap(const ExprArg &first, unsigned firstBits, const ExprArg &second,
                unsigned secondBits, int64_t distance);

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_ARGCHECK_H
