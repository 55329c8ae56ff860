//===- TensorMap.h - tensor maps in software --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col accept, in 128 bytes
// of our own, and which bytes the TMA instructions move with them (CUDA Driver
// API, "Tensor Map Object Management"; PTX ISA, "Tensors"). Nothing here knows
// threads or barriers: a copy is a list of pieces.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LOWERED_TENSORMAP_H
#define TILE_LIB_LOWERED_TENSORMAP_H

#include "tile/Runtime/CudaDriver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace mlir::tile::lowered {

/// CUDA_ERROR_NOT_SUPPORTED.
constexpr runtime::cuda::Result kErrorNotSupported = 801;

/// What a map says, as it was encoded.
struct TensorMapFields {
  int type = 0; ///< cuda::TensorMapType
  unsigned elementBytes = 0;
  unsigned rank = 0;
  uint64_t address = 0;
  uint64_t dims[5] = {};    ///< innermost first
  uint64_t strides[4] = {}; ///< bytes, of dimensions 1 and up
  unsigned box[5] = {};
  unsigned elementStrides[5] = {};
  int interleave = 0, swizzle = 0, l2 = 0, fill = 0; ///< as the driver numbers
  bool isIm2col = false;
  int lower[3] = {}, upper[3] = {};
  unsigned channels = 0, pixels = 0;
};

/// The driver's functions, with its checks; `why` (may be null) gets the rule
/// that is broken. Same parameters as cuda::Functions'. `lower` and `upper` are
/// innermost first (W, H, D), as the hardware takes them. Returns
/// kErrorInvalidValue where a rule is broken, and kErrorNotSupported for what
/// the driver has and this file has not: elements of 4 and 6 bits, swizzles of
/// atoms of more than 16 bytes.
int encodeTiled(runtime::cuda::TensorMap *map, int type, unsigned rank,
                void *address, const uint64_t *dims, const uint64_t *strides,
                const unsigned *box, const unsigned *elementStrides,
                int interleave, int swizzle, int l2, int fill,
                std::string *why = nullptr);
int encodeIm2col(runtime::cuda::TensorMap *map, int type, unsigned rank,
                 void *address, const uint64_t *dims, const uint64_t *strides,
                 const int *lower, const int *upper, unsigned channels,
                 unsigned pixels, const unsigned *elementStrides,
                 int interleave, int swizzle, int l2, int fill,
                 std::string *why = nullptr);
/// False where the 128 bytes are no map of ours.
bool decodeTensorMap(const void *map, TensorMapFields &fields);

/// Some consecutive bytes of a copy: one granule of the swizzle (16 bytes) or
/// less.
struct TmaPiece {
  uint64_t global = 0; ///< device address; meaningless where !inside
  uint32_t shared = 0; ///< address in the shared window, after swizzling
  uint32_t bytes = 0;
  bool inside =
      true; ///< outside of the tensor: loads give the fill, stores nothing
};

/// How a TMA instruction addresses the tensor.
enum class TmaMode : uint8_t { Tile, Im2col, Gather4, Scatter4 };

/// The pieces of one instruction. `coordinates`: innermost first; for Gather4
/// and Scatter4 the column and four rows; `offsets`: im2col offsets (rank - 2,
/// innermost first; none for a store, im2col_no_offs). `shared` is the
/// instruction's shared address. Returns an empty string, or the rule that is
/// broken (alignment of the shared address: 128 bytes, with a swizzle the
/// repeat of its pattern is by address, so no more is needed than what the PTX
/// ISA states; ranks; modes; coordinate rules), in words. Refused as well is
/// what the manual leaves open: interleaved tensors, and rows that are shorter
/// than the swizzle's span.
std::string tmaPieces(const TensorMapFields &map, TmaMode mode,
                      llvm::ArrayRef<int32_t> coordinates,
                      llvm::ArrayRef<uint16_t> offsets, uint32_t shared,
                      llvm::SmallVectorImpl<TmaPiece> &pieces);

/// The rule that coordinates of a store or a reduction break, in words; empty
/// where they break none. Loads may begin in front of the tensor, these not.
std::string checkStoreCoordinates(TmaMode mode,
                                  llvm::ArrayRef<int32_t> coordinates);

/// Bytes that such an instruction counts at an mbarrier: the whole box, also
/// what lies outside of the tensor.
uint32_t tmaBytes(const TensorMapFields &map, TmaMode mode);

/// The word of an f32 rounded to 10 bits of mantissa, ties away from zero;
/// infinities and NaN stay.
inline uint32_t roundedToTf32(uint32_t bits) {
  bool isSpecial = (bits & 0x7f800000) == 0x7f800000;
  return isSpecial ? bits : (bits + 0x1000) & 0xffffe000;
}

/// Copies elements as a load does: those of a map of tf32 are rounded.
void tmaLoad(const TensorMapFields &map, void *to, const void *from,
             uint32_t count);

/// One element for out-of-bounds bytes: zeros, or NaN where the map asks for it
/// (fill = 1, floating-point types only).
void tmaFill(const TensorMapFields &map, void *bytes, uint32_t count);

/// dst = op(dst, src) on `bytes` bytes, element by element: add, min, max, inc,
/// dec, and, or, xor (cp.reduce.async.bulk.tensor and cp.reduce.async.bulk).
/// `type` is a cuda::TensorMapType. False: no such operation on the type.
bool tmaReduce(const char *op, int type, void *dst, const void *src,
               uint32_t bytes);

/// What PTX demands of cp.async.bulk and cp.reduce.async.bulk without a tensor:
/// the size and both addresses are multiples of 16. Returns the rule that is
/// broken, or "".
std::string checkBulkCopy(uint64_t target, uint64_t source, uint32_t bytes);

} // namespace mlir::tile::lowered
#endif // TILE_LIB_LOWERED_TENSORMAP_H
