//===- MovePatterns.cpp - copy, fill, atomic, convert_layout on the CPU ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the elements of a region. A region that may overhang its buffer is
// tested once as a whole; only where it overhangs is every element tested.
//
//===----------------------------------------------------------------------===//
#include "TileToCPU.h"
#include "mlir/IR/Matchers.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// One side of a movement: a region of a buffer and how its dimensions follow
/// from the indices of the common tile.
class Side {
public:
  Side(Value buffer, ValueRange offsets, ArrayRef<int64_t> extents)
      : buffer(buffer), offsets(offsets), extents(extents) {}

  Type getElementType() const {
    return cast<MemRefType>(buffer.getType()).getElementType();
  }

  /// Buffer indices of the element at `tile`, which has one index per extent
  /// other than one.
  SmallVector<Value> indices(OpBuilder &b, Location loc,
                             ValueRange tile) const {
    SmallVector<Value> result;
    unsigned next = 0;
    for (auto [d, extent] : llvm::enumerate(extents)) {
      Value index = extent == 1 ? Value() : tile[next++];
      if (!offsets.empty())
        index = index ? Value(arith::AddIOp::create(b, loc, offsets[d], index))
                      : offsets[d];
      result.push_back(index ? index : indexConstant(b, loc, 0));
    }
    return result;
  }

  /// Whether the whole region lies inside the buffer; null when it is known to.
  Value wholeInside(OpBuilder &b, Location loc) const {
    Value result;
    for (unsigned d = 0; d < extents.size(); ++d) {
      if (knownInside(d))
        continue;
      Value size = memref::DimOp::create(b, loc, buffer, d);
      Value extent = indexConstant(b, loc, extents[d]);
      Value first = offsets.empty() ? indexConstant(b, loc, 0) : offsets[d];
      // 0 <= offset <= size - extent, without overflow for any offset.
      Value last = arith::SubIOp::create(b, loc, size, extent);
      conjoin(b, loc, result,
              compare(b, loc, arith::CmpIPredicate::sge, first,
                      indexConstant(b, loc, 0)));
      conjoin(b, loc, result,
              compare(b, loc, arith::CmpIPredicate::sle, first, last));
    }
    return result;
  }

  /// Whether one element lies inside; null when it is known to. A negative
  /// index is a large unsigned one.
  Value elementInside(OpBuilder &b, Location loc, ValueRange indices) const {
    Value result;
    for (unsigned d = 0; d < extents.size(); ++d) {
      if (knownInside(d))
        continue;
      Value size = memref::DimOp::create(b, loc, buffer, d);
      conjoin(b, loc, result,
              compare(b, loc, arith::CmpIPredicate::ult, indices[d], size));
    }
    return result;
  }

  Value buffer;

private:
  bool knownInside(unsigned d) const {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.isDynamicDim(d))
      return false;
    int64_t size = type.getDimSize(d);
    APInt offset(64, 0);
    if (!offsets.empty() && !matchPattern(offsets[d], m_ConstantInt(&offset)))
      return false;
    int64_t first = offset.getSExtValue();
    return first >= 0 && extents[d] <= size && first <= size - extents[d];
  }
  static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate kind,
                       Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, kind, lhs, rhs);
  }
  static void conjoin(OpBuilder &b, Location loc, Value &all, Value condition) {
    all =
        all ? Value(arith::AndIOp::create(b, loc, all, condition)) : condition;
  }

  SmallVector<Value> offsets;
  SmallVector<int64_t> extents;
};

using ElementAction =
    function_ref<void(OpBuilder &, Location, ValueRange, bool guarded)>;

/// Runs `action` for each element of `tile`: unguarded where `inside` holds (or
/// is null), guarded elsewhere.
void forEachElement(OpBuilder &b, Location loc, ArrayRef<int64_t> tile,
                    Value inside, ElementAction action) {
  auto loops = [&](OpBuilder &builder, bool guarded) {
    loopOver(builder, loc, tile,
             [&](OpBuilder &inner, Location l, ValueRange indices) {
               action(inner, l, indices, guarded);
             });
  };
  if (!inside)
    return loops(b, /*guarded=*/false);
  auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/true);
  OpBuilder thenBuilder = branch.getThenBodyBuilder();
  loops(thenBuilder, /*guarded=*/false);
  OpBuilder elseBuilder = branch.getElseBodyBuilder();
  loops(elseBuilder, /*guarded=*/true);
}

/// Runs `action` where `condition` holds; always when it is null.
void onlyIf(OpBuilder &b, Location loc, Value condition,
            function_ref<void(OpBuilder &)> action) {
  if (!condition)
    return action(b);
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder inner = branch.getThenBodyBuilder();
  action(inner);
}

