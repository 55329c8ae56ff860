//===- TensorMap.cpp - encoding of tensor maps in software ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, as the CUDA
// Driver API states them, and what a map of ours looks like in its 128 bytes.
// TmaPieces.cpp says what instructions do with a map.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace mlir::tile::lowered;
namespace cuda = mlir::tile::runtime::cuda;

//===----------------------------------------------------------------------===//
// The 128 bytes
//===----------------------------------------------------------------------===//

namespace {
/// A map as it lies in the 128 bytes. The check value tells a map that a kernel
/// has written over, or that was not copied whole, from one that is intact.
struct PackedMap {
  uint64_t check;
  uint64_t address;
  uint64_t strides[4];
  uint32_t lastIndex[5]; ///< extents less 1: they reach 2^32
  int16_t lower[3], upper[3];
  uint16_t box[5];
  uint16_t channels, pixels;
  uint8_t elementStrides[5];
  uint8_t type, rank, interleave, swizzle, l2, fill, isIm2col;

  uint64_t computeCheck() const {
    // This checks neither zeros nor bytes with another meaning.
    constexpr uint64_t kSalt = 0x50414d5f454c4954; // "TILE_MAP"
    const auto *bytes = reinterpret_cast<const uint8_t *>(this);
    return llvm::xxh3_64bits(llvm::ArrayRef(
               bytes + sizeof(check), sizeof(PackedMap) - sizeof(check))) ^
           kSalt;
  }
};
static_assert(sizeof(PackedMap) <= sizeof(cuda::TensorMap));
} // namespace

static void pack(const TensorMapFields &fields, cuda::TensorMap *map) {
  PackedMap packed;
  std::memset(&packed, 0, sizeof(packed));
  packed.address = fields.address;
  for (unsigned i = 0; i < fields.rank; ++i) {
    packed.lastIndex[i] = uint32_t(fields.dims[i] - 1);
    packed.box[i] = uint16_t(fields.box[i]);
    packed.elementStrides[i] = uint8_t(fields.elementStrides[i]);
    if (i > 0)
      packed.strides[i - 1] = fields.strides[i - 1];
  }
  for (unsigned i = 0; i < 3; ++i) {
    packed.lower[i] = int16_t(fields.lower[i]);
    packed.upper[i] = int16_t(fields.upper[i]);
  }
  packed.channels = uint16_t(fields.channels);
  packed.pixels = uint16_t(fields.pixels);
  packed.type = uint8_t(fields.type);
  packed.rank = uint8_t(fields.rank);
  packed.interleave = uint8_t(fields.interleave);
  packed.swizzle = uint8_t(fields.swizzle);
  packed.l2 = uint8_t(fields.l2);
  packed.fill = uint8_t(fields.fill);
  packed.isIm2col = fields.isIm2col;
  packed.check = packed.computeCheck();
  std::memset(map, 0, sizeof(*map));
  std::memcpy(map, &packed, sizeof(packed));
}

static unsigned bytesOfType(int type) {
  constexpr unsigned kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type >= 0 && type < int(std::size(kBytes)) ? kBytes[type] : 0;
}

bool mlir::tile::lowered::decodeTensorMap(const void *map,
                                          TensorMapFields &fields) {
  PackedMap packed;
  std::memcpy(&packed, map, sizeof(packed));
  if (packed.check != packed.computeCheck())
    return false;
  fields = TensorMapFields();
  fields.type = packed.type;
  fields.elementBytes = bytesOfType(packed.type);
  fields.rank = packed.rank;
  fields.address = packed.address;
  for (unsigned i = 0; i < fields.rank; ++i) {
    fields.dims[i] = uint64_t(packed.lastIndex[i]) + 1;
    fields.box[i] = packed.box[i];
    fields.elementStrides[i] = packed.elementStrides[i];
    if (i > 0)
      fields.strides[i - 1] = packed.strides[i - 1];
  }
  for (unsigned i = 0; i < 3; ++i) {
    fields.lower[i] = packed.lower[i];
    fields.upper[i] = packed.upper[i];
  }
  fields.channels = packed.channels;
  fields.pixels = packed.pixels;
  fields.interleave = packed.interleave;
  fields.swizzle = packed.swizzle;
  fields.l2 = packed.l2;
  fields.fill = packed.fill;
  fields.isIm2col = packed.isIm2col;
  return true;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// Values of the driver's enumerations that the checks name.
constexpr int kInterleaveNone = 0, kInterleave32 = 2;
constexpr int kSwizzleNone = 0, kSwizzle32 = 1, kSwizzle128 = 3;
constexpr int kLastSwizzle = 6, kLastL2 = 3, kLastFill = 1;
constexpr int kFirstPackedType = 13, kLastType = 15;

/// The first rule that does not hold.
struct Checker {
  int result = cuda::kSuccess;
  std::string why;

  void expect(bool holds, const llvm::Twine &rule,
              int error = cuda::kErrorInvalidValue) {
    if (holds || result != cuda::kSuccess)
      return;
    result = error;
    why = rule.str();
  }
  bool failed() const { return result != cuda::kSuccess; }
};
} // namespace

