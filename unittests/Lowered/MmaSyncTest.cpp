//===- MmaSyncTest.cpp - ldmatrix, stmatrix and mma.sync ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every instruction gets its operands in the registers that the compiler's
// layouts name: each element that either of the two has elsewhere changes the
// result.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace matrixtest;
using mlir::tile::FragmentLayout;
using mlir::tile::MmaOperand;
using mlir::tile::mmaSyncFragment;

namespace {

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

using Rows = std::vector<std::array<uint8_t, 16>>;

/// Elements that name their place: matrix, row and column.
Rows namedRows(unsigned count) {
  Rows rows(8 * count);
  for (unsigned i = 0; i < rows.size(); ++i)
    for (unsigned column = 0; column < 8; ++column) {
      rows[i][2 * column] = uint8_t(column);
      rows[i][2 * column + 1] = uint8_t(i);
    }
  return rows;
}

TEST(Ldmatrix, EveryElement) {
  // A of m16n8k16 by .x4: matrices 0 and 1 are rows 0 to 7 and 8 to 15 of the
  // first eight columns, 2 and 3 of the others. B by .trans has the rows of a
  // K x N tile.
  auto a = mmaSyncFragment({16, 8, 16}, MmaOperand::A, 16);
  auto b = mmaSyncFragment({16, 8, 16}, MmaOperand::B, 16);
  uint32_t out[32][4] = {};
  ldmatrix(4, false, namedRows(4), out);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 8; ++i) {
      auto at = a->coordinates({i, lane, 0, 0});
      unsigned element = out[lane][i / 2] >> (i % 2 * 16) & 0xffff;
      EXPECT_EQ(element & 0xff, at[1] % 8);
      EXPECT_EQ(element >> 8, at[1] / 8 * 16 + at[0]);
    }
  ldmatrix(2, true, namedRows(2), out);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      auto at = b->coordinates({i, lane, 0, 0});
      unsigned element = out[lane][i / 2] >> (i % 2 * 16) & 0xffff;
      EXPECT_EQ(element & 0xff, at[1]);
      EXPECT_EQ(element >> 8, at[0]);
    }
}

TEST(Ldmatrix, LeavesOtherRegisters) {
  uint32_t out[32][4];
  for (auto &registers : out)
    std::fill_n(registers, 4, 0xabcdef01u);
  ldmatrix(1, false, namedRows(1), out);
  for (auto &registers : out) {
    EXPECT_NE(registers[0], 0xabcdef01u);
    for (unsigned i = 1; i < 4; ++i)
      EXPECT_EQ(registers[i], 0xabcdef01u);
  }
}

