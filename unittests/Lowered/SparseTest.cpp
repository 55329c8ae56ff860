//===- SparseTest.cpp - mma.sp and wgmma.sp against the compiler's layouts ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and metadata lie in the registers that the compiler's fragments name;
// what the executor multiplies is the matrix with its zeros.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestUtil.h"
#include "tile/Layout/MmaLayouts.h"
#include "tile/Layout/WgmmaOperand.h"
#include "gtest/gtest.h"

using namespace matrixtest;
using mlir::tile::Axis;
using mlir::tile::FragmentLayout;
using mlir::tile::MmaOperand;
using mlir::tile::mmaSpFragment;
using mlir::tile::SparseMetadata;
using mlir::tile::WgmmaSplit;

namespace {

/// A sparse matrix, the values that it keeps, and the places of each group.
struct SparseMatrix {
  SparseMatrix(MatrixType type, unsigned rows, unsigned k, std::mt19937 &engine)
      : whole(type, rows, k), kept(smallValues(type, rows, k / 2, engine)),
        places(rows * k / columns()) {
    unsigned size = columns(), half = size / 2;
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned group = 0; group < k / size; ++group) {
        // Pairs of four, or the first or second of two.
        constexpr unsigned kPairs[] = {0b0100, 0b1000, 0b1100,
                                       0b1001, 0b1101, 0b1110};
        unsigned pair =
            size == 2 ? (engine() % 2 ? 0b0100 : 0b1110) : kPairs[engine() % 6];
        places[row * (k / size) + group] = pair;
        for (unsigned n = 0; n < half; ++n) {
          unsigned at = pair >> 2 * n & 3;
          whole.at(row, group * size + (size == 2 ? at / 2 : at)) =
              kept.at(row, group * half + n);
        }
      }
  }
  unsigned columns() const { return bitsOf(whole.type) == 32 ? 2 : 4; }

  Matrix whole, kept;
  std::vector<unsigned> places;
};

/// The words of a step of `steps`, as the compiler's threads have them.
std::vector<uint32_t> wordsOf(const SparseMatrix &a, unsigned elementBits,
                              int64_t m, int64_t k, int64_t step,
                              int64_t &selector) {
  auto metadata = SparseMetadata::get(bitsOf(a.whole.type), elementBits);
  EXPECT_TRUE(bool(metadata));
  int64_t steps = a.whole.columns / k;
  auto layout =
      tileMmaFragment(metadata->fragment(m, steps), MmaOperand::A,
                      {m, steps * metadata->elementsOfStep()}, {m / 16, 1});
  EXPECT_TRUE(bool(layout));
  selector = metadata->selector(step);
  auto word = metadata->wordOf(step);
  int64_t first = 0;
  while (layout->axisCoordinates(Axis::Register, first)[0] != word[0] ||
         layout->axisCoordinates(Axis::Register, first)[1] != word[1])
    ++first;
  int64_t perElement = elementBits / 4, groups = a.whole.columns / a.columns();
  std::vector<uint32_t> words(2 * m);
  for (int64_t warp = 0; warp < m / 16; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t nibble = 0; nibble < 8; ++nibble) {
        auto at =
            layout->coordinates({first + nibble / perElement, lane, warp, 0});
        int64_t group = at[1] * perElement + nibble % perElement;
        // What no thread has loaded is of no effect.
        unsigned bits =
            group < groups ? a.places[at[0] * groups + group] : 0b0001;
        words[warp * 32 + lane] |= bits << 4 * nibble;
      }
  return words;
}

constexpr const char *kMmaSp[] = {
    "m16n8k32.row.col.f32.f16.f16.f32",   "m16n8k32.row.col.f16.f16.f16.f16",
    "m16n8k32.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f32.tf32.tf32.f32",
    "m16n8k64.row.col.s32.s8.s8.s32",     "m16n8k64.row.col.s32.u8.s8.s32"};