/// A rule with the number that breaks it.
static std::string expected(const llvm::Twine &rule, int64_t got) {
  return ("expected " + rule + ", got " + llvm::Twine(got)).str();
}

static void checkEnumerations(Checker &check, const TensorMapFields &fields) {
  auto enumeration = [&](const char *name, int value, int last) {
    check.expect(
        value >= 0 && value <= last,
        expected(llvm::Twine(name) + " of 0 to " + llvm::Twine(last), value));
  };
  enumeration("a data type", fields.type, kLastType);
  enumeration("an interleave", fields.interleave, kInterleave32);
  enumeration("a swizzle", fields.swizzle, kLastSwizzle);
  enumeration("an L2 promotion", fields.l2, kLastL2);
  enumeration("an out-of-bounds fill", fields.fill, kLastFill);
  check.expect(fields.type < kFirstPackedType,
               "elements of 4 and 6 bits are not modelled", kErrorNotSupported);
  check.expect(fields.swizzle <= kSwizzle128,
               "swizzles of atoms of 32 and 64 bytes are not modelled",
               kErrorNotSupported);
  check.expect(fields.interleave != kInterleave32 ||
                   fields.swizzle == kSwizzle32,
               expected("a swizzle of 32 bytes (1) with an interleave of 32 "
                        "bytes",
                        fields.swizzle));
  bool isFloat = fields.type >= cuda::kMapFloat16;
  check.expect(fields.fill == 0 || isFloat,
               expected("a type of floating point where NaN fills what is out "
                        "of bounds",
                        fields.type));
}

/// Address, extents and strides of the tensor in global memory.
static void checkTensor(Checker &check, const TensorMapFields &fields) {
  constexpr uint64_t kMaxDim = uint64_t(1) << 32, kMaxStride = uint64_t(1)
                                                               << 40;
  unsigned align = fields.interleave == kInterleave32 ? 32 : 16;
  check.expect(fields.address % align == 0,
               expected("an address that is a multiple of " +
                            llvm::Twine(align) + " bytes, off by",
                        int64_t(fields.address % align)));
  for (unsigned i = 0; i < fields.rank; ++i)
    check.expect(
        fields.dims[i] >= 1 && fields.dims[i] <= kMaxDim,
        expected("an extent of 1 to 2^32 in dimension " + llvm::Twine(i),
                 int64_t(fields.dims[i])));
  for (unsigned i = 0; i + 1 < fields.rank; ++i)
    check.expect(
        fields.strides[i] % align == 0 && fields.strides[i] < kMaxStride,
        expected("a stride of a multiple of " + llvm::Twine(align) +
                     " bytes below 2^40 in dimension " + llvm::Twine(i + 1),
                 int64_t(fields.strides[i])));
  for (unsigned i = 0; i < fields.rank; ++i) {
    // TMA has no stride of the first dimension.
    if (i == 0 && fields.interleave == kInterleaveNone)
      continue;
    check.expect(
        fields.elementStrides[i] >= 1 && fields.elementStrides[i] <= 8,
        expected("an element stride of 1 to 8 in dimension " + llvm::Twine(i),
                 fields.elementStrides[i]));
  }
}

/// The bytes of a row of the box: `elements` of dimension 0.
static void checkInner(Checker &check, const TensorMapFields &fields,
                       unsigned elements) {
  if (fields.interleave != kInterleaveNone)
    return;
  unsigned bytes = elements * fields.elementBytes;
  check.expect(bytes % 16 == 0,
               expected("an inner box of a multiple of 16 bytes", bytes));
  unsigned span = 16u << fields.swizzle;
  check.expect(fields.swizzle == kSwizzleNone || bytes <= span,
               expected("an inner box of at most the " + llvm::Twine(span) +
                            " bytes of the swizzle",
                        bytes));
}

