//===- Endpoint.cpp - where one side of a data movement lies --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an endpoint is made of, addresses, and what lies inside a global buffer.
// Loads and stores are in EndpointAccess.cpp.
//
//===----------------------------------------------------------------------===//
#include "Endpoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tile/Analysis/Divisibility.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

FailureOr<Endpoint> Endpoint::createRows(KernelLowering &lowering,
                                         Operation *op, Value buffer,
                                         Value column, Value moved,
                                         const FragmentLayout &loop,
                                         RowFunction placeOf) {
  Endpoint end(lowering, op, loop);
  auto type = cast<MemRefType>(buffer.getType());
  end.elementType = type.getElementType();
  end.space = MemorySpace::Global;
  if (end.elementType.isIntOrFloat() && !end.elementType.isInteger(1) &&
      end.elementType.getIntOrFloatBitWidth() < 8)
    return op->emitOpError() << "expected elements of whole bytes in rows at "
                                "places of their own, got "
                             << end.elementType;
  if (loop.rank() != 2)
    return op->emitOpError()
           << "expected a loop layout of rank 2, got " << loop.rank();
  FailureOr<GlobalBuffer> global = lowering.global(buffer, op);
  if (failed(global))
    return failure();
  end.global = *global;
  end.innermostOffsetDivisor = knownDivisor(column);
  end.rowColumn = lowering.toI64(column);
  end.rowMoved = moved;
  end.threadPart = lowering.threadCoordinates(loop);
  for (int64_t reg = 0, e = loop.numRegisters(); reg < e; ++reg) {
    ThreadCoordinate row =
        lowering.coordinates(end.threadPart, loop, reg).front();
    if (end.rows.contains(row.constant))
      continue;
    // A layout may overshoot its tile: such rows are not moved, and the last
    // one is asked for instead of them. Registers say anything of them.
    ThreadCoordinate asked = row;
    auto &b = lowering.builder;
    Value exists = lowering.inBounds(loop, end.threadPart, reg);
    if (exists) {
      asked.base = b.createOrFold<arith::MinUIOp>(
          lowering.materialize(row), lowering.i32(loop.shape().front() - 1));
      asked.constant = 0;
    }
    FailureOr<RowPlace> place = placeOf(asked, row.constant);
    if (failed(place))
      return failure();
    if (exists) {
      Value nowhere = arith::ConstantIntOp::create(b, b.getI1Type(), 0);
      place->inside =
          b.createOrFold<arith::SelectOp>(exists, place->inside, nowhere);
      place->offset = b.createOrFold<arith::SelectOp>(exists, place->offset,
                                                      lowering.i64(0));
    }
    end.rows.try_emplace(row.constant, *place);
  }
  return end;
}

const RowPlace &Endpoint::rowOf(int64_t reg) {
  return rows.find(loop.axisCoordinates(Axis::Register, reg).front())->second;
}

Value Endpoint::columnOf(int64_t reg) {
  ThreadCoordinate column = lowering->coordinates(threadPart, loop, reg).back();
  return lowering->add(rowColumn,
                       lowering->toI64(lowering->materialize(column)));
}

