//===- TmaRules.h - when tensor and bulk copies can move a tile -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to copy selection: rows of the table in CopyRules.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_ANALYSIS_TMARULES_H
#define TILE_LIB_ANALYSIS_TMARULES_H

#include "tile/Analysis/CopyFacts.h"
#include "tile/Target/TargetInfo.h"

namespace mlir::tile {

/// Why a copy between global and shared memory cannot be made by tensor copies
/// (by one 1-D bulk copy); empty when it can. `bytes` is the table's, unused.
Reason whyNotTma(const CopyFacts &facts, const TargetInfo &target,
                 int64_t bytes);
Reason whyNotBulk(const CopyFacts &facts, const TargetInfo &target,
                  int64_t bytes);
/// Why the matrix of a convolution cannot be loaded by im2col copies.
Reason whyNotIm2col(const CopyFacts &facts, const TargetInfo &target,
                    int64_t bytes);
/// Why rows named by indices cannot be moved by gather4 and scatter4.
Reason whyNotGather4(const CopyFacts &facts, const TargetInfo &target,
                     int64_t bytes);
/// Why an atomic from shared to global memory cannot be a tensor reduction.
Reason whyNotReduce(const CopyFacts &facts, const TargetInfo &target,
                    int64_t bytes);

/// Whether a tensor or bulk copy would do if the shared buffer had this layout.
bool isMovedByProxy(const CopyFacts &facts, const TargetInfo &target,
                    const SharedLayout &shared);

} // namespace mlir::tile
#endif // TILE_LIB_ANALYSIS_TMARULES_H
