//===- Scratch.cpp - shared memory that single operations use -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Scratch.h"
#include "Reduce/ScanDigits.h"
#include "RegisterMap.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tile/Conversion/Combination.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

/// Scratch memory gives each element bytes of its own.
static int64_t bitsOf(Type element) {
  return std::max<int64_t>(8, getStorageBits(element));
}

int64_t tile::nvvm::warpScratchBytes(Type type, int64_t count,
                                     int64_t threads) {
  return count * threads *
         std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

int64_t tile::nvvm::warpScratchBytes(ArrayRef<Type> types, int64_t count,
                                     int64_t threads) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes += llvm::alignTo(warpScratchBytes(type, count, threads), 16);
  return bytes;
}

bool tile::nvvm::haveSameResult(const Mode &mode, unsigned dim) {
  return mode.isReplication() || mode.dim == static_cast<int>(dim);
}

int64_t tile::nvvm::lanesWithResults(const FragmentLayout &layout,
                                     unsigned dim) {
  int64_t lanes = 1;
  for (const Mode &mode : layout.modes(Axis::Lane))
    if (!haveSameResult(mode, dim))
      lanes *= mode.extent;
  return lanes;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool tile::nvvm::convertsInRegisters(const ConversionClass &conversion,
                                     const FragmentLayout &from,
                                     const FragmentLayout &to) {
  if (conversion.kind == ConversionKind::Identity)
    return true;
  return conversion.kind == ConversionKind::RegisterRename &&
         sameThreads(to, from,
                     llvm::to_vector(llvm::seq<unsigned>(0, to.rank())));
}

std::optional<WarpShuffle>
tile::nvvm::shuffleOf(const ConversionClass &conversion,
                      const FragmentLayout &from, const FragmentLayout &to,
                      Type type) {
  // Elements of fewer bits than a byte share bytes in registers.
  int bits = getStorageBits(type);
  if (bits % 8 != 0 || conversion.kind == ConversionKind::SharedMemory)
    return std::nullopt;
  return WarpShuffle::plan(from, to, bits);
}

bool tile::nvvm::convertsWithinWarps(ConvertLayoutOp op) {
  FragmentLayoutAttr from = getFragmentLayout(op.getSource());
  FragmentLayoutAttr to = getFragmentLayout(op.getTarget());
  if (!from || !to)
    return false;
  auto conversion = classifyConversion(from.getLayout(), to.getLayout());
  Type type = cast<MemRefType>(op.getSource().getType()).getElementType();
  return conversion &&
         (convertsInRegisters(*conversion, from.getLayout(), to.getLayout()) ||
          shuffleOf(*conversion, from.getLayout(), to.getLayout(), type));
}

SharedLayout tile::nvvm::conversionScratch(MemRefType type) {
  // Rows are padded by 16 bytes against bank conflicts.
  int64_t bits = bitsOf(type.getElementType());
  return SharedLayout::rowMajor(type.getShape(), bits,
                                std::max<int64_t>(1, 16 * 8 / bits));
}

static FailureOr<int64_t> bytesOfConversion(ConvertLayoutOp op) {
  FragmentLayoutAttr from = getFragmentLayout(op.getSource());
  FragmentLayoutAttr to = getFragmentLayout(op.getTarget());
  if (!from || !to)
    return op.emitOpError() << "expected layouts: run --tile-infer-layouts";
  auto conversion = classifyConversion(from.getLayout(), to.getLayout());
  if (!conversion)
    return op.emitOpError() << conversion.reason();
  if (convertsWithinWarps(op))
    return 0;
  return conversionScratch(cast<MemRefType>(op.getSource().getType()))
      .sizeInBytes();
}

SharedLayout tile::nvvm::operandScratch(MemRefType type) {
  return SharedLayout::rowMajor(type.getShape(), bitsOf(type.getElementType()));
}

static int64_t bytesOfGemm(GemmOp op) {
  // By FMA every thread reads elements of both operands.
  const MmaTraits &traits = traitsOf(op);
  if (traits.readsByDescriptor || traits.loadsOperandFragments)
    return 0;
  int64_t bytes = 0;
  for (Value operand : {op.getA(), op.getB()})
    if (isFragment(operand))
      bytes += llvm::alignTo(
          operandScratch(cast<MemRefType>(operand.getType())).sizeInBytes(),
          16);
  return bytes;
}

bool tile::nvvm::isSpreadOverWarps(const FragmentLayout &layout, unsigned dim) {
  return llvm::any_of(layout.modes(Axis::Warp), [&](const Mode &mode) {
    return mode.dim == static_cast<int>(dim) && mode.extent > 1;
  });
}

static int64_t bytesOfReduction(const Reduction &op, int64_t threads,
                                KernelOp kernel, const TargetInfo &target) {
  auto hasLayout = [](Value buffer) { return bool(getFragmentLayout(buffer)); };
  if (!llvm::all_of(op.sources, hasLayout) ||
      !llvm::all_of(op.targets, hasLayout) ||
      !isSpreadOverWarps(getFragmentLayout(op.sources.front()).getLayout(),
                         op.dim))
    return 0;
  FragmentLayout source = getFragmentLayout(op.sources.front()).getLayout();
  return warpScratchBytes(
      op.combiner.workingTypes(), resultsAtATime(op, kernel, target),
      threads / kWarpSize * lanesWithResults(source, op.dim));
}

static FailureOr<int64_t> bytesOfScan(const Scan &op, int64_t threads) {
  if (!op.layout)
    return op.op->emitOpError()
           << "expected a loop layout: run --tile-infer-layouts";
  return scanScratchBytes(op, threads);
}

bool tile::nvvm::mayUseScratch(Operation *op) {
  return isa<ConvertLayoutOp, GemmOp, ReduceOp, ReduceWithOp, ScanOp,
             ScanWithOp, memref::AtomicRMWOp, LastArrivalOp>(op) &&
         !op->getParentOfType<TileOpInterface>();
}

FailureOr<int64_t> tile::nvvm::scratchBytes(Operation *op, int64_t threads,
                                            KernelOp kernel,
                                            const TargetInfo &target) {
  using Result = FailureOr<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](ConvertLayoutOp convert) { return bytesOfConversion(convert); })
      .Case([](GemmOp gemm) -> Result { return bytesOfGemm(gemm); })
      .Case<ReduceOp, ReduceWithOp>([&](auto reduce) -> Result {
        return bytesOfReduction(Reduction(reduce), threads, kernel, target);
      })
      .Case<ScanOp, ScanWithOp>(
          [&](auto scan) { return bytesOfScan(Scan(scan), threads); })
      .Case([](memref::AtomicRMWOp rmw) -> Result {
        // What it was reaches the threads that did not update it.
        return rmw.getResult().use_empty()
                   ? 0
                   : bitsOf(rmw.getResult().getType()) / 8;
      })
      .Case([](LastArrivalOp) -> Result { return sizeof(int32_t); })
      .Default([](Operation *) -> Result { return 0; });
}
