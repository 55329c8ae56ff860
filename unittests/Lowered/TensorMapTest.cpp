//===- TensorMapTest.cpp - Encoding of tensor maps in software ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of the driver's functions, broken one at a time.
//
//===----------------------------------------------------------------------===//

#include "TensorMapTestUtil.h"

#include <cstring>
#include <functional>

using namespace mlir::tile::lowered;
using namespace mlir::tile::lowered::test;

template <typename Parameters>
static void expectRefused(const std::function<void(Parameters &)> &spoil,
                          const std::string &rule,
                          int error = cuda::kErrorInvalidValue) {
  Parameters parameters;
  spoil(parameters);
  cuda::TensorMap map;
  std::string why;
  EXPECT_EQ(parameters.encode(map, &why), error) << rule;
  EXPECT_NE(why.find(rule), std::string::npos)
      << "expected '" << rule << "' in '" << why << "'";
  // `why` is optional.
  EXPECT_EQ(parameters.encode(map), error);
}

template <typename Parameters>
static void expectTaken(const std::function<void(Parameters &)> &change) {
  Parameters parameters;
  change(parameters);
  cuda::TensorMap map;
  std::string why;
  EXPECT_EQ(parameters.encode(map, &why), cuda::kSuccess) << why;
}

TEST(TensorMap, KeepsWhatATiledMapSays) {
  TiledParameters p;
  p.rank = 5;
  p.dims[4] = uint64_t(1) << 32;
  p.strides[3] = (uint64_t(1) << 40) - 16;
  p.box[1] = 256;
  p.elementStrides[2] = 8;
  p.swizzle = 3;
  p.l2 = 2;
  p.fill = 1;
  TensorMapFields f = p.fields();
  EXPECT_EQ(f.type, cuda::kMapFloat16);
  EXPECT_EQ(f.elementBytes, 2u);
  EXPECT_EQ(f.rank, 5u);
  EXPECT_EQ(f.address, p.address);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(f.dims[i], p.dims[i]);
    EXPECT_EQ(f.box[i], p.box[i]);
    EXPECT_EQ(f.elementStrides[i], p.elementStrides[i]);
  }
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(f.strides[i], p.strides[i]);
  EXPECT_EQ(f.interleave, 0);
  EXPECT_EQ(f.swizzle, 3);
  EXPECT_EQ(f.l2, 2);
  EXPECT_EQ(f.fill, 1);
  EXPECT_FALSE(f.isIm2col);
}

TEST(TensorMap, KeepsWhatAnIm2colMapSays) {
  Im2colParameters p;
  p.rank = 5;
  p.lower[0] = -16;
  p.lower[2] = 1;
  p.upper[1] = 15;
  p.pixels = 1024;
  TensorMapFields f = p.fields();
  EXPECT_TRUE(f.isIm2col);
  EXPECT_EQ(f.channels, 64u);
  EXPECT_EQ(f.pixels, 1024u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(f.lower[i], p.lower[i]);
    EXPECT_EQ(f.upper[i], p.upper[i]);
  }
}

TEST(TensorMap, TellsAMapFromOtherBytes) {
  cuda::TensorMap map;
  TensorMapFields fields;
  std::memset(&map, 0, sizeof(map));
  EXPECT_FALSE(decodeTensorMap(&map, fields));
  ASSERT_EQ(TiledParameters().encode(map), cuda::kSuccess);
  EXPECT_TRUE(decodeTensorMap(&map, fields));
  // A parameter lies where the kernel's parameters do, not at multiples of 64.
  alignas(64) char moved[136];
  std::memcpy(moved + 8, &map, sizeof(map));
  EXPECT_TRUE(decodeTensorMap(moved + 8, fields));
  for (unsigned byte : {0u, 8u, 40u, 70u})
    for (unsigned bit : {0u, 7u}) {
      cuda::TensorMap damaged = map;
      reinterpret_cast<unsigned char *>(&damaged)[byte] ^= 1u << bit;
      EXPECT_FALSE(decodeTensorMap(&damaged, fields)) << byte;
    }
}

