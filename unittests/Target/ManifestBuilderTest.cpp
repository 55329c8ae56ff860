//===- ManifestBuilderTest.cpp - Kernels as manifest entries --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tile/Target/ManifestBuilder.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tile/Pipelines/Register.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tile;
using runtime::Access;
using runtime::ElementType;
using runtime::Expr;
using runtime::KernelSpec;
using runtime::ParamKind;

namespace {

class ManifestBuilderTest : public testing::Test {
protected:
  ManifestBuilderTest() {
    DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
  }

  /// The entry of the only kernel of `text`; the error in `message`.
  FailureOr<KernelSpec> build(const char *text) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    auto kernels = module->getOps<KernelOp>();
    return buildKernelManifest(*kernels.begin());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

/// Whether the assumptions hold for memrefs of these shapes and strides.
bool holds(const KernelSpec &kernel,
           std::initializer_list<runtime::ExprArg> args) {
  std::vector<runtime::ExprArg> list(args);
  for (const runtime::Assumption &assumption : kernel.assumptions) {
    Expr::Value value = assumption.expr.evaluate(
        runtime::Span<const runtime::ExprArg>(list.data(), list.size()));
    EXPECT_TRUE(value.ok()) << value.error;
    if (!value.value)
      return false;
  }
  return true;
}

TEST_F(ManifestBuilderTest, Gemm) {
  FailureOr<KernelSpec> kernel = build(R"mlir(
    #shared = #gpu.address_space<workgroup>
    tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16}, %B: memref<64x128xbf16>,
                      %C: memref<?x?xf32, strided<[?, 1]>> {tile.may_alias}, %s: f32, %n: index)
        grid(%bx, %by) = (dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 64 + %n) threads(128) cluster(2, 1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %As = tile.alloc : memref<64x32xf16, #shared>
      %Bs = tile.alloc : memref<32x128xbf16, #shared>
      %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
      tile.copy %A[%c0, %c0] to %As : memref<?x?xf16> to memref<64x32xf16, #shared>
      tile.copy %B[%c0, %c0] to %Bs : memref<64x128xbf16> to memref<32x128xbf16, #shared>
      tile.fill %acc with %s : memref<64x128xf32, #tile.fragment>, f32
      tile.copy %acc to %C[%c0, %c0] : memref<64x128xf32, #tile.fragment> to memref<?x?xf32, strided<[?, 1]>>
      %K = memref.dim %A, %c1 : memref<?x?xf16>
      tile.assume %K {divisible_by = 32 : i64, min = 32 : i64} : index
      tile.assume %n {max = 7 : i64} : index
      tile.return
    })mlir");
  ASSERT_TRUE(succeeded(kernel)) << message;
  EXPECT_EQ(kernel->name, "gemm");
  ASSERT_EQ(kernel->args.size(), 5u);
  const runtime::ArgSpec &a = kernel->args[0], &b = kernel->args[1],
                         &c = kernel->args[2];
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(a.type, ElementType::F16);
  EXPECT_EQ(a.shape,
            (std::vector<int64_t>{runtime::kDynamic, runtime::kDynamic}));
  EXPECT_EQ(a.strides, (std::vector<int64_t>{runtime::kDynamic, 1}));
  EXPECT_EQ(a.alignment, 16);
  EXPECT_EQ(a.access, Access::Read);
  EXPECT_FALSE(a.mayAlias);
  EXPECT_EQ(b.type, ElementType::BF16);
  EXPECT_EQ(b.strides, (std::vector<int64_t>{128, 1}));
  EXPECT_EQ(b.alignment, 2);
  EXPECT_EQ(c.access, Access::Write);
  EXPECT_TRUE(c.mayAlias);
  EXPECT_EQ(kernel->args[3].type, ElementType::F32);
  EXPECT_EQ(kernel->args[4].type, ElementType::I64);

  // Pointer, extents; no strides without a strided layout.
  using K = ParamKind;
  std::vector<K> kinds;
  std::vector<unsigned> args;
  for (const runtime::ParamSpec &param : kernel->params) {
    kinds.push_back(param.kind);
    args.push_back(param.arg);
  }
  EXPECT_EQ(kinds,
            (std::vector<K>{K::Pointer, K::Dim, K::Dim, K::Pointer, K::Pointer,
                            K::Dim, K::Dim, K::Stride, K::Scalar, K::Scalar}));
  EXPECT_EQ(args, (std::vector<unsigned>{0, 0, 0, 1, 2, 2, 2, 2, 3, 4}));