TEST(MmaSp, EveryElementOfEveryInstruction) {
  std::mt19937 engine(1);
  for (const char *name : kMmaSp) {
    SCOPED_TRACE(name);
    auto mma = parseMmaSync(
        std::string("mma.sp::ordered_metadata.sync.aligned.") + name);
    ASSERT_TRUE(bool(mma));
    ASSERT_TRUE(mma->sparse);
    mlir::tile::MmaShape shape{mma->m, mma->n, mma->k};
    unsigned steps = 3; // the last has the selector of the first
    SparseMatrix a(mma->a, mma->m, steps * mma->k, engine);
    for (unsigned step = 0; step < steps; ++step) {
      Matrix part(mma->a, mma->m, mma->k), kept(mma->a, mma->m, mma->k / 2);
      for (unsigned row = 0; row < mma->m; ++row) {
        for (unsigned i = 0; i < mma->k; ++i)
          part.at(row, i) = a.whole.at(row, step * mma->k + i);
        for (unsigned i = 0; i < mma->k / 2; ++i)
          kept.at(row, i) = a.kept.at(row, step * mma->k / 2 + i);
      }
      Matrix b = smallValues(mma->b, mma->k, mma->n, engine);
      Matrix c = smallValues(mma->c, mma->m, mma->n, engine);
      int64_t selector = 0;
      std::vector<uint32_t> words = wordsOf(a, 16, 16, mma->k, step, selector);
      unsigned inputs = mma->aRegisters + mma->bRegisters + mma->cRegisters;
      std::vector<std::vector<uint64_t>> in(32,
                                            std::vector<uint64_t>(inputs + 1)),
          out(32, std::vector<uint64_t>(mma->dRegisters));
      auto from = [&](unsigned first) {
        return [&in, first](int64_t, int64_t lane, int64_t r) -> uint64_t & {
          return in[lane].at(first + r);
        };
      };
      scatter(*mmaSpFragment(shape, MmaOperand::A, bitsOf(mma->a)), kept,
              from(0));
      scatter(*mmaSpFragment(shape, MmaOperand::B, bitsOf(mma->b)), b,
              from(mma->aRegisters));
      auto layoutC = mmaSpFragment(shape, MmaOperand::C, bitsOf(mma->c));
      scatter(*layoutC, c, from(mma->aRegisters + mma->bRegisters));
      std::vector<const uint64_t *> ins;
      std::vector<uint64_t *> outs;
      for (unsigned lane = 0; lane < 32; ++lane) {
        in[lane].back() = words[lane];
        ins.push_back(in[lane].data());
        outs.push_back(out[lane].data());
      }
      ASSERT_EQ(mmaSync(*mma, ins, unsigned(selector), outs), "");
      Matrix got = gather(
          *layoutC, mma->d, mma->m, mma->n,
          [&](int64_t, int64_t lane, int64_t r) { return out[lane].at(r); });
      EXPECT_EQ(got.bits, product(mma->d, part, b, &c).bits) << step;
      EXPECT_NE(mmaSync(*mma, ins, 2, outs), "");
    }
  }
}

TEST(MmaSp, NamesThatAreNone) {
  for (const char *name :
       {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.f16.f16."
        "f32",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
        "wgmma.mma_async.sp.sync.aligned.m64n64k16.f32.f16.f16"})
    EXPECT_FALSE(bool(parseMmaSync(name)) || bool(parseWgmma(name))) << name;
}

TEST(WgmmaSp, MetadataOfAllWarps) {
  std::mt19937 engine(2);
  for (auto [type, k, elementBits] : {std::tuple(MatrixType::F16, 32u, 16u),
                                      {MatrixType::BF16, 32u, 8u},
                                      {MatrixType::TF32, 16u, 16u},
                                      {MatrixType::E4M3, 64u, 32u},
                                      {MatrixType::S8, 64u, 8u}}) {
    SparseMatrix a(type, 64, 2 * k, engine);
    for (unsigned step = 0; step < 2; ++step) {
      int64_t selector = 0;
      std::vector<uint32_t> words =
          wordsOf(a, elementBits, 64, k, step, selector);
      std::vector<uint64_t> kept, part, whole;
      for (unsigned row = 0; row < 64; ++row) {
        for (unsigned i = 0; i < k / 2; ++i)
          kept.push_back(a.kept.at(row, step * k / 2 + i));
        for (unsigned i = 0; i < k; ++i)
          part.push_back(a.whole.at(row, step * k + i));
      }
      ASSERT_EQ(
          expandSparse(type, 64, k, unsigned(selector), words, kept, whole),
          "");
      EXPECT_EQ(whole, part);
    }
  }
}