TEST(TensorMap, BytesOfTypes) {
  const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  for (int type = 0; type < 13; ++type) {
    TiledParameters p;
    p.type = type;
    p.box[0] = 16;
    EXPECT_EQ(p.fields().elementBytes, bytes[type]) << type;
  }
}

TEST(TensorMap, RefusesBrokenRulesOfTiledMaps) {
  using P = TiledParameters;
  auto refused = expectRefused<P>;
  auto invalid = cuda::kErrorInvalidValue;
  refused([](P &p) { p.rank = 0; }, "a rank of 1 to 5, got 0", invalid);
  refused([](P &p) { p.rank = 6; }, "a rank of 1 to 5, got 6", invalid);
  refused([](P &p) { p.interleave = 1; }, "a rank of 3 or more", invalid);
  refused([](P &p) { p.type = -1; }, "a data type of 0 to 15", invalid);
  refused([](P &p) { p.type = 16; }, "a data type of 0 to 15", invalid);
  refused([](P &p) { p.type = 13; }, "4 and 6 bits", kErrorNotSupported);
  refused([](P &p) { p.swizzle = 7; }, "a swizzle of 0 to 6", invalid);
  refused([](P &p) { p.swizzle = 4; }, "atoms of 32", kErrorNotSupported);
  refused([](P &p) { p.l2 = 4; }, "an L2 promotion of 0 to 3", invalid);
  refused([](P &p) { p.fill = 2; }, "fill of 0 to 1", invalid);
  refused(
      [](P &p) {
        p.fill = 1;
        p.type = cuda::kMapUInt16;
      },
      "a type of floating point", invalid);
  refused([](P &p) { p.address += 8; }, "an address that is a multiple of 16",
          invalid);
  refused([](P &p) { p.dims[1] = 0; }, "an extent of 1 to 2^32 in dimension 1",
          invalid);
  refused([](P &p) { p.dims[0] = (uint64_t(1) << 32) + 1; },
          "an extent of 1 to 2^32 in dimension 0", invalid);
  refused([](P &p) { p.strides[0] = 264; },
          "a stride of a multiple of 16 bytes below 2^40 in dimension 1, got "
          "264",
          invalid);
  refused([](P &p) { p.strides[0] = uint64_t(1) << 40; }, "below 2^40",
          invalid);
  refused([](P &p) { p.box[1] = 0; }, "a box of 1 to 256 in dimension 1",
          invalid);
  refused([](P &p) { p.box[1] = 257; }, "a box of 1 to 256 in dimension 1",
          invalid);
  refused([](P &p) { p.box[0] = 12; },
          "an inner box of a multiple of 16 bytes, got 24", invalid);
  refused([](P &p) { p.elementStrides[1] = 0; }, "an element stride of 1 to 8",
          invalid);
  refused([](P &p) { p.elementStrides[1] = 9; }, "an element stride of 1 to 8",
          invalid);
  for (int swizzle : {1, 2, 3})
    refused(
        [&](P &p) {
          p.swizzle = swizzle;
          p.box[0] = (16u << swizzle) / 2 + 8;
        },
        "an inner box of at most the " + std::to_string(16 << swizzle) +
            " bytes of the swizzle",
        invalid);
  cuda::TensorMap maps[2];
  P p;
  EXPECT_EQ(encodeTiled(reinterpret_cast<cuda::TensorMap *>(
                            reinterpret_cast<char *>(maps) + 16),
                        p.type, p.rank, nullptr, p.dims, p.strides, p.box,
                        p.elementStrides, 0, 0, 0, 0),
            invalid);
  EXPECT_EQ(encodeTiled(maps, p.type, p.rank, nullptr, nullptr, p.strides,
                        p.box, p.elementStrides, 0, 0, 0, 0),
            invalid);
  EXPECT_EQ(encodeTiled(maps, p.type, p.rank, nullptr, p.dims, p.strides,
                        nullptr, p.elementStrides, 0, 0, 0, 0),
            invalid);
}

