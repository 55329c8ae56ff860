//===- RegisterTags.h - registers that wgmma still writes ---------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asynchronous instruction leaves tags in its result registers. A tag
// becomes a value where a text that waits, or comes after the wait, takes the
// register in and gives it out; anywhere else it is a finding.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_REGISTERTAGS_H
#define TILE_LIB_LOWERED_REGISTERTAGS_H

#include "Machine.h"

namespace mlir::tile::lowered {

bool isTag(const Thread &thread, uint64_t value);
/// Puts values in the place of tags that have been waited for.
void resolveTags(Thread &thread, uint64_t *slots, unsigned count);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_REGISTERTAGS_H