/// A and B of wgmma.sp lie where the compiler's descriptors say: A has 256 bits
/// along k, B 512.
TEST(WgmmaSp, OperandsLieWhereDescriptorsSay) {
  int layouts = 0;
  for (bool isA : {true, false})
    for (bool alongMn : {false, true})
      for (unsigned bits : {8u, 16u, 32u}) {
        std::string type = bits == 8    ? ".f32.e4m3.e4m3"
                           : bits == 16 ? ".f32.f16.f16"
                                        : ".f32.tf32.tf32";
        auto wgmma = parseWgmma("wgmma.mma_async.sp.sync.aligned.m64n64k" +
                                std::to_string(512 / bits) + type);
        ASSERT_TRUE(bool(wgmma));
        int64_t k = (isA ? 256 : 512) / bits, steps = 2;
        llvm::SmallVector<int64_t> shape = {64, steps * k};
        WgmmaSplit split{0, 1, 1, 1, 64, steps};
        split.stepBits = k * bits;
        if (alongMn) {
          std::swap(shape[0], shape[1]);
          std::swap(split.mnDim, split.kDim);
        }
        std::string why;
        for (const auto &layout :
             mlir::tile::wgmmaLayouts(shape, bits, split, why)) {
          auto operand = mlir::tile::wgmmaOperand(layout, split);
          ASSERT_TRUE(bool(operand));
          ++layouts;
          for (int64_t step = 0; step < steps; ++step) {
            std::vector<uint32_t> addresses;
            ASSERT_EQ(wgmmaAddresses(*wgmma, isA,
                                     {false,
                                      operand->descriptor.encode(4096) +
                                          operand->offsets[step] / 16,
                                      alongMn, false},
                                     addresses),
                      "");
            for (int64_t mn = 0; mn < 64; ++mn)
              for (int64_t i = 0; i < k; ++i) {
                llvm::SmallVector<int64_t> at(2);
                at[split.mnDim] = mn;
                at[split.kDim] = step * k + i;
                ASSERT_EQ(addresses[isA ? mn * k + i : i * 64 + mn],
                          4096 + layout.byteOffset(at));
              }
          }
        }
      }
  // Of each operand and type at least one, along m and n those of 16 bits.
  EXPECT_GE(layouts, 2 * 4);
}

TEST(Sparse, BrokenRules) {
  std::vector<uint64_t> kept(16 * 16, 1), whole;
  std::vector<uint32_t> words(32, 0x44444444);
  EXPECT_EQ(expandSparse(MatrixType::F16, 16, 32, 1, words, kept, whole), "");
  EXPECT_EQ(expandSparse(MatrixType::F16, 16, 32, 2, words, kept, whole),
            "expected a sparsity selector below 2, got 2");
  words[0] = 0x44444414; // the second four bits of row 0
  EXPECT_EQ(expandSparse(MatrixType::F16, 16, 32, 0, words, kept, whole),
            "expected metadata with the places of a group in increasing order, "
            "got 1 and 0 for row 0, group 1");
  // Zeros add nothing wherever they stand: tiles beyond the edge of a tensor.
  kept[2] = kept[3] = 0;
  EXPECT_EQ(expandSparse(MatrixType::F16, 16, 32, 0, words, kept, whole), "");
  words[0] = 0x44444484;
  kept[2] = 1;
  EXPECT_EQ(expandSparse(MatrixType::TF32, 16, 16, 0, words, kept, whole),
            "expected metadata with the places of a group in increasing order, "
            "got 0 and 2 for row 0, group 1");
}

} // namespace