FailureOr<Endpoint> Endpoint::create(KernelLowering &lowering, Operation *op,
                                     Value buffer, ValueRange offsets,
                                     ArrayRef<int64_t> extents,
                                     const FragmentLayout &loop) {
  Endpoint end(lowering, op, loop);
  auto type = cast<MemRefType>(buffer.getType());
  end.elementType = type.getElementType();
  end.space = getMemorySpace(buffer);
  // A loop over rows has all extents, others those that are not one.
  bool hasAll = loop.shape() == extents;
  for (auto [d, extent] : llvm::enumerate(extents))
    if (hasAll || extent != 1)
      end.dims.push_back(d);
  if (end.dims.size() != loop.rank()) {
    // A single element: the loop has one dimension of extent 1.
    if (!(end.dims.empty() && loop.rank() == 1 && loop.shape()[0] == 1) ||
        extents.empty())
      return op->emitOpError() << "expected a loop layout of rank "
                               << end.dims.size() << ", got " << loop.rank();
    end.dims.push_back(0);
  }
  switch (end.space) {
  case MemorySpace::Global: {
    FailureOr<GlobalBuffer> global = lowering.global(buffer, op);
    if (failed(global))
      return failure();
    end.global = *global;
    end.regionExtents.assign(extents.begin(), extents.end());
    for (Value offset : offsets)
      end.uniform.push_back(lowering.toI64(offset));
    end.innermostOffsetDivisor =
        offsets.empty() ? int64_t(1) << 31 : knownDivisor(offsets.back());
    end.threadPart = lowering.threadCoordinates(loop);
    return end;
  }
  case MemorySpace::Shared: {
    FailureOr<SharedBuffer> shared = lowering.shared(buffer, op);
    if (failed(shared))
      return failure();
    end.shared = *shared;
    SmallVector<Value> moved;
    bool allZero = true;
    for (Value offset : offsets) {
      allZero &= isConstantIntValue(offset, 0);
      moved.push_back(lowering.toI32(offset));
    }
    if (allZero)
      moved.clear();
    end.sharedAddresses = std::make_shared<KernelLowering::SharedAddresses>(
        lowering, *shared, loop, end.dims, moved);
    return end;
  }
  case MemorySpace::Fragment: {
    FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, op);
    if (failed(fragment))
      return failure();
    end.fragment = *fragment;
    end.fragmentOffsets.assign(type.getRank(), 0);
    for (auto [d, offset] : llvm::enumerate(offsets)) {
      std::optional<int64_t> constant = getConstantIntValue(offset);
      if (!constant)
        return op->emitOpError()
               << "expected constant offsets into a fragment: registers cannot "
                  "be indexed at run time";
      end.fragmentOffsets[d] = *constant;
    }
    if (!sameThreads(loop, fragment->layout, end.dims))
      return op->emitOpError()
             << "expected a loop layout whose threads hold the fragment's "
                "elements: run --tile-infer-layouts, or add "
                "`tile.convert_layout`";
    end.registerMap = std::make_shared<RegisterMap>(fragment->layout);
    return end;
  }
  case MemorySpace::Local: {
    auto it = lowering.locals.find(buffer);
    if (it == lowering.locals.end())
      return op->emitOpError() << "expected a local buffer made by the kernel";
    end.localPointer = it->second.pointer;
    end.localShape = it->second.shape;
    for (Value offset : offsets)
      end.uniform.push_back(lowering.toI64(offset));
    end.threadPart = lowering.threadCoordinates(loop);
    return end;
  }
  default:
    return op->emitOpError() << "expected global, shared, fragment or local "
                                "memory on "
                             << lowering.target.arch << ", got " << type;
  }
}

bool Endpoint::exchange(Value turns, int64_t reg) {
  return shared && sharedAddresses->exchange(turns, reg);
}

Value Endpoint::address(int64_t reg) {
  if (shared)
    return (*sharedAddresses)(reg);
  SmallVector<ThreadCoordinate> coordinates =
      lowering->coordinates(threadPart, loop, reg);
  if (!rows.empty()) {
    // The part of a place that all rows share is kept apart from the part that
    // the rows of one thread share: the second part stays the same in a loop
    // over channels and taps.
    Value stride = global->strides.back();
    Value common = lowering->mul(rowColumn, stride);
    if (rowMoved)
      common = lowering->add(common, rowMoved);
    Value own = rowOf(reg).offset;
    if (coordinates.back().base)
      own = lowering->add(
          own, lowering->mul(lowering->toI64(coordinates.back().base), stride));
    Value pointer = global->pointer;
    Value constant =
        lowering->mul(lowering->i64(coordinates.back().constant), stride);
    for (Value part : {common, own, constant})
      pointer = LLVM::GEPOp::create(lowering->builder, pointer.getType(),
                                    lowering->storageType(elementType), pointer,
                                    ArrayRef<LLVM::GEPArg>{part});
    return pointer;
  }
  if (global)
    return lowering->globalAddress(*global, elementType, uniform, coordinates,
                                   dims);
  Value linear;
  for (unsigned d = 0, next = 0; d < localShape.size(); ++d) {
    linear = linear ? lowering->mulConst(linear, localShape[d]) : linear;
    if (!uniform.empty())
      linear = lowering->add(linear, uniform[d]);
    if (next < dims.size() && dims[next] == d)
      linear = lowering->add(
          linear, lowering->toI64(lowering->materialize(coordinates[next++])));
  }
  if (!linear)
    return localPointer;
  return LLVM::GEPOp::create(lowering->builder, localPointer.getType(),
                             lowering->storageType(elementType), localPointer,
                             ArrayRef<LLVM::GEPArg>{linear});
}

bool Endpoint::wholeVectors(int64_t count) const {
  return global && !global->sizes.empty() &&
         global->sizeDivisors.back() % count == 0 &&
         innermostOffsetDivisor % count == 0;
}

Value Endpoint::regionFits(unsigned d) {
  auto &b = lowering->builder;
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    return b.createOrFold<arith::CmpIOp>(predicate, left, right);
  };
  int64_t extent = regionExtents[d];
  Value size = global->sizes[d], extentValue = lowering->i64(extent);
  if (uniform.empty())
    return compare(arith::CmpIPredicate::sge, size, extentValue);
  // One index is inside where elements are: with the comparison that guards
  // them, what stands outside has nothing left to ask.
  if (extent == 1)
    return compare(arith::CmpIPredicate::ult, uniform[d], size);
  // Of numbers with a sign: nothing to keep through a loop, as a size is an
  // operand in constant memory.
  if (lowering->hasFewRegisters)
    return b.createOrFold<arith::AndIOp>(
        compare(arith::CmpIPredicate::sge, uniform[d], lowering->i64(0)),
        compare(arith::CmpIPredicate::sle,
                lowering->add(uniform[d], extentValue), size));
  // offset <= size - extent as unsigned numbers, when size >= extent: one
  // comparison in a loop.
  return b.createOrFold<arith::AndIOp>(
      compare(arith::CmpIPredicate::sge, size, extentValue),
      compare(arith::CmpIPredicate::ule, uniform[d],
              b.createOrFold<arith::SubIOp>(size, extentValue)));
}

