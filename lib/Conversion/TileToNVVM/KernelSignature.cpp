//===- KernelSignature.cpp - arguments and block indices ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a kernel's function in the order of the artifact format,
// and what the kernel's code knows of them: sizes, strides, alignment.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tile/Analysis/Divisibility.h"
#include "tile/Conversion/BlockOrder.h"
#include "tile/Dialect/Tile/IR/Aliasing.h"
#include "tile/Dialect/Tile/IR/Instructions.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

void tile::nvvm::appendParameters(Type type,
                                  SmallVectorImpl<Type> &parameters) {
  MLIRContext *context = type.getContext();
  Type i64 = IntegerType::get(context, 64);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    if (type.isIndex())
      type = i64;
    else if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
      type = IntegerType::get(context, 8);
    parameters.push_back(type);
    return;
  }
  parameters.push_back(LLVM::LLVMPointerType::get(context, 1));
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)memref.getStridesAndOffset(strides, offset);
  for (int64_t size : memref.getShape())
    if (ShapedType::isDynamic(size))
      parameters.push_back(i64);
  if (!memref.getLayout().isIdentity())
    for (int64_t stride : strides)
      if (ShapedType::isDynamic(stride))
        parameters.push_back(i64);
}

/// Arguments whose memory changes while the kernel runs, in a way that LLVM
/// does not see at their pointers: other blocks write what atomic loads read,
/// and the asynchronous proxy writes by tensor maps. As `noalias` ones that are
/// only read, they would be read through the cache that nobody keeps up to
/// date, and the assembler would move such loads in front of barriers.
static llvm::SmallDenseSet<Value> changedUnseen(KernelOp kernel) {
  llvm::SmallDenseSet<Value> arguments;
  kernel.walk([&](Operation *op) {
    if (auto access = dyn_cast<TileElementOpInterface>(op);
        access && !access.writesElement())
      arguments.insert(getBaseBuffer(access.getMemref()));
    for (Value buffer : op->getOperands())
      if (isGlobal(buffer) && writesThroughAsyncProxy(op, buffer))
        arguments.insert(getBaseBuffer(buffer));
  });
  return arguments;
}

Value KernelLowering::addParameter(Type type,
                                   ArrayRef<NamedAttribute> attributes) {
  LLVM::LLVMFunctionType before = function.getFunctionType();
  SmallVector<Type> parameters(before.getParams());
  SmallVector<DictionaryAttr> allAttributes;
  function.getAllArgAttrs(allAttributes);
  parameters.push_back(type);
  allAttributes.push_back(builder.getDictionaryAttr(attributes));
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(before.getReturnType(), parameters));
  entry->addArgument(type, builder.getLoc());
  function.setAllArgAttrs(allAttributes);
  return entry->getArguments().back();
}

void tile::nvvm::bindArguments(KernelLowering &lowering,
                               LLVM::LLVMFuncOp function) {
  KernelOp kernel = lowering.kernel;
  llvm::SmallDenseSet<Value> shared = changedUnseen(kernel);
  unsigned next = 0;
  for (unsigned i = 0; i < kernel.getNumKernelArguments(); ++i) {
    BlockArgument argument = kernel.getKernelArgument(i);
    auto memref = dyn_cast<MemRefType>(argument.getType());
    Value parameter = function.getArgument(next);
    if (!memref) {
      Type type = argument.getType();
      Value value = parameter;
      if (type.isIndex())
        value = arith::IndexCastOp::create(lowering.builder, type, value);
      else if (type != parameter.getType())
        value = arith::BitcastOp::create(lowering.builder, type, value);
      argument.replaceAllUsesWith(value);
      lowering.scalars[i] = value;
      ++next;
      continue;
    }
    if (!kernel.mayAlias(i) && !shared.contains(argument))
      function.setArgAttr(next, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(kernel.getContext()));
    // LLVM makes one wide access of narrow ones next to each other.
    function.setArgAttr(
        next, LLVM::LLVMDialect::getAlignAttrName(),
        lowering.builder.getI64IntegerAttr(kernel.getArgumentAlignment(i)));
    ++next;
    GlobalBuffer buffer;
    buffer.pointer = parameter;
    buffer.alignment = kernel.getArgumentAlignment(i);
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)memref.getStridesAndOffset(strides, offset);
    buffer.staticSizes = llvm::to_vector(memref.getShape());
    buffer.staticStrides = strides;
    for (int64_t size : memref.getShape())
      buffer.sizes.push_back(ShapedType::isDynamic(size)
                                 ? Value(function.getArgument(next++))
                                 : lowering.i64(size));
    buffer.strides.resize(strides.size());
    if (memref.getLayout().isIdentity()) {
      // Row-major: each stride is the product of the sizes behind it.
      Value stride = lowering.i64(1);
      for (int64_t d = memref.getRank(); d-- > 0;) {
        buffer.strides[d] = ShapedType::isDynamic(strides[d])
                                ? stride
                                : lowering.i64(strides[d]);
        stride = lowering.mul(buffer.strides[d], buffer.sizes[d]);
      }
    } else {
      for (auto [d, known] : llvm::enumerate(strides))
        buffer.strides[d] = ShapedType::isDynamic(known)
                                ? Value(function.getArgument(next++))
                                : lowering.i64(known);
    }
    for (int64_t d = 0; d < memref.getRank(); ++d) {
      buffer.strideDivisors.push_back(strideDivisor(argument, d));
      buffer.sizeDivisors.push_back(sizeDivisor(argument, d));
    }
    if (offset != 0 && !ShapedType::isDynamic(offset))
      buffer.pointer = LLVM::GEPOp::create(
          lowering.builder, buffer.pointer.getType(),
          lowering.builder.getI8Type(), buffer.pointer,
          ArrayRef<LLVM::GEPArg>{lowering.i64(
              offset * getStorageBits(memref.getElementType()) / 8)});
    lowering.globals[argument] = buffer;
  }
}

