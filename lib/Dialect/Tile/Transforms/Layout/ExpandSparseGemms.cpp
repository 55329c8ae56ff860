//===- ExpandSparseGemms.cpp - sparse operands without an instruction -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs before layouts. Whether an instruction reads a gemm's sparse A is asked
// of the gemm, as layout inference does. Where none does, threads write A with
// its zeros to shared memory, and any instruction multiplies it.
//
//===----------------------------------------------------------------------===//
#include "Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/KernelDecisions.h"
#include "tile/Dialect/Tile/IR/LayoutConstraints.h"
#include "tile/Dialect/Tile/IR/MmaTypes.h"
#include "tile/Dialect/Tile/IR/ModuleTarget.h"
#include "tile/Dialect/Tile/Transforms/Passes.h"
#include "tile/Dialect/Tile/Transforms/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDSPARSEGEMMSPASS
#include "tile/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Writes the values of one group, with its zeros.
class GroupWriter {
public:
  GroupWriter(GemmOp gemm, Value whole, OpBuilder &builder, ValueRange at)
      : gemm(gemm), whole(whole), b(builder), loc(gemm.getLoc()), row(at[0]),
        group(at[1]), sizes(SparseGroup::of(gemm)) {}

  void write() {
    Value places = loadPlaces();
    SmallVector<Value> kept, at;
    for (int64_t n = 0; n < sizes.kept; ++n) {
      kept.push_back(memref::LoadOp::create(
          b, loc, gemm.getA(),
          element(column(sizes.kept, n), gemm.getTransposeA())));
      // Two bits; of places in groups of two the upper one counts.
      int64_t half = sizes.columns == 2 ? 1 : 0;
      at.push_back(bitsOf(places, 2 * n + half, half ? 1 : 3));
    }
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(elementTypeOf(gemm.getA())));
    for (int64_t i = 0; i < sizes.columns; ++i) {
      Value value = zero;
      for (int64_t n = sizes.kept; n-- > 0;)
        value = arith::SelectOp::create(
            b, loc,
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at[n],
                                  constant(i)),
            kept[n], value);
      memref::StoreOp::create(
          b, loc, value, whole,
          element(column(sizes.columns, i), gemm.getTransposeA()));
    }
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  }
  /// Number `n` of the group's `count` columns.
  Value column(int64_t count, int64_t n) {
    Value first = arith::MulIOp::create(b, loc, group, index(count));
    return arith::AddIOp::create(b, loc, first, index(n));
  }
  SmallVector<Value> element(Value column, bool isTurned) {
    return isTurned ? SmallVector<Value>{column, row}
                    : SmallVector<Value>{row, column};
  }
  Value bitsOf(Value word, int64_t first, int64_t mask) {
    if (first)
      word = arith::ShRUIOp::create(b, loc, word, constant(first));
    return arith::AndIOp::create(b, loc, word, constant(mask));
  }
  /// The group's four bits, and what is above them.
  Value loadPlaces() {
    int64_t perElement = storageBitsOf(gemm.getMetadata()) / 4;
    Value number = arith::DivUIOp::create(b, loc, group, index(perElement));
    Value word =
        memref::LoadOp::create(b, loc, gemm.getMetadata(),
                               element(number, gemm.getTransposeMetadata()));
    Type i32 = b.getI32Type();
    if (word.getType() != i32)
      word = arith::ExtUIOp::create(b, loc, i32, word);
    Value inWord = arith::RemUIOp::create(b, loc, group, index(perElement));
    Value shift = arith::MulIOp::create(b, loc, inWord, index(4));
    return arith::ShRUIOp::create(
        b, loc, word, arith::IndexCastUIOp::create(b, loc, i32, shift));
  }

  GemmOp gemm;
  Value whole;
  OpBuilder &b;
  Location loc;
  Value row, group;
  SparseGroup sizes;
};

struct ExpandSparseGemmsPass
    : tile::impl::ExpandSparseGemmsPassBase<ExpandSparseGemmsPass> {
  using ExpandSparseGemmsPassBase::ExpandSparseGemmsPassBase;

  void runOnOperation() override {
    if (failed(requireBefore(*this, getOperation(), {Need::Numbers})))
      return signalPassFailure();
    const TargetInfo *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (gemm.isSparse())
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms) {
      LayoutConstraints constraints(*target, getAgentThreads(gemm));
      gemm.getLayoutConstraints(constraints);
      // A plan that the author states and that is impossible is refused with
      // the layouts.
      if (gemm.getPlanAttr())
        continue;
      if (constraints.alternatives.empty())
        expand(gemm, constraints.refusal);
      else
        remarkAt(remarks, gemm)
            << "A stays sparse: "
            << stringifyMmaInstruction(
                   cast<MmaPlanAttr>(
                       constraints.alternatives.front().decision.value)
                       .getInstruction())
            << " reads the metadata";
    }
  }

private:
  static Value allocateShared(OpBuilder &builder, GemmOp gemm,
                              ArrayRef<int64_t> shape, Type element) {
    OpBuilder::InsertionGuard guard(builder);
    KernelOp kernel = kernelOf(gemm);
    builder.setInsertionPointToStart(&kernel.getBodyRegion().front());
    auto space = gpu::AddressSpaceAttr::get(gemm.getContext(),
                                            gpu::AddressSpace::Workgroup);
    return AllocOp::create(builder, gemm.getLoc(),
                           MemRefType::get(shape, element, AffineMap(), space),
                           Attribute());
  }

  void expand(GemmOp gemm, StringRef why) {
    Location loc = gemm.getLoc();
    why.consume_front("expected an instruction for a sparse A: ");
    why.consume_back("; --tile-expand-sparse-gemms gives A its zeros back");
    missedAt(remarks, gemm, "threads write A with its zeros to shared memory",
             why, "tiles of whole instructions stay sparse");
    auto type = cast<MemRefType>(gemm.getA().getType());
    int64_t m = gemm.getM(), k = gemm.getK();
    SmallVector<int64_t> shape = {m, k};
    if (gemm.getTransposeA())
      std::swap(shape[0], shape[1]);
    OpBuilder builder(gemm);
    Value whole = allocateShared(builder, gemm, shape, type.getElementType());
    // The bits of a group are in an element of several groups, which another
    // thread may hold.
    if (Value metadata = gemm.getMetadata(); isFragment(metadata)) {
      auto held = cast<MemRefType>(metadata.getType());
      Value tile =
          allocateShared(builder, gemm, held.getShape(), held.getElementType());
      CopyOp::create(builder, loc, metadata, ValueRange(), tile, ValueRange());
      gemm.getMetadataMutable().assign(tile);
    }
    int64_t groups = k / SparseGroup::of(gemm).columns;
    ParallelOp::create(builder, loc, ArrayRef<int64_t>{m, groups},
                       [&](OpBuilder &body, Location, ValueRange at) {
                         GroupWriter(gemm, whole, body, at).write();
                       });
    gemm.getAMutable().assign(whole);
    gemm.getMetadataMutable().clear();
    gemm.setTransposeMetadata(false);
    ++numExpanded;
  }
};
} // namespace
