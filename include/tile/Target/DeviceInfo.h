//===- DeviceInfo.h - what a GPU of an architecture has ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices of one architecture run the same code and differ in what decides how
// fast: multiprocessors, clocks, memory. One table by device holds these
// figures; choices of tiles, splits and clusters are made for one of its rows.
// Limits that all devices of an architecture share are in TargetInfo.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGET_DEVICEINFO_H
#define TILE_TARGET_DEVICEINFO_H

#include "tile/Runtime/Prediction.h"
#include "tile/Target/TargetInfo.h"
#include <array>

namespace mlir::tile {

/// What one multiprocessor does in a cycle.
struct MultiprocessorRates {
  double tensorMultiplyAdds; // of 16-bit operands, by the fastest instruction
  double mmaSyncPart;        // mma.sync as a part of that
  double multiplyAdds;       // f32, outside tensor cores
  double specialFunctions;   // exp2, rcp, ...
  double sharedBytes;        // read or written
  double l2Bytes;            // from the L2 cache
  double loadLatency;        // cycles from issue of a load to its data
};

struct DeviceInfo {
  llvm::StringRef name; // as --device has it: "H100-PCIe"
  /// Words of the name that the driver gives the device ("NVIDIA H100 PCIe"),
  /// in lower case: one of them whole, and what another one starts with.
  llvm::StringRef model, form;
  unsigned capability; // 90
  int64_t multiprocessors;
  double maxGHz;             // clock that is not limited by power
  double sustainedGHz;       // clock with tensor cores always busy
  double dramBytesPerSecond; // that plain copies get
  double l2Capacity;         // bytes
  const MultiprocessorRates &rates;
  /// Multiprocessors of each group that a cluster has to fit in; empty where
  /// that is not known.
  std::array<int64_t, 8> groups = {};
  /// Clusters of 1, 2, ... blocks that run at a time, one block a
  /// multiprocessor; zeros where nobody has counted them.
  std::array<int64_t, 8> clusters = {};
  /// Bytes that a kernel reads once from which on the L2 cache does better to
  /// keep them than what is written (docs/Rationale/CopySelection.md); 0 where
  /// nobody has measured that.
  double keptReads = 0;
  /// Bytes that a kernel reads once up to which it does better if they leave
  /// the L2 cache first, where it writes little (the same document); 0 where
  /// nobody has measured that.
  double leavingReads = 0;

  /// What predictions read of it.
  runtime::DeviceFigures figures() const;
  /// An error where the device does not run code for the architecture.
  bool runs(const TargetInfo &target, std::string *error = nullptr) const;

  /// The row of a name, in which only letters and digits count and case does
  /// not; null, with the list of names in `error`, when there is none.
  static const DeviceInfo *get(llvm::StringRef name,
                               std::string *error = nullptr);
  /// The row that a choice is made for: the named one (which exists), or, where
  /// `name` is empty, the first of the architecture, else of the one before it.
  static const DeviceInfo &of(const TargetInfo &target, llvm::StringRef name);
  /// The row of a device that is there, by what the driver says of it: by name,
  /// else the one of its architecture with the most similar number of
  /// multiprocessors; null where the table knows none of the architecture.
  static const DeviceInfo *find(llvm::StringRef driverName, unsigned capability,
                                int64_t multiprocessors);
  static llvm::ArrayRef<DeviceInfo> all();
};

} // namespace mlir::tile
#endif // TILE_TARGET_DEVICEINFO_H
