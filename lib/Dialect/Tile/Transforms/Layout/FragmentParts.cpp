//===- FragmentParts.cpp - parts of fragments where they lie --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "FragmentParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Dialect/Tile/IR/Buffers.h"

using namespace mlir;
using namespace mlir::tile;

namespace {

/// One side of a copy, or what is filled.
struct Side {
  Value buffer;
  SmallVector<Value> offsets; // empty: zeros
  SmallVector<int64_t> extents;
};

class PartLoop {
public:
  PartLoop(Operation *op, Side part, Side other)
      : builder(op), loc(op->getLoc()), part(std::move(part)),
        other(std::move(other)) {}

  /// Of elements of the part; `at` is what `other` is asked for.
  using Body = llvm::function_ref<void(ValueRange ivs, ValueRange at)>;

  void emit(Body body) {
    auto type = cast<MemRefType>(part.buffer.getType());
    ParallelOp::create(
        builder, loc, type.getShape(),
        [&](OpBuilder &inner, Location, ValueRange ivs) {
          OpBuilder::InsertionGuard guard(builder);
          builder.restoreInsertionPoint(inner.saveInsertionPoint());
          SmallVector<Value> coordinates;
          Value inside = insidePart(ivs, coordinates);
          SmallVector<Value> at = placeIn(other, coordinates);
          auto branch = scf::IfOp::create(builder, loc, inside,
                                          /*withElseRegion=*/false);
          builder.setInsertionPointToStart(branch.thenBlock());
          body(ivs, at);
        });
  }

  /// Whether the buffer of `other` has such an element; null: surely.
  Value insideBuffer(ValueRange at) {
    Value all;
    if (isGlobal(other.buffer))
      for (auto [d, index] : llvm::enumerate(at))
        all = both(all, below(index, memref::DimOp::create(builder, loc,
                                                           other.buffer, d)));
    return all;
  }

  Value convert(Value value, Type to) {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    if (value.getType() == to)
      return value;
    if (from < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, loc, to, value);
    return arith::TruncFOp::create(builder, loc, to, value);
  }

  OpBuilder builder;
  Location loc;

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// 0 <= index < end, by one unsigned comparison.
  Value below(Value index, Value end) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                 end);
  }
  Value both(Value a, Value b) {
    return a ? arith::AndIOp::create(builder, loc, a, b).getResult() : b;
  }

  /// Whether the part has the element, and where in the part it is, along
  /// dimensions of an extent other than one.
  Value insidePart(ValueRange ivs, SmallVectorImpl<Value> &coordinates) {
    Value inside;
    for (auto [d, iv] : llvm::enumerate(ivs)) {
      Value at = part.offsets.empty() || isConstantIntValue(part.offsets[d], 0)
                     ? iv
                     : arith::SubIOp::create(builder, loc, iv, part.offsets[d])
                           .getResult();
      inside = both(inside, below(at, constant(part.extents[d])));
      if (part.extents[d] != 1)
        coordinates.push_back(at);
    }
    return inside;
  }

  SmallVector<Value> placeIn(const Side &side, ArrayRef<Value> coordinates) {
    SmallVector<Value> at;
    size_t next = 0;
    for (auto [d, extent] : llvm::enumerate(side.extents)) {
      Value index = extent == 1 ? Value() : coordinates[next++];
      Value offset = side.offsets.empty() ? Value() : side.offsets[d];
      if (index && offset)
        index = arith::AddIOp::create(builder, loc, index, offset);
      else if (!index)
        index = offset ? offset : constant(0);
      at.push_back(index);
    }
    return at;
  }

  Side part, other;
};

} // namespace

/// Conversions that arith does as `tile.copy` does.
static bool convertsAlike(Type from, Type to) {
  auto isPlain = [](Type type) {
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  };
  return from == to ||
         (isPlain(from) && isPlain(to) &&
          from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth());
}

static bool isPlainCopy(CopyOp copy) {
  return !copy.isAsync() && !copy.getLayoutAttr() && !copy.getPlan() &&
         !copy.getPrefer() && !copy.getGroups() && !copy.getMulticast() &&
         !copy.getEvictionPolicy();
}

static void store(PartLoop &loop, CopyOp copy) {
  Type to = elementTypeOf(copy.getTarget());
  loop.emit([&](ValueRange ivs, ValueRange at) {
    if (Value exists = loop.insideBuffer(at)) {
      auto branch = scf::IfOp::create(loop.builder, loop.loc, exists,
                                      /*withElseRegion=*/false);
      loop.builder.setInsertionPointToStart(branch.thenBlock());
    }
    Value value =
        memref::LoadOp::create(loop.builder, loop.loc, copy.getSource(), ivs);
    memref::StoreOp::create(loop.builder, loop.loc, loop.convert(value, to),
                            copy.getTarget(), at);
  });
}

static void load(PartLoop &loop, CopyOp copy) {
  auto &b = loop.builder;
  Type from = elementTypeOf(copy.getSource()),
       to = elementTypeOf(copy.getTarget());
  loop.emit([&](ValueRange ivs, ValueRange at) {
    Value value;
    if (Value exists = loop.insideBuffer(at)) {
      auto branch = scf::IfOp::create(b, loop.loc, from, exists,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      value = memref::LoadOp::create(b, loop.loc, copy.getSource(), at);
      scf::YieldOp::create(b, loop.loc, value);
      b.setInsertionPointToStart(branch.elseBlock());
      Value zero = arith::ConstantOp::create(b, loop.loc, b.getZeroAttr(from));
      scf::YieldOp::create(b, loop.loc, zero);
      value = branch.getResult(0);
    } else {
      value = memref::LoadOp::create(b, loop.loc, copy.getSource(), at);
    }
    memref::StoreOp::create(b, loop.loc, loop.convert(value, to),
                            copy.getTarget(), ivs);
  });
}

bool tile::loopOverWholeFragment(Operation *op, Value fragment) {
  if (auto fill = dyn_cast<FillOp>(op)) {
    if (fill.getLayoutAttr())
      return false;
    PartLoop loop(op, {fragment, fill.getOffsets(), fill.getExtents()}, {});
    loop.emit([&](ValueRange ivs, ValueRange) {
      memref::StoreOp::create(loop.builder, loop.loc, fill.getValue(), fragment,
                              ivs);
    });
    fill.erase();
    return true;
  }
  auto copy = dyn_cast<CopyOp>(op);
  if (!copy || !isPlainCopy(copy) || copy.getPad() ||
      (isFragment(copy.getSource()) && isFragment(copy.getTarget())) ||
      !convertsAlike(elementTypeOf(copy.getSource()),
                     elementTypeOf(copy.getTarget())))
    return false;
  Side source{copy.getSource(), copy.getSourceOffsets(),
              copy.getSourceExtents()};
  Side target{copy.getTarget(), copy.getTargetOffsets(),
              copy.getTargetExtents()};
  bool isStore = copy.getSource() == fragment;
  PartLoop loop(op, isStore ? source : target, isStore ? target : source);
  if (isStore)
    store(loop, copy);
  else
    load(loop, copy);
  copy.erase();
  return true;
}
