//===- CostFactsTest.cpp - facts for one size and for all -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher predicts by the formulas of a kernel is what the compiler
// predicts for the same sizes by their numbers.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
const TargetInfo &hopper() { return *TargetInfo::get("sm_90a"); }
const DeviceInfo &device() { return DeviceInfo::of(hopper(), ""); }

class CostFacts : public ::testing::Test {
protected:
  CostFacts() {
    context.loadDialect<TileDialect, arith::ArithDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  KernelOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<KernelOp>().begin();
  }

  /// Predicts by numbers for `sizes`, and by the formula that was read for
  /// `others`.
  void compare(KernelOp kernel, const cost::ProblemSizes &sizes,
               const cost::ProblemSizes &others) {
    cost::FactsReader reader(hopper(), device());
    cost::KernelFacts facts, first;
    runtime::CostSpec spec;
    ASSERT_EQ(reader.read(kernel, sizes, facts), std::nullopt);
    ASSERT_EQ(reader.read(kernel, others, first, &spec), std::nullopt);
    cost::Estimate estimate = cost::estimate(facts, device(), hopper());
    ASSERT_EQ(estimate.excluded, "");
    ASSERT_FALSE(spec.empty());
    spec.device = device().figures();
    spec.launch = cost::launchOf(first, device(), estimate.resident);
    std::vector<runtime::ExprArg> args;
    std::vector<std::vector<int64_t>> strides;
    for (ArrayRef<int64_t> own : sizes) {
      strides.emplace_back(own.size(), 1);
      for (size_t d = own.size(); d-- > 1;)
        strides.back()[d - 1] = strides.back()[d] * own[d];
      args.push_back({own.data(), strides.back().data(), unsigned(own.size()),
                      false, own.front()});
    }
    double predicted = runtime::predictLaunch(spec, args);
    EXPECT_NEAR(predicted, estimate.microseconds, 1e-9 * estimate.microseconds);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(CostFacts, FormulasOfAGemmAreItsNumbers) {
  for (const char *attributes :
       {"persistent = 1", "persistent = 1, panel = 8", "split = 4"}) {
    std::string text = R"(
      #shared = #gpu.address_space<workgroup>
      tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16},
                        %B: memref<?x?xf16> {tile.alignment = 16},
                        %C: memref<?x?xf16> {tile.alignment = 16})
          grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128)
          threads(256) attributes {ATTRIBUTES} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %step = arith.constant 64 : index
        %tile = arith.constant 128 : index
        %K = memref.dim %A, %c1 : memref<?x?xf16>
        %zero = arith.constant 0.0 : f32
        %m = arith.muli %by, %tile : index
        %n = arith.muli %bx, %tile : index
        %As = tile.alloc : memref<128x64xf16, #shared>
        %Bs = tile.alloc : memref<64x128xf16, #shared>
        %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
        tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
        tile.pipelined %k = %c0 to %K step %step stages(4) {
          tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x64xf16, #shared>
          tile.copy %B[%k, %n] to %Bs : memref<?x?xf16> to memref<64x128xf16, #shared>
          tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
        }
        tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
      })";
    text.replace(text.find("ATTRIBUTES"), 10, attributes);
    KernelOp kernel = parse(text);
    // Few and many rows; K that ends in a step, and rows between sectors.
    for (int64_t m : {1, 100, 1000, 9999})
      for (int64_t n : {128, 4096, 20008})
        for (int64_t k : {64, 1000, 4096, 30040})
          compare(kernel, {{m, k}, {k, n}, {m, n}},
                  {{4096, 4096}, {4096, 4096}, {4096, 4096}});
  }
}

