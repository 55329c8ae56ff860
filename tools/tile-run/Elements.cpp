//===- Elements.cpp - elements in memory and as numbers -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::tile;

static unsigned bitsOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

int64_t run::elementBytes(Type type) {
  return llvm::divideCeil(bitsOf(type), 8);
}

bool run::isPacked(Type type) { return bitsOf(type) == 4; }

int64_t run::bytesOf(Type type, int64_t count) {
  return isPacked(type) ? llvm::divideCeil(count, 2)
                        : count * elementBytes(type);
}

static uint64_t loadBits(Type type, const void *place) {
  uint64_t bits = 0;
  std::memcpy(&bits, place, run::elementBytes(type));
  return bits & llvm::maskTrailingOnes<uint64_t>(bitsOf(type));
}

static void storeBits(Type type, void *place, uint64_t bits) {
  bits &= llvm::maskTrailingOnes<uint64_t>(bitsOf(type));
  std::memcpy(place, &bits, run::elementBytes(type));
}

void run::storeInteger(Type type, void *place, int64_t value) {
  storeBits(type, place, static_cast<uint64_t>(value));
}

static double decode(Type type, uint64_t bits) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(floatType.getFloatSemantics(),
                        llvm::APInt(bitsOf(type), bits));
    bool lossy = false;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  if (type.isInteger(1))
    return static_cast<double>(bits);
  return static_cast<double>(llvm::SignExtend64(bits, bitsOf(type)));
}

/// The code of `value` in a format of at most 16 bits with a sign.
static uint64_t encodeSmall(FloatType type, double value) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  unsigned bits = type.getWidth();
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (bits - 1) : 0;
  llvm::APFloat largest = llvm::APFloat::getLargest(format);
  uint64_t largestCode = largest.bitcastToAPInt().getZExtValue();
  bool saturates = bits < 16;
  if (std::isnan(value)) {
    if (isa<Float4E2M1FNType>(type))
      return largestCode;
    return llvm::APFloat::getNaN(format).bitcastToAPInt().getZExtValue();
  }
  int mantissa = static_cast<int>(type.getFPMantissaWidth()) - 1;
  int smallestExponent =
      llvm::ilogb(llvm::APFloat::getSmallestNormalized(format));
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::isinf(magnitude)
                     ? 2000
                     : std::max(std::ilogb(magnitude), smallestExponent);
  uint64_t code = largestCode + 1;
  if (exponent <= llvm::ilogb(largest))
    code = static_cast<uint64_t>(
               std::nearbyint(std::ldexp(magnitude, mantissa - exponent))) +
           (static_cast<uint64_t>(exponent - smallestExponent) << mantissa);
  if (code > largestCode)
    code = saturates
               ? largestCode
               : llvm::APFloat::getInf(format).bitcastToAPInt().getZExtValue();
  return code | sign;
}

static uint64_t encode(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (type.isF64())
      return llvm::bit_cast<uint64_t>(value);
    if (type.isF32())
      return llvm::bit_cast<uint32_t>(static_cast<float>(value));
    if (isa<Float8E8M0FNUType>(type)) {
      if (std::isnan(value) || value <= 0)
        return std::isnan(value) ? 0xff : 0;
      return std::clamp(std::ilogb(value) + 127, 0, 254);
    }
    return encodeSmall(floatType, value);
  }
  if (type.isInteger(1))
    return value != 0;
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

void run::storeElement(Type type, void *place, double value) {
  storeBits(type, place, encode(type, value));
}

static uint64_t loadBitsAt(Type type, const char *data, int64_t number) {
  if (run::isPacked(type))
    return static_cast<unsigned char>(data[number / 2]) >> 4 * (number % 2) &
           0xf;
  return loadBits(type, data + number * run::elementBytes(type));
}

static void storeBitsAt(Type type, char *data, int64_t number, uint64_t bits) {
  if (!run::isPacked(type))
    return storeBits(type, data + number * run::elementBytes(type), bits);
  unsigned shift = 4 * (number % 2);
  char &byte = data[number / 2];
  byte = (byte & ~(0xf << shift)) | (bits & 0xf) << shift;
}

void run::storeElementAt(Type type, char *data, int64_t number, double value) {
  storeBitsAt(type, data, number, encode(type, value));
}

void run::storeIntegerAt(Type type, char *data, int64_t number, int64_t value) {
  storeBitsAt(type, data, number, static_cast<uint64_t>(value));
}

bool run::isSameElement(Type type, const char *one, const char *other,
                        int64_t number) {
  return loadBitsAt(type, one, number) == loadBitsAt(type, other, number);
}

double run::loadElement(Type type, const void *place) {
  return decode(type, loadBits(type, place));
}

double run::roundTo(Type type, double value) {
  return decode(type, encode(type, value));
}

std::vector<double> run::loadElements(Type type, const void *data,
                                      size_t count) {
  auto *bytes = static_cast<const char *>(data);
  std::vector<double> values(count);
  if (bitsOf(type) <= 16 && count > 65536) {
    std::vector<double> table(size_t(1) << bitsOf(type));
    for (size_t code = 0; code < table.size(); ++code)
      table[code] = decode(type, code);
    for (size_t i = 0; i < count; ++i)
      values[i] = table[loadBitsAt(type, bytes, i)];
    return values;
  }
  for (size_t i = 0; i < count; ++i) {
    if (type.isF32()) {
      float value;
      std::memcpy(&value, bytes + i * 4, 4);
      values[i] = value;
    } else {
      values[i] = decode(type, loadBitsAt(type, bytes, i));
    }
  }
  return values;
}

double run::unitRoundoff(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 0;
  return std::ldexp(1.0, -static_cast<int>(floatType.getFPMantissaWidth()));
}
