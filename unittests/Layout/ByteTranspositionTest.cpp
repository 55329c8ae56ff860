//===- ByteTranspositionTest.cpp - 8-bit operands against the manual ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes ldmatrix.trans, prmt and shfl as the PTX ISA defines them on a
// buffer of coordinates and compares with the fragments of mma.sync.
//
//===----------------------------------------------------------------------===//
#include "tile/Layout/ByteTransposition.h"
#include "LayoutTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "gtest/gtest.h"
#include <array>

using namespace layouttest;

namespace {

/// A byte known by where it comes from: (k, column).
using Byte = std::pair<int64_t, int64_t>;
using Register = std::array<Byte, 4>;
using Warp = std::array<Register, 32>;

/// Rows that the lanes of an instruction of k pass.
std::array<int64_t, 32> rowsOf(int64_t k) {
  FragmentLayout layout({k}, {}, ByteTransposition::addressModes(k, 0), {});
  std::array<int64_t, 32> rows;
  for (int64_t lane = 0; lane < 32; ++lane)
    rows[lane] =
        layout.coordinates({0, ByteTransposition::addressLane(lane), 0, 0})[0];
  return rows;
}

/// Register `matrix` of ldmatrix.trans.m8n8.b16.
Warp ldmatrixTrans(const std::array<int64_t, 32> &rows, int64_t matrix) {
  Warp result;
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t e = 0; e < 2; ++e) {
      int64_t row = rows[8 * matrix + 2 * (lane % 4) + e], pair = lane / 4;
      result[lane][2 * e] = {row, 2 * pair};
      result[lane][2 * e + 1] = {row, 2 * pair + 1};
    }
  return result;
}

Register prmt(const Register &a, const Register &b, int64_t selector) {
  Register result;
  for (int64_t i = 0; i < 4; ++i) {
    int64_t from = selector >> 4 * i & 0xf;
    EXPECT_LT(from, 8);
    result[i] = from < 4 ? a[from] : b[from - 4];
  }
  return result;
}

/// Registers of both halves of the columns for half h of k.
std::array<Warp, 2> columnsOf(int64_t k, int64_t h) {
  std::array<int64_t, 32> rows = rowsOf(k);
  Warp x = ldmatrixTrans(rows, 2 * h), y = ldmatrixTrans(rows, 2 * h + 1);
  std::array<Warp, 2> result;
  for (int64_t round : {0, 1}) {
    Warp sent;
    for (int64_t lane = 0; lane < 32; ++lane)
      sent[lane] =
          prmt(x[lane], y[lane], ByteTransposition::selector(lane, round));
    for (int64_t lane = 0; lane < 32; ++lane)
      result[ByteTransposition::half(lane, round)][lane] =
          sent[ByteTransposition::sender(lane, round)];
  }
  return result;
}

TEST(ByteTransposition, OperandB) {
  for (int64_t k : {16, 32}) {
    auto fragment = mmaSyncFragment({16, 8, k}, MmaOperand::B, 8);
    ASSERT_TRUE(bool(fragment));
    for (int64_t h = 0; h < k / 16; ++h) {
      std::array<Warp, 2> columns = columnsOf(k, h);
      for (int64_t half : {0, 1})
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t e = 0; e < 4; ++e) {
            auto at = fragment->coordinates({4 * h + e, lane, 0, 0});
            EXPECT_EQ(columns[half][lane][e], Byte(at[0], at[1] + 8 * half));
          }
    }
  }
}

TEST(ByteTransposition, OperandA) {
  for (int64_t k : {16, 32}) {
    auto fragment = mmaSyncFragment({16, 8, k}, MmaOperand::A, 8);
    ASSERT_TRUE(bool(fragment));
    for (int64_t h = 0; h < k / 16; ++h) {
      std::array<Warp, 2> columns = columnsOf(k, h);
      for (int64_t half : {0, 1})
        for (int64_t lane = 0; lane < 32; ++lane)
          for (int64_t e = 0; e < 4; ++e) {
            auto at = fragment->coordinates({8 * h + 4 * half + e, lane, 0, 0});
            EXPECT_EQ(columns[half][lane][e], Byte(at[1], at[0]));
          }
    }
  }
}

TEST(ByteTransposition, RowsDifferModulo8) {
  for (int64_t k : {16, 32}) {
    std::array<int64_t, 32> rows = rowsOf(k);
    for (int64_t matrix = 0; matrix < k / 8; ++matrix) {
      int64_t seen = 0;
      for (int64_t row = 0; row < 8; ++row)
        seen |= int64_t(1) << rows[8 * matrix + row] % 8;
      EXPECT_EQ(seen, 0xff) << "matrix " << matrix;
    }
  }
}

} // namespace
