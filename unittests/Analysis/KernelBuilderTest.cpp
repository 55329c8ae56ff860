//===- KernelBuilderTest.cpp - kernels from C++ ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Dialect/Tile/IR/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct KernelBuilderTest : testing::Test {
  KernelBuilderTest() {
    context
        .loadDialect<TileDialect, arith::ArithDialect, memref::MemRefDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToStart(module->getBody());
  }
  std::string print() {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }
  void expect(StringRef part) {
    EXPECT_NE(StringRef(print()).find(part), StringRef::npos)
        << part.str() << " in\n"
        << print();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder{&context};
  Location loc = UnknownLoc::get(&context);
};
} // namespace

TEST_F(KernelBuilderTest, MakesHeaderBlockAndTerminator) {
  auto matrix = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                                builder.getF32Type());
  GridExtents extents(&context);
  AffineExpr columns = extents.dim(0, 1).ceilDiv(64);
  AffineExpr rows = extents.dim(0, 0).ceilDiv(64);
  NamedAttribute alignment =
      builder.getNamedAttr("tile.alignment", builder.getI64IntegerAttr(16));
  int bodies = 0;
  KernelOp kernel =
      buildKernel(builder, loc, "k",
                  {{"A", matrix, {alignment}}, {"n", builder.getI32Type()}},
                  extents, {columns, rows, extents.scalar(1)}, 128,
                  [&](OpBuilder &body, KernelOp kernel) {
                    ++bodies;
                    arith::AddIOp::create(body, loc, kernel.getBlockId(0),
                                          kernel.getBlockId(1));
                  });
  EXPECT_EQ(bodies, 1);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(kernel.getNumKernelArguments(), 2u);
  EXPECT_EQ(kernel.getGridRank(), 3u);
  expect("tile.kernel @k(%A: memref<?x?xf32> {tile.alignment = 16 : i64}, "
         "%n: i32)");
  expect("= (dim(%A, 1) ceildiv 64, dim(%A, 0) ceildiv 64, %n) threads(128)");
  expect("arith.addi %bx, %by");
  // The builder is where it was: behind the kernel, in the module.
  EXPECT_EQ(builder.getInsertionBlock(), module->getBody());
}

TEST_F(KernelBuilderTest, AsksForAnExtentOnce) {
  GridExtents extents(&context);
  EXPECT_EQ(extents.dim(0, 1), extents.dim(0, 1));
  EXPECT_NE(extents.dim(0, 1), extents.scalar(0));
  EXPECT_EQ(extents.getOperands().size(), 4u);
}

TEST_F(KernelBuilderTest, WrongHeadersAreLeftToTheVerifier) {
  GridExtents extents(&context);
  buildKernel(builder, loc, "k", {}, extents,
              {builder.getAffineConstantExpr(1)}, /*threads=*/33);
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(verify(*module)));
}