  // Whole clusters of two blocks.
  EXPECT_EQ(kernel->grid[0], ceilDiv(ceilDiv(Expr::dim(2, 1), 128), 2) * 2);
  EXPECT_EQ(kernel->grid[2], Expr(1));
  EXPECT_EQ(kernel->threads, 128);
  EXPECT_EQ(kernel->cluster, (std::array<int64_t, 3>{2, 1, 1}));

  auto check = [&](int64_t rows, int64_t k, int64_t stride, int64_t n) {
    int64_t shape[] = {rows, k}, strides[] = {stride, 1};
    int64_t other[] = {64, 128}, otherStrides[] = {128, 1};
    runtime::ExprArg memref = {shape, strides, 2, false, 0};
    runtime::ExprArg rest = {other, otherStrides, 2, false, 0};
    return holds(*kernel, {memref,
                           rest,
                           rest,
                           {nullptr, nullptr, 0, false, 0},
                           {nullptr, nullptr, 0, true, n}});
  };
  EXPECT_TRUE(check(64, 96, 96, 7));
  EXPECT_FALSE(check(64, 95, 95, 7)); // K is no multiple of 32
  EXPECT_FALSE(check(64, 0, 1, 7));   // K is below 32
  EXPECT_FALSE(check(64, 96, 96, 8)); // n is above 7
  EXPECT_FALSE(check(64, 96, 97, 7)); // A is not dense
  EXPECT_TRUE(check(1, 96, 5, 7));    // the stride of one row does not matter

  runtime::Result<KernelSpec> back =
      readKernelManifest(writeKernelManifest(*kernel));
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_TRUE(back->code.empty());
  EXPECT_EQ(writeKernelManifest(*back), writeKernelManifest(*kernel));
}

TEST_F(ManifestBuilderTest, AccessFollowsUses) {
  FailureOr<KernelSpec> kernel = build(R"mlir(
    tile.kernel @access(%unused: memref<8xf32>, %loaded: memref<8xf32>, %stored: memref<8xf32>,
                        %both: memref<8xf32>, %atomic: memref<8xf32>, %viewed: memref<8xf32>)
        grid(%bx) = (1) threads(32) {
      %c0 = arith.constant 0 : index
      %f = tile.alloc : memref<8xf32, #tile.fragment>
      tile.parallel (%i) in (8) {
        %x = memref.load %loaded[%i] : memref<8xf32>
        %y = memref.load %both[%i] : memref<8xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %stored[%i] : memref<8xf32>
        memref.store %z, %both[%i] : memref<8xf32>
      }
      tile.atomic add %f to %atomic[%c0] : memref<8xf32, #tile.fragment> to memref<8xf32>
      %cast = memref.cast %viewed : memref<8xf32> to memref<?xf32>
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %cast[%c0] : memref<?xf32>
      tile.return
    })mlir");
  ASSERT_TRUE(succeeded(kernel)) << message;
  std::vector<Access> accesses;
  for (const runtime::ArgSpec &arg : kernel->args)
    accesses.push_back(arg.access);
  EXPECT_EQ(accesses, (std::vector<Access>{Access::Read, Access::Read,
                                           Access::Write, Access::ReadWrite,
                                           Access::ReadWrite, Access::Write}));
}

TEST_F(ManifestBuilderTest, OnlyUnconditionalPromisesAreChecked) {
  FailureOr<KernelSpec> kernel = build(R"mlir(
    tile.kernel @assume(%n: index, %m: i32) grid(%bx) = (%n) threads(32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        tile.assume %n {min = 100 : i64} : index
      }
      tile.assume %bx {max = 5 : i64} : index
      %wide = arith.index_cast %m : i32 to index
      tile.assume %wide {min = 3 : i64} : index
      %narrow = arith.index_cast %n : index to i32
      tile.assume %narrow {min = 4 : i64} : i32
      tile.return
    })mlir");
  ASSERT_TRUE(succeeded(kernel)) << message;
  ASSERT_EQ(kernel->assumptions.size(), 1u);
  EXPECT_EQ(kernel->assumptions[0].message, "expected 'm' to be at least 3");
}

TEST_F(ManifestBuilderTest, WhatNoLauncherCanDoIsAnError) {
  EXPECT_TRUE(failed(build("tile.kernel @\"a b\"() grid(%bx) = (1) threads(32) "
                           "{ tile.return }")));
  EXPECT_NE(message.find("cannot be launched"), std::string::npos) << message;
}

TEST(KernelManifest, DamageIsAnError) {
  EXPECT_FALSE(readKernelManifest("").ok());
  EXPECT_FALSE(readKernelManifest("{}").ok());
}

} // namespace
