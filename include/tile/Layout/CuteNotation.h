//===- CuteNotation.h - layouts in CuTe's spelling --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints `shape:stride` layouts as the literature writes them, so
// that ours can be compared with it. Strides are `2@1` (2 along dimension 1),
// plain integers (along dimension 0), or 0 (replication). Our own form, which
// the dialect's attributes use, is in LayoutText.cpp.
//
//   modes       (4,8):(2@1,1@0)
//   fragment    ((4,8),(2,2)):((2@1,1@0),(1@1,8@0))   threads, then registers
//   shared      Sw<3,3,3> o (128,(64,2)):(64,(1,8192))  one group per dimension
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_CUTENOTATION_H
#define TILE_LAYOUT_CUTENOTATION_H

#include "tile/Layout/SharedLayout.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

void printCute(const Modes &modes, llvm::raw_ostream &os);
/// Threads are lanes, then warps (then blocks); the other group is registers.
void printCute(const FragmentLayout &layout, llvm::raw_ostream &os);
/// Offsets and swizzle count elements, as CuTe's do.
void printCute(const SharedLayout &layout, llvm::raw_ostream &os);

/// One list of modes; nesting is flattened. Errors name the column.
OrRefusal<Modes> parseCuteModes(llvm::StringRef text);
/// Two groups, threads and registers, over a tile of `shape`. The first 32
/// threads are the lanes; a mode that straddles them is split, or refused when
/// its extent does not split there.
OrRefusal<FragmentLayout> parseCuteFragment(llvm::StringRef text,
                                            llvm::ArrayRef<int64_t> shape);
/// One group per dimension, integer strides, optional `Sw<bits,base,shift> o`.
OrRefusal<SharedLayout> parseCuteShared(llvm::StringRef text,
                                        unsigned elementBits);

} // namespace mlir::tile
#endif // TILE_LAYOUT_CUTENOTATION_H