/// The range of one of the hardware's block indices where the grid's extent is
/// a constant; the launcher rounds it up to whole clusters.
static LLVM::ConstantRangeAttr blockIdRange(KernelOp kernel, unsigned d) {
  auto extent = dyn_cast<AffineConstantExpr>(kernel.getGrid().getResult(d));
  if (!extent || extent.getValue() <= 0)
    return {};
  int64_t cluster = kernel.getCluster() ? (*kernel.getCluster())[d] : 1;
  int64_t end = llvm::alignTo(extent.getValue(), cluster);
  if (end > std::numeric_limits<int32_t>::max())
    return {};
  return LLVM::ConstantRangeAttr::get(kernel.getContext(), 32, 0, end);
}

void tile::nvvm::bindBlockIds(KernelLowering &lowering) {
  KernelOp kernel = lowering.kernel;
  auto &b = lowering.builder;
  Type i32 = b.getI32Type();
  SmallVector<Value> ids, counts;
  unsigned rank = kernel.getGridRank();
  ids.push_back(NVVM::BlockIdXOp::create(b, i32, blockIdRange(kernel, 0)));
  if (rank > 1)
    ids.push_back(NVVM::BlockIdYOp::create(b, i32, blockIdRange(kernel, 1)));
  if (rank > 2)
    ids.push_back(NVVM::BlockIdZOp::create(b, i32, blockIdRange(kernel, 2)));
  if (kernel.getPanel() && rank > 1) {
    // The linear order of launch, taken panel by panel, whole clusters at a
    // time: blocks that share what they copy stay neighbours.
    SmallVector<int64_t> extents(rank, 1);
    if (kernel.getCluster())
      extents = llvm::to_vector(*kernel.getCluster());
    auto divide = [&](Value value, int64_t extent) -> Value {
      return extent == 1
                 ? value
                 : b.createOrFold<arith::DivUIOp>(value, lowering.i32(extent));
    };
    auto place = [&](unsigned d) -> Value {
      return extents[d] == 1 ? lowering.i32(0)
                             : b.createOrFold<arith::RemUIOp>(
                                   ids[d], lowering.i32(extents[d]));
    };
    Value countX = divide(NVVM::GridDimXOp::create(b, i32), extents[0]);
    Value countY = divide(NVVM::GridDimYOp::create(b, i32), extents[1]);
    Value number =
        lowering.add(lowering.mul(divide(ids[1], extents[1]), countX),
                     divide(ids[0], extents[0]));
    Value inCluster = place(0);
    if (extents[1] != 1)
      inCluster = lowering.add(
          inCluster, lowering.mul(place(1), lowering.i32(extents[0])));
    SmallVector<Value> ordered = buildBlockCoordinates(
        b, kernel.getLoc(), number, inCluster, {countX, countY},
        ArrayRef(extents).take_front(2), kernel.getPanel());
    llvm::copy(ordered, ids.begin());
  }
  for (auto [i, id] : llvm::enumerate(ids))
    kernel.getBlockId(i).replaceAllUsesWith(lowering.toIndex(id));
}
