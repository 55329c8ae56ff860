//===- SharedAddresses.cpp - where elements of shared tiles lie -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses from coordinates and from registers of a layout: what depends on
// the thread is computed once for a tile, the rest folds into constants.
//
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvvm;

Value KernelLowering::bytePointer(Value base, Value offset, int64_t constant) {
  auto &b = builder;
  Type i8 = b.getI8Type();
  Value pointer = base;
  if (offset)
    pointer = LLVM::GEPOp::create(b, base.getType(), i8, pointer,
                                  ArrayRef<LLVM::GEPArg>{offset});
  if (constant)
    pointer = LLVM::GEPOp::create(
        b, base.getType(), i8, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(constant)});
  return pointer;
}

static Value applySwizzle(KernelLowering &lowering, Swizzle swizzle,
                          Value bytes) {
  if (!swizzle.bits || !bytes)
    return bytes;
  auto &b = lowering.builder;
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
  Value shifted =
      b.createOrFold<arith::ShRUIOp>(bytes, lowering.i32(swizzle.shift));
  Value masked = b.createOrFold<arith::AndIOp>(shifted, lowering.i32(mask));
  return b.createOrFold<arith::XOrIOp>(bytes, masked);
}

/// Bits of an element's place before swizzling.
static int64_t linearBits(const SharedLayout &layout,
                          ArrayRef<int64_t> coordinates) {
  SmallVector<int64_t> rest(coordinates), last(layout.rank(), -1);
  for (auto [i, mode] : llvm::enumerate(layout.modes()))
    last[mode.dim] = i;
  int64_t elements = 0;
  for (auto [i, mode] : llvm::enumerate(layout.modes())) {
    bool isLast = last[mode.dim] == static_cast<int64_t>(i);
    elements +=
        (isLast ? rest[mode.dim] : rest[mode.dim] % mode.extent) * mode.stride;
    rest[mode.dim] /= mode.extent;
  }
  return elements * layout.elementBits();
}
/// The byte that an element lies in.
static int64_t linearBytes(const SharedLayout &layout,
                           ArrayRef<int64_t> coordinates) {
  return linearBits(layout, coordinates) / 8;
}

/// Whether a dimension lies in memory in several pieces (panels): its steps
/// are equal only as long as they stay inside one.
static bool isDivided(const SharedLayout &layout, unsigned dim) {
  return llvm::count_if(layout.modes(), [&](const Mode &mode) {
           return mode.dim == static_cast<int>(dim) && mode.extent > 1;
         }) > 1;
}

/// Bytes of an element; 1 for packed ones, whose offsets are counted in
/// elements and halved in the end.
static int64_t bytesPerStep(const SharedBuffer &buffer) {
  return std::max<int64_t>(1, buffer.layout.elementBits() / 8);
}

/// Offset before swizzling, in bytes or packed elements; null where it is zero.
static Value linearElement(KernelLowering &lowering, const SharedBuffer &buffer,
                           ArrayRef<Value> coordinates) {
  Value linear;
  SmallVector<int64_t> divisor(buffer.layout.rank(), 1);
  SmallVector<int64_t> last(buffer.layout.rank(), -1);
  for (auto [i, mode] : llvm::enumerate(buffer.layout.modes()))
    last[mode.dim] = i;
  for (auto [i, mode] : llvm::enumerate(buffer.layout.modes())) {
    Value d = digit(lowering, coordinates[mode.dim], divisor[mode.dim],
                    mode.extent, last[mode.dim] == static_cast<int64_t>(i));
    divisor[mode.dim] *= mode.extent;
    linear = lowering.add(
        linear, lowering.mulConst(d, mode.stride * bytesPerStep(buffer)));
  }
  return linear;
}

Value KernelLowering::sharedElement(const SharedBuffer &buffer,
                                    ArrayRef<Value> coordinates) {
  if (buffer.layout.elementBits() < 8)
    return sharedPlace(buffer, coordinates).pointer;
  Value linear = linearElement(*this, buffer, coordinates);
  return bytePointer(buffer.base,
                     applySwizzle(*this, buffer.layout.swizzle(), linear), 0);
}

