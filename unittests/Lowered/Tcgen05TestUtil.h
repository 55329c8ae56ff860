//===- Tcgen05TestUtil.h - instructions of tcgen05 for tests ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of tcgen05.mma with its types and the formats that name them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_UNITTESTS_LOWERED_TCGEN05TESTUTIL_H
#define TILE_UNITTESTS_LOWERED_TCGEN05TESTUTIL_H

#include "../../lib/Lowered/Matrix.h"
#include "gtest/gtest.h"

namespace matrixtest {
using namespace mlir::tile::lowered;

/// By fields: D's format at bit 4, A's and B's at 7 and 10, N / 8 at 17, M / 16
/// at 24.
inline uint32_t idesc(unsigned d, unsigned a, unsigned b, unsigned m,
                      unsigned n) {
  return d << 4 | a << 7 | b << 10 | n / 8 << 17 | m / 16 << 24;
}
inline std::string nameOf(unsigned blocks, const std::string &kind) {
  return "tcgen05.mma.cta_group::" + std::to_string(blocks) + ".kind::" + kind;
}

struct Kind {
  const char *name;
  unsigned d, a, b; // formats
  MatrixType types[3];
  unsigned k;
};
inline const Kind kKinds[] = {
    {"f16", 1, 0, 0, {MatrixType::F32, MatrixType::F16, MatrixType::F16}, 16},
    {"f16", 0, 0, 0, {MatrixType::F16, MatrixType::F16, MatrixType::F16}, 16},
    {"f16", 1, 1, 1, {MatrixType::F32, MatrixType::BF16, MatrixType::BF16}, 16},
    {"tf32", 1, 2, 2, {MatrixType::F32, MatrixType::TF32, MatrixType::TF32}, 8},
    {"f8f6f4",
     1,
     0,
     1,
     {MatrixType::F32, MatrixType::E4M3, MatrixType::E5M2},
     32},
    {"f8f6f4",
     0,
     1,
     0,
     {MatrixType::F16, MatrixType::E5M2, MatrixType::E4M3},
     32},
    {"i8", 2, 1, 0, {MatrixType::S32, MatrixType::S8, MatrixType::U8}, 32},
    {"i8", 2, 0, 1, {MatrixType::S32, MatrixType::U8, MatrixType::S8}, 32},
};

inline Tcgen05Mma decoded(const Kind &kind, unsigned blocks, unsigned m,
                          unsigned n) {
  Tcgen05Mma mma;
  EXPECT_EQ(decodeTcgen05Mma(nameOf(blocks, kind.name),
                             idesc(kind.d, kind.a, kind.b, m, n), mma),
            "");
  return mma;
}

} // namespace matrixtest
#endif // TILE_UNITTESTS_LOWERED_TCGEN05TESTUTIL_H
