//===- Instrument.h - kernels that call the machine -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites an LLVM module for NVPTX so that the host can execute it: whatever
// touches device memory, other threads or the identity of the thread becomes a
// call of the machine; arithmetic stays. Device addresses stay what they are on
// the device, numbers that only the machine can turn into memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_INSTRUMENT_H
#define TILE_LIB_LOWERED_INSTRUMENT_H

#include "Machine.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace mlir::tile::lowered {

/// One piece of PTX in the program.
struct Text {
  PtxCode code;
  unsigned numOutputs = 0;
  /// Whether registers that wgmma still writes may go in.
  bool takesTags = false;
};

/// What instrumented code refers to by number.
struct ProgramTables {
  std::vector<Site> sites;
  std::vector<Text> texts;
  /// Kernels with a loop that reads, by atomics, what other blocks may store.
  llvm::StringSet<> pollingKernels;
};

/// Names of what instrumented code calls. Each takes `self` first.
inline constexpr llvm::StringLiteral kAccessFunction = "tile_lowered_access";
inline constexpr llvm::StringLiteral kStoreFunction = "tile_lowered_store";
inline constexpr llvm::StringLiteral kExecuteFunction = "tile_lowered_execute";
inline constexpr llvm::StringLiteral kPrintFunction = "tile_lowered_print";

/// How an access is made: AccessKind, and for atomics what they order, and
/// whether the program may repeat it until others have stored what it waits
/// for: loads change nothing themselves. A load may go through the cache that
/// no store updates.
inline constexpr unsigned kAcquires = 4, kReleases = 8, kPolls = 16,
                          kYields = 32, kReadOnlyCache = 64;

/// The name of the entry of a kernel, `void (void **params)`.
std::string entryName(llvm::StringRef kernel);

/// Rewrites every kernel of the module; `self` is passed to all calls. Returns
/// an empty string, or what cannot be executed.
std::string instrument(llvm::Module &module, void *self, ProgramTables &tables);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_INSTRUMENT_H