PackedPlace KernelLowering::sharedPlace(const SharedBuffer &buffer,
                                        ArrayRef<Value> coordinates) {
  Value linear = linearElement(*this, buffer, coordinates);
  if (!linear)
    return {buffer.base, Value()};
  Value half = builder.createOrFold<arith::AndIOp>(linear, i32(1));
  Value bytes = builder.createOrFold<arith::ShRUIOp>(linear, i32(1));
  return {bytePointer(buffer.base,
                      applySwizzle(*this, buffer.layout.swizzle(), bytes), 0),
          mulConst(half, 4)};
}

KernelLowering::SharedAddresses::SharedAddresses(KernelLowering &lowering,
                                                 const SharedBuffer &buffer,
                                                 const FragmentLayout &layout,
                                                 ArrayRef<unsigned> dims,
                                                 ArrayRef<Value> offsets,
                                                 Value lane)
    : lowering(lowering), buffer(buffer), layout(layout),
      dims(dims.begin(), dims.end()), offsets(offsets.begin(), offsets.end()),
      lane(lane) {
  separable = true;
  for (Value offset : offsets) {
    IntegerAttr constant;
    if (matchPattern(offset, m_Constant(&constant)))
      constantOffsets.push_back(constant.getInt());
    else
      separable = false;
  }
  // Where a dimension is divided, the thread part and the rest must not carry
  // into each other: bits of their own, of powers of two.
  dividedBits.assign(buffer.layout.rank(), 0);
  for (const Mode &mode : buffer.layout.modes())
    if (isDivided(buffer.layout, mode.dim))
      separable &= llvm::isPowerOf2_64(mode.extent);
  auto bytesAt = [&](unsigned dim, int64_t coordinate) {
    SmallVector<int64_t> coordinates(buffer.layout.rank(), 0);
    coordinates[dim] = coordinate;
    return linearBytes(buffer.layout, coordinates);
  };
  for (Axis axis : {Axis::Lane, Axis::Warp})
    for (const Mode &mode : layout.modes(axis)) {
      if (mode.isReplication() || mode.extent == 1)
        continue;
      unsigned dim = this->dims[mode.dim];
      SmallVector<int64_t> step(buffer.layout.rank(), 0);
      step[dim] = mode.stride;
      separable &= linearBits(buffer.layout, step) % 8 == 0;
      if (!isDivided(buffer.layout, dim))
        continue;
      int64_t bits = (mode.extent - 1) * mode.stride;
      separable &=
          llvm::isPowerOf2_64(mode.extent) &&
          llvm::isPowerOf2_64(mode.stride) && !(dividedBits[dim] & bits) &&
          bytesAt(dim, bits) == (mode.extent - 1) * bytesAt(dim, mode.stride);
      dividedBits[dim] |= bits;
    }
  if (!separable) {
    threadPart = lowering.threadCoordinates(layout, lane);
    return;
  }
  // Bytes of the thread part, and the bits it can set over all threads.
  Value bytes;
  SmallVector<int64_t> values = {0};
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    Value index;
    for (auto [number, mode] : llvm::enumerate(layout.modes(axis))) {
      if (!mode.isReplication() && mode.extent > 1) {
        int64_t step = bytesAt(this->dims[mode.dim], mode.stride);
        if (step) {
          Value d = lowering.threadDigit(layout, axis, number, index, lane);
          bytes = lowering.add(bytes, lowering.mulConst(d, step));
          SmallVector<int64_t> next;
          for (int64_t value : values)
            for (int64_t i = 0; i < mode.extent; ++i)
              next.push_back(value + i * step);
          values = std::move(next);
        }
      }
    }
  }
  for (int64_t value : values)
    threadBits |= value;
  swizzledThread = applySwizzle(lowering, buffer.layout.swizzle(), bytes);
}

bool KernelLowering::SharedAddresses::exchange(Value turns, int64_t reg) {
  if (!separable || !swizzledThread || !byLowBits.empty())
    return false;
  Swizzle swizzle = buffer.layout.swizzle();
  int64_t span = int64_t(1) << (swizzle.base + swizzle.shift + swizzle.bits);
  int64_t first = linearBytes(buffer.layout, constantsOf(0));
  int64_t delta = linearBytes(buffer.layout, constantsOf(reg)) ^ first;
  if (delta >= span)
    return false;
  for (int64_t r = 0, e = layout.numRegisters(); r < e; ++r) {
    SmallVector<int64_t> coords = constantsOf(r);
    int64_t constant = linearBytes(buffer.layout, coords);
    for (auto [coord, bits] : llvm::zip(coords, dividedBits))
      if (coord & bits)
        return false;
    if ((constant & (span - 1) & threadBits) ||
        linearBytes(buffer.layout, constantsOf(r ^ reg)) != (constant ^ delta))
      return false;
  }
  auto &b = lowering.builder;
  Value turned = b.createOrFold<arith::XOrIOp>(
      swizzledThread, lowering.i32(swizzle.apply(delta)));
  swizzledThread =
      b.createOrFold<arith::SelectOp>(turns, turned, swizzledThread);
  exchanges = true;
  return true;
}

