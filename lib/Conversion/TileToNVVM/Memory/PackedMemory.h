//===- PackedMemory.h - elements of half a byte -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// i4 and f4E2M1FN lie two to a byte, the one with the even offset in the low
// half. An access of a run that starts at a byte moves whole bytes. One element
// on its own is loaded with its neighbour and shifted; it is stored by two
// atomics on the 32-bit word around it (one clears its bits, one sets them),
// so that no two threads that write the halves of a byte disturb each other.
// Copies and loops are laid out so that this is the exception.
//
// Blocks have no order among themselves: where a kernel stores elements of a
// global buffer that way, one block may read or write a half, or a neighbour in
// the word, while another does. All its accesses of less than a word to that
// buffer are relaxed atomics then. Kernels that only read packed elements, or
// store them by words, have plain accesses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CONVERSION_TILETONVVM_PACKEDMEMORY_H
#define TILE_LIB_CONVERSION_TILETONVVM_PACKEDMEMORY_H

#include "Lowering.h"

namespace mlir::tile::nvvm {

/// One element, wherever it lies in its byte. `besideStores`: other threads of
/// the block may store the byte's other element at the same time, by atomics.
Value loadPacked(KernelLowering &lowering, const PackedPlace &place,
                 Type elementType, bool besideStores = false);
void storePacked(KernelLowering &lowering, const PackedPlace &place,
                 Value value);

/// Once a kernel is lowered: relaxes what accesses global buffers beside
/// atomics of `storePacked`.
void orderPackedAccesses(KernelLowering &lowering);

/// Words of up to 32 bits that hold `count` elements (2, 4, 8 or a multiple of
/// 8), at an address that is a multiple of their bytes.
SmallVector<Value> loadPackedWords(KernelLowering &lowering, Value pointer,
                                   int64_t count);
void storePackedWords(KernelLowering &lowering, Value pointer,
                      ArrayRef<Value> words);
/// The elements of such words, and back.
SmallVector<Value> unpackWords(KernelLowering &lowering, ArrayRef<Value> words,
                               int64_t count, Type elementType);
SmallVector<Value> packWords(KernelLowering &lowering, ArrayRef<Value> values);

} // namespace mlir::tile::nvvm
#endif // TILE_LIB_CONVERSION_TILETONVVM_PACKEDMEMORY_H
