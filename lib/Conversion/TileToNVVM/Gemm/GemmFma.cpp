//===- GemmFma.cpp - lowering of gemm to FMA ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread computes its elements of C by increasing k from shared memory:
// the path for what tensor cores do not do.
//
//===----------------------------------------------------------------------===//
#include "GemmOperands.h"
#include "Prepare/Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// A fragment operand spilled to scratch so that every thread can read it.
static FailureOr<SharedBuffer> throughScratch(KernelLowering &lowering,
                                              GemmOp gemm, Value buffer,
                                              int64_t &offset) {
  FailureOr<FragmentBuffer> fragment = lowering.fragment(buffer, gemm);
  if (failed(fragment))
    return failure();
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  SharedBuffer scratch = {lowering.scratch(offset), operandScratch(type)};
  offset += llvm::alignTo(scratch.layout.sizeInBytes(), 16);
  KernelLowering::SharedAddresses addresses(lowering, scratch, fragment->layout,
                                            {0, 1});
  SmallVector<Value> threadPart = lowering.threadCoordinates(fragment->layout);
  // Of those that hold the same elements one is enough.
  Value first = lowering.firstReplica(fragment->layout);
  for (int64_t r = 0, e = fragment->layout.numRegisters(); r < e; ++r) {
    Value inside = lowering.inBounds(fragment->layout, threadPart, r);
    if (first)
      inside = inside
                   ? lowering.builder.createOrFold<arith::AndIOp>(first, inside)
                   : first;
    auto store = [&] {
      LLVM::StoreOp::create(
          lowering.builder,
          lowering.toStorage(lowering.loadRegister(*fragment, element, r)),
          addresses(r));
    };
    if (!inside) {
      store();
      continue;
    }
    auto branch = scf::IfOp::create(lowering.builder, inside, false);
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPointToStart(branch.thenBlock());
    store();
  }
  return scratch;
}

LogicalResult tile::nvvm::lowerFma(KernelLowering &lowering, GemmOp gemm) {
  auto &b = lowering.builder;
  FailureOr<FragmentBuffer> accumulator = lowering.fragment(gemm.getC(), gemm);
  if (failed(accumulator))
    return failure();
  int64_t scratchOffset = 0;
  bool anyFragment = isFragment(gemm.getA()) || isFragment(gemm.getB());
  SmallVector<SharedBuffer> operands;
  for (Value operand : {gemm.getA(), gemm.getB()}) {
    FailureOr<SharedBuffer> buffer =
        isShared(operand)
            ? lowering.shared(operand, gemm)
            : throughScratch(lowering, gemm, operand, scratchOffset);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  if (anyFragment)
    lowering.barrier();

  auto elementOf = [](Value v) {
    return cast<MemRefType>(v.getType()).getElementType();
  };
  Type aType = elementOf(gemm.getA()), bType = elementOf(gemm.getB());
  Type cType = elementOf(gemm.getC());
  Type wide = cType;
  const FragmentLayout &layout = accumulator->layout;
  SmallVector<Value> threadPart = lowering.threadCoordinates(layout);
  int64_t count = layout.numRegisters();
  if (gemm.getClear())
    for (int64_t r = 0; r < count; ++r)
      lowering.storeRegister(
          *accumulator, cType, r,
          arith::ConstantOp::create(b, b.getZeroAttr(cType)));
  // Coordinates that overshoot are clamped: their products go to registers that
  // nobody reads.
  auto clamp = [&](Value base, int64_t constant, int64_t extent,
                   int64_t largest) {
    Value value = lowering.addConst(base, constant);
    if (largest + constant < extent)
      return value;
    return b.createOrFold<arith::MinUIOp>(value, lowering.i32(extent - 1));
  };
  SmallVector<int64_t> largest(2, 0);
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (const Mode &mode : layout.modes(axis))
      if (!mode.isReplication())
        largest[mode.dim] += (mode.extent - 1) * mode.stride;
  auto loop = scf::ForOp::create(b, lowering.toIndex(lowering.i64(0)),
                                 lowering.toIndex(lowering.i64(gemm.getK())),
                                 lowering.toIndex(lowering.i64(1)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = lowering.toI32(loop.getInductionVar());
    std::map<int64_t, Value> rows, columns;
    auto element = [&](const SharedBuffer &buffer, Type type, Value outer,
                       bool outerFirst, bool isUnsigned) {
      SmallVector<Value> at = {outer, k};
      if (!outerFirst)
        std::swap(at[0], at[1]);
      Value stored = LLVM::LoadOp::create(b, lowering.storageType(type),
                                          lowering.sharedElement(buffer, at));
      return lowering.convertElement(lowering.fromStorage(stored, type), wide,
                                     isUnsigned);
    };
    for (int64_t r = 0; r < count; ++r) {
      SmallVector<int64_t> at = layout.axisCoordinates(Axis::Register, r);
      Value &row = rows[at[0]];
      if (!row)
        row = element(operands[0], aType,
                      clamp(threadPart[0], at[0], gemm.getM(), largest[0]),
                      !gemm.getTransposeA(), gemm.getUnsignedA());
      Value &column = columns[at[1]];
      if (!column)
        column = element(operands[1], bType,
                         clamp(threadPart[1], at[1], gemm.getN(), largest[1]),
                         gemm.getTransposeB(), gemm.getUnsignedB());
      Value old = lowering.loadRegister(*accumulator, cType, r);
      Value sum;
      if (isa<FloatType>(cType))
        sum = math::FmaOp::create(b, row, column, old);
      else
        sum = arith::AddIOp::create(b, old,
                                    arith::MulIOp::create(b, row, column));
      lowering.storeRegister(*accumulator, cType, r, sum);
    }
  }
  return success();
}