Value Endpoint::regionInside() {
  if (!global || !rows.empty())
    return {};
  auto &b = lowering->builder;
  Value predicate;
  for (unsigned d = 0; d < regionExtents.size(); ++d) {
    Value fits = regionFits(d);
    predicate =
        predicate ? b.createOrFold<arith::AndIOp>(predicate, fits) : fits;
  }
  return predicate;
}

Value Endpoint::regionReachesOverEnd(int64_t bytes) {
  auto &b = lowering->builder;
  Value last, end;
  for (auto [d, extent] : llvm::enumerate(regionExtents)) {
    Value size = global->sizes[d], stride = global->strides[d];
    Value regionEnd = lowering->i64(extent);
    if (!uniform.empty())
      regionEnd = lowering->add(uniform[d], regionEnd);
    regionEnd = b.createOrFold<arith::MinSIOp>(regionEnd, size);
    auto offsetOfLast = [&](Value count) {
      return lowering->mul(
          b.createOrFold<arith::SubIOp>(count, lowering->i64(1)), stride);
    };
    last = lowering->add(last, offsetOfLast(regionEnd));
    end = lowering->add(end, offsetOfLast(size));
  }
  int64_t elementBytes = getStorageBits(elementType) / 8;
  Value base = LLVM::PtrToIntOp::create(b, b.getI64Type(), global->pointer);
  auto addressBehind = [&](Value offset) {
    return lowering->add(base,
                         lowering->add(lowering->mulConst(offset, elementBytes),
                                       lowering->i64(elementBytes)));
  };
  Value touched = lowering->add(addressBehind(last), lowering->i64(bytes - 1));
  touched = b.createOrFold<arith::AndIOp>(touched, lowering->i64(-bytes));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ugt, touched,
                                       addressBehind(end));
}

Value Endpoint::inside(int64_t reg) {
  if (!global || insideKnown)
    return {};
  if (!rows.empty()) {
    auto &b = lowering->builder;
    Value within = b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::ult, columnOf(reg), global->sizes.back());
    return b.createOrFold<arith::AndIOp>(rowOf(reg).inside, within);
  }
  return lowering->globalInBounds(
      *global, uniform, lowering->coordinates(threadPart, loop, reg), dims);
}

Value Endpoint::validElements(int64_t reg, int64_t count) {
  auto &b = lowering->builder;
  unsigned innermost = global->sizes.size() - 1;
  auto validOf = [&](Value column, Value rowInside) {
    Value left =
        b.createOrFold<arith::SubIOp>(global->sizes[innermost], column);
    left = b.createOrFold<arith::MinSIOp>(left, lowering->i64(count));
    left = b.createOrFold<arith::MaxSIOp>(left, lowering->i64(0));
    Value valid = b.createOrFold<arith::TruncIOp>(b.getI32Type(), left);
    // Runs start at multiples of their length: in front of a row lies all of
    // one or nothing.
    Value starts = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                 column, lowering->i64(0));
    if (rowInside)
      starts = b.createOrFold<arith::AndIOp>(starts, rowInside);
    return b.createOrFold<arith::SelectOp>(starts, valid, lowering->i32(0));
  };
  if (!rows.empty())
    return validOf(columnOf(reg), rowOf(reg).inside);
  SmallVector<ThreadCoordinate> coordinates =
      lowering->coordinates(threadPart, loop, reg);
  // Rows are in or out as a whole; the innermost dimension may be cut.
  SmallVector<ThreadCoordinate> outer;
  SmallVector<unsigned> outerDims;
  Value column = uniform.empty() ? Value() : uniform[innermost];
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    if (dims[d] != innermost) {
      outer.push_back(coordinate);
      outerDims.push_back(dims[d]);
      continue;
    }
    if (coordinate.base)
      column = lowering->add(column, lowering->toI64(coordinate.base));
    if (coordinate.constant)
      column = lowering->add(column, lowering->i64(coordinate.constant));
  }
  GlobalBuffer rows = *global;
  rows.sizes.pop_back();
  rows.strides.pop_back();
  SmallVector<Value> rowOffsets = uniform;
  if (!rowOffsets.empty())
    rowOffsets.pop_back();
  Value rowInside =
      rows.sizes.empty()
          ? Value()
          : lowering->globalInBounds(rows, rowOffsets, outer, outerDims);
  if (!column)
    column = lowering->i64(0);
  return validOf(column, rowInside);
}