// The middle block of the grid stands for all, whose loops end with it; loops
// in loops; arithmetic of sizes.
TEST_F(CostFacts, FormulasFollowBlocksAndArithmetic) {
  KernelOp kernel = parse(R"(
    #shared = #gpu.address_space<workgroup>
    tile.kernel @causal(%A: memref<?x64xf16> {tile.alignment = 16},
                        %C: memref<?x64xf32> {tile.alignment = 16})
        grid(%b) = (dim(%A, 0) ceildiv 64) threads(128) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %step = arith.constant 64 : index
      %rows = memref.dim %A, %c0 : memref<?x64xf16>
      %m = arith.muli %b, %step : index
      %end = arith.addi %m, %step : index
      %last = arith.minui %end, %rows : index
      %half = arith.divui %rows, %c2 : index
      %As = tile.alloc : memref<64x64xf16, #shared>
      %Bs = tile.alloc : memref<64x64xf16, #shared>
      %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
      tile.pipelined %k = %c0 to %last step %step stages(3) {
        tile.copy %A[%k, %c0] to %As : memref<?x64xf16> to memref<64x64xf16, #shared>
        tile.gemm %As, %As, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      }
      tile.pipelined %k = %c0 to %half step %step stages(2) {
        tile.copy %A[%k, %c0] to %Bs : memref<?x64xf16> to memref<64x64xf16, #shared>
        tile.gemm %Bs, %Bs, %acc {transpose_b} : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
      }
      tile.copy %acc to %C[%m, %c0] : memref<64x64xf32, #tile.fragment> to memref<?x64xf32>
    })");
  // Whether such a kernel gets roles depends on how many blocks there are, so
  // the formula is read for the same sizes.
  for (int64_t rows : {1, 64, 100, 4096, 50001})
    compare(kernel, {{rows, 64}, {rows, 64}}, {{rows, 64}, {rows, 64}});
}

// A sum over rows behind a split loop is the last block's, to which the others
// send all that they have: --tile-share-results and the model ask the same.
TEST_F(CostFacts, SplitBlocksFinishPartsOfElementsOnly) {
  auto exchanged = [&](const char *tail) {
    std::string text = R"(
      #shared = #gpu.address_space<workgroup>
      tile.kernel @gemm(%A: memref<64x4096xf16> {tile.alignment = 16},
                        %B: memref<4096x128xf16> {tile.alignment = 16},
                        %C: memref<64x128xf16> {tile.alignment = 16},
                        %S: memref<64xf32>)
          grid(%b) = (1) threads(128) attributes {split = 4} {
        %c0 = arith.constant 0 : index
        %end = arith.constant 4096 : index
        %step = arith.constant 64 : index
        %zero = arith.constant 0.0 : f32
        %As = tile.alloc : memref<64x64xf16, #shared>
        %Bs = tile.alloc : memref<64x128xf16, #shared>
        %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
        %sum = tile.alloc : memref<64xf32, #tile.fragment>
        tile.fill %acc with %zero : memref<64x128xf32, #tile.fragment>, f32
        tile.pipelined %k = %c0 to %end step %step stages(4) {
          tile.copy %A[%c0, %k] to %As : memref<64x4096xf16> to memref<64x64xf16, #shared>
          tile.copy %B[%k, %c0] to %Bs : memref<4096x128xf16> to memref<64x128xf16, #shared>
          tile.gemm %As, %Bs, %acc : memref<64x64xf16, #shared>, memref<64x128xf16, #shared>, memref<64x128xf32, #tile.fragment>
        }
        TAIL
        tile.copy %acc to %C[%c0, %c0] : memref<64x128xf32, #tile.fragment> to memref<64x128xf16>
      })";
    text.replace(text.find("TAIL"), 4, tail);
    cost::FactsReader reader(hopper(), device());
    cost::KernelFacts facts;
    EXPECT_EQ(reader.read(parse(text),
                          {{64, 4096}, {4096, 128}, {64, 128}, {64}}, facts),
              std::nullopt);
    return facts.phases.front().work.loaded;
  };
  double parts = exchanged("");
  EXPECT_EQ(parts, exchanged(R"(
        tile.parallel (%i, %j) in (64, 128) {
          %v = memref.load %acc[%i, %j] : memref<64x128xf32, #tile.fragment>
          %w = arith.addf %v, %v : f32
          memref.store %w, %acc[%i, %j] : memref<64x128xf32, #tile.fragment>
        })"));
  EXPECT_LT(parts, exchanged(R"(
        tile.reduce sum %acc to %sum dim(1) : memref<64x128xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
        tile.copy %sum to %S[%c0] : memref<64xf32, #tile.fragment> to memref<64xf32>)"));
}