TEST(TensorMap, TakesWhatIsJustAllowed) {
  using P = TiledParameters;
  expectTaken<P>([](P &p) { p.rank = 1; });
  // Numbers beyond the rank are not read.
  expectTaken<P>([](P &p) { p.box[2] = 0, p.strides[1] = 1; });
  // The first element stride is ignored without an interleave.
  expectTaken<P>([](P &p) { p.elementStrides[0] = 0; });
  expectTaken<P>([](P &p) { p.strides[0] = 0; });
  for (int swizzle : {1, 2, 3})
    expectTaken<P>([&](P &p) {
      p.swizzle = swizzle;
      p.box[0] = (16u << swizzle) / 2;
    });
  expectTaken<P>([](P &p) {
    p.rank = 3;
    p.interleave = 2;
    p.swizzle = 1;
  });
}

TEST(TensorMap, RefusesBrokenRulesOfInterleavedMaps) {
  using P = TiledParameters;
  auto spoiled = [](void (*more)(P &)) {
    return [more](P &p) {
      p.rank = 3;
      p.interleave = 2;
      p.swizzle = 1;
      more(p);
    };
  };
  expectRefused<P>(spoiled([](P &p) { p.swizzle = 3; }),
                   "a swizzle of 32 bytes (1)");
  expectRefused<P>(spoiled([](P &p) { p.address += 16; }),
                   "an address that is a multiple of 32");
  expectRefused<P>(spoiled([](P &p) { p.strides[1] += 16; }),
                   "a stride of a multiple of 32 bytes");
  expectRefused<P>(spoiled([](P &p) { p.elementStrides[0] = 0; }),
                   "an element stride of 1 to 8 in dimension 0");
}

TEST(TensorMap, RefusesBrokenRulesOfIm2colMaps) {
  using P = Im2colParameters;
  auto refused = [](const std::function<void(P &)> &spoil, const char *rule) {
    expectRefused<P>(spoil, rule);
  };
  refused([](P &p) { p.rank = 2; }, "a rank of 3 to 5, got 2");
  refused([](P &p) { p.rank = 6; }, "a rank of 3 to 5, got 6");
  refused([](P &p) { p.lower[1] = -129; },
          "corners of -128 to 127 of a tensor of 4 dimensions, got -129");
  refused([](P &p) { p.upper[0] = 128; }, "corners of -128 to 127");
  refused([](P &p) { p.rank = 5, p.upper[2] = 16; }, "corners of -16 to 15");
  refused([](P &p) { p.rank = 3, p.lower[0] = -32769; },
          "corners of -32768 to 32767");
  refused([](P &p) { p.lower[0] = 8; },
          "a box of at least one pixel in dimension 1, got 0");
  refused([](P &p) { p.upper[1] = -9; },
          "a box of at least one pixel in dimension 2, got -1");
  refused([](P &p) { p.channels = 0; }, "1 to 256 channels");
  refused([](P &p) { p.channels = 257; }, "1 to 256 channels");
  refused([](P &p) { p.pixels = 0; }, "1 to 1024 pixels");
  refused([](P &p) { p.pixels = 1025; }, "1 to 1024 pixels");
  refused([](P &p) { p.channels = 72; }, "at most the 128 bytes");
  refused([](P &p) { p.channels = 12; }, "a multiple of 16 bytes, got 24");
  refused([](P &p) { p.elementStrides[2] = 9; }, "an element stride of 1 to 8");
  refused([](P &p) { p.strides[2] += 8; }, "a stride of a multiple of 16");
  expectTaken<P>([](P &p) { p.lower[0] = 7; });
  expectTaken<P>([](P &p) {
    p.rank = 3;
    p.lower[0] = -32768;
    p.upper[0] = 32767;
  });
}