TEST(Stmatrix, UndoesLdmatrix) {
  for (bool transposed : {false, true})
    for (unsigned count : {1, 2, 4}) {
      uint32_t registers[32][4] = {};
      Rows rows = namedRows(count), stored(8 * count);
      ldmatrix(count, transposed, rows, registers);
      stmatrix(count, transposed, registers, stored);
      EXPECT_EQ(stored, rows);
    }
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

const char *const kInstructions[] = {
    "m16n8k16.row.col.f32.f16.f16.f32",
    "m16n8k8.row.col.f32.f16.f16.f32",
    "m16n8k16.row.col.f16.f16.f16.f16",
    "m16n8k8.row.col.f16.f16.f16.f16",
    "m16n8k16.row.col.f32.f16.f16.f16",
    "m16n8k16.row.col.f16.f16.f16.f32",
    "m16n8k16.row.col.f32.bf16.bf16.f32",
    "m16n8k8.row.col.f32.bf16.bf16.f32",
    "m16n8k8.row.col.f32.tf32.tf32.f32",
    "m16n8k4.row.col.f32.tf32.tf32.f32",
    "m8n8k4.row.col.f64.f64.f64.f64",
    "m16n8k4.row.col.f64.f64.f64.f64",
    "m16n8k8.row.col.f64.f64.f64.f64",
    "m16n8k16.row.col.f64.f64.f64.f64",
    "m16n8k16.row.col.s32.s8.s8.s32",
    "m16n8k16.row.col.s32.u8.s8.s32",
    "m16n8k32.row.col.s32.s8.u8.s32",
    "m16n8k32.row.col.satfinite.s32.u8.u8.s32",
    "m16n8k32.row.col.s32.s4.u4.s32",
    "m16n8k64.row.col.s32.u4.s4.s32",
    "m16n8k16.row.col.f32.e4m3.e4m3.f32",
    "m16n8k16.row.col.f16.e5m2.e4m3.f16",
    "m16n8k32.row.col.f32.e4m3.e5m2.f32",
    "m16n8k32.row.col.f16.e5m2.e5m2.f16",
};

MmaSync parsed(llvm::StringRef name) {
  auto mma = parseMmaSync(std::string("mma.sync.aligned.") + name.str());
  EXPECT_TRUE(bool(mma)) << name.str();
  return mma.value_or(MmaSync());
}

/// Executes on operands that lie as the compiler's layouts say.
Matrix execute(const MmaSync &mma, Matrix &a, Matrix &b, Matrix &c) {
  mlir::tile::MmaShape shape{mma.m, mma.n, mma.k};
  auto layoutA = mmaSyncFragment(shape, MmaOperand::A, bitsOf(mma.a));
  auto layoutB = mmaSyncFragment(shape, MmaOperand::B, bitsOf(mma.b));
  auto layoutC = mmaSyncFragment(shape, MmaOperand::C, bitsOf(mma.c));
  auto layoutD = mmaSyncFragment(shape, MmaOperand::C, bitsOf(mma.d));
  unsigned words = mma.aRegisters + mma.bRegisters + mma.cRegisters;
  std::vector<std::vector<uint64_t>> in(32, std::vector<uint64_t>(words));
  // What lies in the registers of the result before is of no effect.
  std::vector<std::vector<uint64_t>> out(
      32, std::vector<uint64_t>(mma.dRegisters, ~uint64_t(0)));
  auto from = [&](unsigned first) {
    return [&in, first](int64_t, int64_t lane, int64_t r) -> uint64_t & {
      return in[lane].at(first + r);
    };
  };
  scatter(*layoutA, a, from(0));
  scatter(*layoutB, b, from(mma.aRegisters));
  scatter(*layoutC, c, from(mma.aRegisters + mma.bRegisters));
  std::vector<const uint64_t *> inputs;
  std::vector<uint64_t *> outputs;
  for (unsigned lane = 0; lane < 32; ++lane) {
    inputs.push_back(in[lane].data());
    outputs.push_back(out[lane].data());
  }
  EXPECT_EQ(mmaSync(mma, inputs, 0, outputs), "");
  return gather(
      *layoutD, mma.d, mma.m, mma.n,
      [&](int64_t, int64_t lane, int64_t r) { return out[lane].at(r); });
}

TEST(MmaSync, EveryElementOfEveryInstruction) {
  std::mt19937 engine(2);
  for (const char *name : kInstructions) {
    SCOPED_TRACE(name);
    MmaSync mma = parsed(name);
    for (int repeat = 0; repeat < 4; ++repeat) {
      Matrix a = smallValues(mma.a, mma.m, mma.k, engine);
      Matrix b = smallValues(mma.b, mma.k, mma.n, engine);
      Matrix c = smallValues(mma.c, mma.m, mma.n, engine);
      Matrix expected = product(mma.d, a, b, &c);
      ASSERT_EQ(execute(mma, a, b, c).bits, expected.bits);
    }
  }
}

TEST(MmaSync, AnyBitsWithinOneRounding) {
  std::mt19937_64 engine(3);
  for (const char *name : kInstructions) {
    SCOPED_TRACE(name);
    MmaSync mma = parsed(name);
    Matrix a(mma.a, mma.m, mma.k), b(mma.b, mma.k, mma.n),
        c(mma.c, mma.m, mma.n);
    for (Matrix *matrix : {&a, &b, &c})
      for (uint64_t &bits : matrix->bits) {
        unsigned width = bitsOf(matrix->type);
        uint64_t random = engine();
        bits = width == 64 ? random : random & ((uint64_t(1) << width) - 1);
        double value = toDouble(matrix->type, bits);
        // Huge values hide all others; infinities have a test of their own.
        if (!(std::fabs(value) < 1e4) && matrix->type != MatrixType::S32)
          bits = 0;
      }
    Matrix got = execute(mma, a, b, c);
    for (unsigned i = 0; i < mma.m; ++i)
      for (unsigned j = 0; j < mma.n; ++j) {
        long double sum = c.value(i, j), terms = std::fabs(c.value(i, j));
        for (unsigned p = 0; p < mma.k; ++p) {
          long double term = (long double)(a.value(i, p)) * b.value(p, j);
          sum += term;
          terms += std::fabs(term);
        }
        if (mma.d == MatrixType::S32) {
          int64_t exact = int64_t(sum);
          if (mma.saturate)
            exact = std::min<int64_t>(std::max<int64_t>(exact, INT32_MIN),
                                      INT32_MAX);
          ASSERT_EQ(uint32_t(got.at(i, j)), uint32_t(exact));
          continue;
        }
        double result = got.value(i, j);
        if (std::isinf(result)) {
          ASSERT_EQ(mma.d, MatrixType::F16);
          ASSERT_GT(std::fabs(sum), 65519);
          continue;
        }
        double unit = mma.d == MatrixType::F16   ? 0x1p-11
                      : mma.d == MatrixType::F32 ? 0x1p-24
                                                 : 0;
        long double bound = std::fabs(sum) * unit + terms * 0x1p-50 +
                            (unit ? 0x1p-25 : 0x1p-1068);
        ASSERT_LE(std::fabs(result - sum), bound);
      }
  }
}

TEST(MmaSync, NaNsAndInfinities) {
  MmaSync mma = parsed("m16n8k16.row.col.f32.f16.f16.f32");
  Matrix a(mma.a, 16, 16), b(mma.b, 16, 8), c(mma.c, 16, 8);
  a.at(3, 5) = 0x7c00; // infinity
  b.at(5, 2) = fromDouble(mma.b, -2);
  b.at(5, 4) = 0; // infinity times zero
  a.at(7, 1) = 0x7e01;
  Matrix d = execute(mma, a, b, c);
  EXPECT_EQ(d.at(3, 2), 0xff800000u);
  EXPECT_EQ(d.at(3, 4), 0x7fffffffu);
  EXPECT_EQ(d.at(7, 0), 0x7fffffffu);
  EXPECT_EQ(d.at(0, 0), 0u);
}

TEST(MmaSync, ProductsOfDoublesAreNotRounded) {
  MmaSync mma = parsed("m16n8k8.row.col.f64.f64.f64.f64");
  Matrix a(mma.a, 16, 8), b(mma.b, 8, 8), c(mma.c, 16, 8);
  double x = 1 + 0x1p-30; // its square has a last bit of 2^-60
  a.at(4, 6) = b.at(6, 1) = fromDouble(mma.a, x);
  c.at(4, 1) = fromDouble(mma.c, -(x * x));
  EXPECT_EQ(execute(mma, a, b, c).value(4, 1), 0x1p-60);
}

TEST(MmaSync, IntegersWrapOrSaturate) {
  for (bool saturate : {false, true}) {
    MmaSync mma = parsed(saturate ? "m16n8k32.row.col.satfinite.s32.s8.u8.s32"
                                  : "m16n8k32.row.col.s32.s8.u8.s32");
    EXPECT_EQ(mma.saturate, saturate);
    Matrix a(mma.a, 16, 32), b(mma.b, 32, 8), c(mma.c, 16, 8);
    a.at(0, 0) = 1, a.at(1, 0) = 0xff;
    b.at(0, 0) = 255;
    c.at(0, 0) = 0x7fffffff;
    c.at(1, 0) = 0x80000000;
    Matrix d = execute(mma, a, b, c);
    EXPECT_EQ(d.at(0, 0), saturate ? 0x7fffffffu : 0x7fffffffu + 255u);
    EXPECT_EQ(d.at(1, 0), saturate ? 0x80000000u : 0x80000000u - 255u);
  }
}

TEST(MmaSync, RegistersOfNames) {
  MmaSync mma = parsed("m16n8k16.row.col.f16.f16.f16.f16");
  EXPECT_EQ(mma.aRegisters, 4u);
  EXPECT_EQ(mma.bRegisters, 2u);
  EXPECT_EQ(mma.cRegisters, 2u);
  EXPECT_EQ(mma.dRegisters, 2u);
  mma = parsed("m16n8k16.row.col.f64.f64.f64.f64");
  EXPECT_EQ(mma.aRegisters, 8u);
  EXPECT_EQ(mma.bRegisters, 4u);
  EXPECT_EQ(mma.cRegisters, 4u);
}

TEST(MmaSync, NamesOfIntrinsics) {
  // LLVM leaves out types that follow from others.
  const std::pair<const char *, const char *> kNames[] = {
      {"m16n8k16.row.col.f32.f32", "m16n8k16.row.col.f32.f16.f16.f32"},
      {"m16n8k8.row.col.f16.f16", "m16n8k8.row.col.f16.f16.f16.f16"},
      {"m16n8k16.row.col.bf16", "m16n8k16.row.col.f32.bf16.bf16.f32"},
      {"m16n8k4.row.col.tf32", "m16n8k4.row.col.f32.tf32.tf32.f32"},
      {"m8n8k4.row.col.f64", "m8n8k4.row.col.f64.f64.f64.f64"},
      {"m16n8k32.row.col.s8.u8", "m16n8k32.row.col.s32.s8.u8.s32"},
      {"m16n8k16.row.col.satfinite.u8",
       "m16n8k16.row.col.satfinite.s32.u8.u8.s32"},
      {"m16n8k32.row.col.f16.e4m3.e5m2.f16",
       "m16n8k32.row.col.f16.e4m3.e5m2.f16"},
  };
  for (auto [intrinsic, name] : kNames) {
    SCOPED_TRACE(intrinsic);
    auto got = parseMmaSync(std::string("llvm.nvvm.mma.") + intrinsic);
    ASSERT_TRUE(bool(got));
    MmaSync expected = parsed(name);
    EXPECT_EQ(std::tie(got->m, got->n, got->k, got->a, got->b, got->c, got->d,
                       got->saturate),
              std::tie(expected.m, expected.n, expected.k, expected.a,
                       expected.b, expected.c, expected.d, expected.saturate));
  }
}

TEST(MmaSync, RefusesOtherNames) {
  for (const char *name : {
           "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", // no such k
           "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
           "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
           "mma.sync.m16n8k16.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
       })
    EXPECT_FALSE(bool(parseMmaSync(name))) << name;
}

} // namespace
