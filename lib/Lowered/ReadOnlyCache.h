//===- ReadOnlyCache.h - loads that assume nobody writes --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NVPTX back end turns a load into `ld.global.nc` where it knows that the
// kernel does not write what is read. Such a load goes through a cache that no
// store updates, and the assembler may move it in front of stores and barriers.
// So the bytes must not be written by anything during the whole launch (PTX
// ISA, "ld.global.nc"), whatever orders the two.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_READONLYCACHE_H
#define TILE_LIB_LOWERED_READONLYCACHE_H

#include "Races.h"
#include "llvm/ADT/BitVector.h"

namespace llvm {
class LoadInst;
}

namespace mlir::tile::lowered {

/// Whether the back end will read through the read-only cache: the same
/// question as NVPTXTagInvariantLoads asks (llvm/lib/Target/NVPTX).
bool readsThroughReadOnlyCache(const llvm::LoadInst &load);

/// Which bytes of an allocation a launch has read through that cache, and which
/// it has written.
class ReadOnlyBytes {
public:
  /// A new launch: nothing of both.
  void clear();
  /// Each records an access and returns the place of an access of the other
  /// kind to the same allocation where one of the bytes has been accessed in
  /// both ways.
  std::optional<SiteId> read(size_t offset, size_t bytes, size_t size,
                             SiteId site);
  std::optional<SiteId> write(size_t offset, size_t bytes, size_t size,
                              SiteId site);

private:
  struct Side {
    llvm::BitVector bytes;
    SiteId site = 0; ///< of the last access
  };
  static std::optional<SiteId> record(Side &side, const Side &other,
                                      size_t offset, size_t bytes, size_t size,
                                      SiteId site);
  Side reads, writes;
};

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_READONLYCACHE_H