Value bothInside(OpBuilder &b, Location loc, const Side &x, const Side &y) {
  Value first = x.wholeInside(b, loc), second = y.wholeInside(b, loc);
  if (first && second)
    return arith::AndIOp::create(b, loc, first, second);
  return first ? first : second;
}

struct CopyLowering : OpConversionPattern<CopyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isPrefetch(op)) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    Side source(adaptor.getSource(), adaptor.getSourceOffsets(),
                op.getSourceExtents());
    Side target(adaptor.getTarget(), adaptor.getTargetOffsets(),
                op.getTargetExtents());
    Type type = target.getElementType();
    Value pad = adaptor.getPad();
    if (!pad)
      pad =
          arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    Value inside = bothInside(rewriter, loc, source, target);
    auto move = [&](OpBuilder &b, Location l, ValueRange tile, bool guarded) {
      SmallVector<Value> from = source.indices(b, l, tile);
      SmallVector<Value> to = target.indices(b, l, tile);
      auto load = [&](OpBuilder &builder) -> Value {
        Value element = memref::LoadOp::create(builder, l, source.buffer, from);
        return castElement(builder, l, element, type);
      };
      if (!guarded) {
        memref::StoreOp::create(b, l, load(b), target.buffer, to);
        return;
      }
      Value value;
      if (Value loadable = source.elementInside(b, l, from)) {
        auto branch = scf::IfOp::create(
            b, l, loadable,
            [&](OpBuilder &builder, Location) {
              scf::YieldOp::create(builder, l, load(builder));
            },
            [&](OpBuilder &builder, Location) {
              scf::YieldOp::create(builder, l, pad);
            });
        value = branch.getResult(0);
      } else {
        value = load(b);
      }
      onlyIf(b, l, target.elementInside(b, l, to), [&](OpBuilder &builder) {
        memref::StoreOp::create(builder, l, value, target.buffer, to);
      });
    };
    forEachElement(rewriter, loc, op.getTileShape(), inside, move);
    rewriter.eraseOp(op);
    return success();
  }
};

struct FillLowering : OpConversionPattern<FillOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(FillOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int64_t> extents = op.getExtents();
    Side target(adaptor.getTarget(), adaptor.getOffsets(), extents);
    SmallVector<int64_t> tile;
    llvm::copy_if(extents, std::back_inserter(tile),
                  [](int64_t extent) { return extent != 1; });
    forEachElement(
        rewriter, loc, tile, target.wholeInside(rewriter, loc),
        [&](OpBuilder &b, Location l, ValueRange indices, bool guarded) {
          SmallVector<Value> to = target.indices(b, l, indices);
          onlyIf(b, l, guarded ? target.elementInside(b, l, to) : Value(),
                 [&](OpBuilder &builder) {
                   memref::StoreOp::create(builder, l, adaptor.getValue(),
                                           target.buffer, to);
                 });
        });
    rewriter.eraseOp(op);
    return success();
  }
};

struct AtomicLowering : OpConversionPattern<AtomicOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AtomicOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Side source(adaptor.getSource(), adaptor.getSourceOffsets(),
                op.getSourceExtents());
    Side target(adaptor.getTarget(), adaptor.getTargetOffsets(),
                op.getTargetExtents());
    arith::AtomicRMWKind kind = atomicKindOf(op, target.getElementType());
    auto combine = [&](OpBuilder &b, Location l, ValueRange tile,
                       bool guarded) {
      SmallVector<Value> from = source.indices(b, l, tile);
      SmallVector<Value> to = target.indices(b, l, tile);
      Value inside;
      if (guarded) {
        inside = source.elementInside(b, l, from);
        Value targetInside = target.elementInside(b, l, to);
        if (inside && targetInside)
          inside = arith::AndIOp::create(b, l, inside, targetInside);
        else if (targetInside)
          inside = targetInside;
      }
      onlyIf(b, l, inside, [&](OpBuilder &builder) {
        Value element = memref::LoadOp::create(builder, l, source.buffer, from);
        memref::AtomicRMWOp::create(builder, l, kind, element, target.buffer,
                                    to);
      });
    };
    forEachElement(rewriter, loc, op.getTileShape(),
                   bothInside(rewriter, loc, source, target), combine);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertLayoutLowering : OpConversionPattern<ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getSource().getType());
    loopOver(rewriter, op.getLoc(), type.getShape(),
             [&](OpBuilder &b, Location l, ValueRange indices) {
               Value element =
                   memref::LoadOp::create(b, l, adaptor.getSource(), indices);
               memref::StoreOp::create(b, l, element, adaptor.getTarget(),
                                       indices);
             });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateMovePatterns(RewritePatternSet &patterns) {
  patterns
      .add<CopyLowering, FillLowering, AtomicLowering, ConvertLayoutLowering>(
          patterns.getContext());
}