/// Coordinates of a register where nothing is separated.
SmallVector<Value> KernelLowering::SharedAddresses::valuesOf(int64_t reg) {
  SmallVector<int64_t> constants = layout.axisCoordinates(Axis::Register, reg);
  SmallVector<Value> coords(buffer.layout.rank());
  for (unsigned d = 0; d < layout.rank(); ++d)
    coords[dims[d]] = lowering.addConst(threadPart[d], constants[d]);
  for (unsigned d = 0; d < coords.size(); ++d) {
    if (!offsets.empty())
      coords[d] = lowering.add(coords[d], offsets[d]);
    if (!coords[d])
      coords[d] = lowering.i32(0);
  }
  return coords;
}

SmallVector<int64_t>
KernelLowering::SharedAddresses::constantsOf(int64_t reg) const {
  SmallVector<int64_t> own = layout.axisCoordinates(Axis::Register, reg);
  SmallVector<int64_t> constants(buffer.layout.rank(), 0);
  for (unsigned d = 0; d < layout.rank(); ++d)
    constants[dims[d]] = own[d];
  for (auto [d, offset] : llvm::enumerate(constantOffsets))
    constants[d] += offset;
  return constants;
}

PackedPlace KernelLowering::SharedAddresses::place(int64_t reg) {
  if (!separable)
    return lowering.sharedPlace(buffer, valuesOf(reg));
  // What depends on the thread is whole bytes: the half is a constant.
  int64_t shift = linearBits(buffer.layout, constantsOf(reg)) % 8;
  return {(*this)(reg), shift ? lowering.i32(shift) : Value()};
}

Value KernelLowering::SharedAddresses::operator()(int64_t reg) {
  if (!separable)
    return lowering.sharedElement(buffer, valuesOf(reg));
  SmallVector<int64_t> coords = constantsOf(reg);
  int64_t constant = linearBytes(buffer.layout, coords);
  bool carries = false;
  for (auto [coord, bits] : llvm::zip(coords, dividedBits))
    carries |= (coord & bits) != 0;
  Swizzle swizzle = buffer.layout.swizzle();
  if (!swizzle.bits && !carries && !exchanges)
    return lowering.bytePointer(buffer.base, swizzledThread, constant);
  // Above the swizzled bits a constant adds; below, it XORs when the thread
  // part cannot set the same bits (then the sum is a union of bits).
  int64_t span = int64_t(1) << (swizzle.base + swizzle.shift + swizzle.bits);
  int64_t low = constant & (span - 1), high = constant - low;
  if (carries || (low & threadBits)) {
    // Not a union: recompute from coordinates.
    SmallVector<Value> parts = lowering.threadCoordinates(layout, lane);
    SmallVector<Value> full(buffer.layout.rank());
    for (unsigned d = 0; d < layout.rank(); ++d)
      full[dims[d]] = parts[d];
    for (auto [value, coord] : llvm::zip_equal(full, coords))
      value = lowering.addConst(value, coord);
    for (Value &value : full)
      if (!value)
        value = lowering.i32(0);
    return lowering.sharedElement(buffer, full);
  }
  int64_t swizzledLow = swizzle.apply(low);
  if (!swizzledThread)
    return lowering.bytePointer(buffer.base, lowering.i32(swizzledLow), high);
  Value &offset = byLowBits[low];
  if (!offset) {
    // Beside the thread part, where every later use is dominated.
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPointAfterValue(swizzledThread);
    offset = swizzledLow == 0 ? swizzledThread
                              : lowering.builder.createOrFold<arith::XOrIOp>(
                                    swizzledThread, lowering.i32(swizzledLow));
  }
  return lowering.bytePointer(buffer.base, offset, high);
}