/// Parameters that both functions have, into fields of a rank that holds them.
static void takeTensor(Checker &check, TensorMapFields &fields, unsigned rank,
                       unsigned minRank, const void *address,
                       const uint64_t *dims, const uint64_t *strides,
                       const unsigned *elementStrides) {
  check.expect(rank >= minRank && rank <= 5,
               expected("a rank of " + llvm::Twine(minRank) + " to 5", rank));
  check.expect(fields.interleave == kInterleaveNone || rank >= 3,
               expected("a rank of 3 or more with an interleave", rank));
  check.expect(dims && elementStrides && (strides || rank == 1),
               "expected extents, strides and element strides, got a null "
               "pointer");
  if (check.failed())
    return;
  fields.elementBytes = bytesOfType(fields.type);
  fields.rank = rank;
  fields.address = reinterpret_cast<uintptr_t>(address);
  for (unsigned i = 0; i < rank; ++i) {
    fields.dims[i] = dims[i];
    fields.elementStrides[i] = elementStrides[i];
    if (i > 0)
      fields.strides[i - 1] = strides[i - 1];
  }
  checkEnumerations(check, fields);
  checkTensor(check, fields);
}

static int finish(const Checker &check, TensorMapFields fields,
                  cuda::TensorMap *map, std::string *why) {
  if (check.failed()) {
    if (why)
      *why = check.why;
    return check.result;
  }
  // It is ignored, and instructions need not know that.
  if (fields.interleave == kInterleaveNone)
    fields.elementStrides[0] = 1;
  pack(fields, map);
  return cuda::kSuccess;
}

static void checkMap(Checker &check, const cuda::TensorMap *map) {
  check.expect(map && reinterpret_cast<uintptr_t>(map) % 64 == 0,
               "expected the map itself at a multiple of 64 bytes");
}

int mlir::tile::lowered::encodeTiled(
    cuda::TensorMap *map, int type, unsigned rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const unsigned *box,
    const unsigned *elementStrides, int interleave, int swizzle, int l2,
    int fill, std::string *why) {
  Checker check;
  TensorMapFields fields;
  fields.type = type;
  fields.interleave = interleave;
  fields.swizzle = swizzle;
  fields.l2 = l2;
  fields.fill = fill;
  checkMap(check, map);
  takeTensor(check, fields, rank, /*minRank=*/1, address, dims, strides,
             elementStrides);
  check.expect(box, "expected a box, got a null pointer");
  if (!check.failed()) {
    for (unsigned i = 0; i < rank; ++i) {
      fields.box[i] = box[i];
      check.expect(
          box[i] >= 1 && box[i] <= 256,
          expected("a box of 1 to 256 in dimension " + llvm::Twine(i), box[i]));
    }
    checkInner(check, fields, fields.box[0]);
  }
  return finish(check, fields, map, why);
}

/// Corners of the box in which pixels lie, by the rank that says how many bits
/// each has.
static void takeCorners(Checker &check, TensorMapFields &fields,
                        const int *lower, const int *upper) {
  check.expect(lower && upper, "expected two corners, got a null pointer");
  if (check.failed())
    return;
  constexpr int kLimits[] = {32768, 128, 16};
  int limit = kLimits[fields.rank - 3];
  for (unsigned i = 0; i < fields.rank - 2; ++i) {
    fields.lower[i] = lower[i];
    fields.upper[i] = upper[i];
    for (int corner : {lower[i], upper[i]})
      check.expect(corner >= -limit && corner < limit,
                   expected("corners of " + llvm::Twine(-limit) + " to " +
                                llvm::Twine(limit - 1) + " of a tensor of " +
                                llvm::Twine(fields.rank) + " dimensions",
                            corner));
    int64_t extent = int64_t(fields.dims[i + 1]) + upper[i] - lower[i];
    check.expect(extent > 0,
                 expected("a box of at least one pixel in dimension " +
                              llvm::Twine(i + 1),
                          extent));
  }
}

int mlir::tile::lowered::encodeIm2col(
    cuda::TensorMap *map, int type, unsigned rank, void *address,
    const uint64_t *dims, const uint64_t *strides, const int *lower,
    const int *upper, unsigned channels, unsigned pixels,
    const unsigned *elementStrides, int interleave, int swizzle, int l2,
    int fill, std::string *why) {
  Checker check;
  TensorMapFields fields;
  fields.isIm2col = true;
  fields.type = type;
  fields.interleave = interleave;
  fields.swizzle = swizzle;
  fields.l2 = l2;
  fields.fill = fill;
  checkMap(check, map);
  takeTensor(check, fields, rank, /*minRank=*/3, address, dims, strides,
             elementStrides);
  takeCorners(check, fields, lower, upper);
  check.expect(channels >= 1 && channels <= 256,
               expected("1 to 256 channels of a pixel", channels));
  check.expect(pixels >= 1 && pixels <= 1024,
               expected("1 to 1024 pixels of a column", pixels));
  if (!check.failed()) {
    fields.channels = channels;
    fields.pixels = pixels;
    checkInner(check, fields, channels);
  }
  return finish(check, fields, map, why);
}
