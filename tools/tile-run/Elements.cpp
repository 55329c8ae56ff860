//===- Elements.cpp - elements in memory and as numbers -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::run;

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

uint64_t run::loadBitsAt(Type type, const char *data, int64_t number) {
  if (run::isPacked(type))
    return static_cast<unsigned char>(data[number / 2]) >> 4 * (number % 2) &
           0xf;
  return loadBits(type, data + number * run::elementBytes(type));
}

void run::storeBitsAt(Type type, char *data, int64_t number, uint64_t bits) {
  if (!run::isPacked(type))
    return storeBits(type, data + number * run::elementBytes(type), bits);
  unsigned shift = 4 * (number % 2);
  char &byte = data[number / 2];
  byte = (byte & ~(0xf << shift)) | (bits & 0xf) << shift;
}

void run::storeElement(Type type, void *place, double value) {
  storeBits(type, place, ElementWriter(type).encode(value));
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
    return bits <= 1 ? static_cast<double>(bits)
                     : std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(llvm::SignExtend64(bits, bitsOf(type)));
}

Number run::loadNumber(Type type, const char *data, int64_t place) {
  bool isBool = type.isInteger(1);
  uint64_t code = isBool ? static_cast<unsigned char>(data[place])
                         : loadBitsAt(type, data, place);
  Number number = {decode(type, code), std::nullopt};
  if (!isa<FloatType>(type) && !std::isnan(number.value))
    number.integer = isBool ? static_cast<int64_t>(code)
                            : llvm::SignExtend64(code, bitsOf(type));
  return number;
}

static std::string textOf(const Number &number, int digits) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (number.integer)
    stream << *number.integer;
  else
    stream << llvm::format("%.*g", digits, number.value);
  return text;
}

std::pair<std::string, std::string> run::textsOf(const Number &one,
                                                 const Number &other) {
  constexpr int kUsual = 9, kAll = 17; // what tells any two f32, f64 apart
  std::string first = textOf(one, kUsual), second = textOf(other, kUsual);
  if (first != second)
    return {first, second};
  return {textOf(one, kAll), textOf(other, kAll)};
}

double run::roundTo(Type type, double value) {
  return decode(type, ElementWriter(type).encode(value));
}

double run::unitRoundoff(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 0;
  return std::ldexp(1.0, -static_cast<int>(floatType.getFPMantissaWidth()));
}

double run::largestNumber(Type type) {
  bool lossy = false;
  llvm::APFloat largest =
      llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics());
  largest.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lossy);
  return largest.convertToDouble();
}

double run::smallestRoundoff(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 0;
  // For f64 this is 0, which is what half of the smallest number rounds to.
  bool lossy = false;
  llvm::APFloat smallest =
      llvm::APFloat::getSmallest(floatType.getFloatSemantics());
  smallest.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &lossy);
  return smallest.convertToDouble() / 2;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

ElementReader::ElementReader(Type type) : type(type) {
  if (bitsOf(type) > 16)
    return;
  // An i1 has a byte, of which two values are its own.
  table.resize(size_t(1) << (type.isInteger(1) ? 8 : bitsOf(type)));
  for (size_t code = 0; code < table.size(); ++code)
    table[code] = decode(type, code);
}

/// Elements that C++ has a type of, or whose code is a number of it.
template <typename T, typename V, typename F>
static void readAs(const char *data, int64_t place, int64_t stride,
                   int64_t count, V *values, F convert) {
  const char *from = data + place * int64_t(sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * stride * int64_t(sizeof(T)), sizeof(T));
    values[i] = convert(value);
  }
}

void ElementReader::read(const char *data, int64_t place, int64_t stride,
                         int64_t count, double *values) const {
  auto same = [](auto value) { return static_cast<double>(value); };
  auto fromTable = [this](auto code) { return table[code]; };
  unsigned bits = bitsOf(type);
  if (bits == 16)
    return readAs<uint16_t>(data, place, stride, count, values, fromTable);
  if (bits == 8 || bits == 1)
    return readAs<uint8_t>(data, place, stride, count, values, fromTable);
  if (type.isF32())
    return readAs<float>(data, place, stride, count, values, same);
  if (type.isF64())
    return readAs<double>(data, place, stride, count, values, same);
  if (!isa<FloatType>(type) && bits == 32)
    return readAs<int32_t>(data, place, stride, count, values, same);
  if (!isa<FloatType>(type) && bits == 64)
    return readAs<int64_t>(data, place, stride, count, values, same);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t code = loadBitsAt(type, data, place + i * stride);
    values[i] = table.empty() ? decode(type, code) : table[code];
  }
}

void ElementReader::readIntegers(const char *data, int64_t place,
                                 int64_t stride, int64_t count,
                                 int64_t *values) const {
  auto same = [](auto value) { return static_cast<int64_t>(value); };
  switch (bitsOf(type)) {
  case 1:
    return readAs<uint8_t>(data, place, stride, count, values, same);
  case 8:
    return readAs<int8_t>(data, place, stride, count, values, same);
  case 16:
    return readAs<int16_t>(data, place, stride, count, values, same);
  case 32:
    return readAs<int32_t>(data, place, stride, count, values, same);
  case 64:
    return readAs<int64_t>(data, place, stride, count, values, same);
  default:
    for (int64_t i = 0; i < count; ++i)
      values[i] = llvm::SignExtend64(loadBitsAt(type, data, place + i * stride),
                                     bitsOf(type));
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

ElementWriter::ElementWriter(Type type) : type(type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    kind = type.isInteger(1) ? Kind::Bool : Kind::Integer;
    return;
  }
  if (type.isF64() || type.isF32() || isa<Float8E8M0FNUType>(type)) {
    kind = type.isF64() ? Kind::F64 : type.isF32() ? Kind::F32 : Kind::Exponent;
    return;
  }
  kind = Kind::Narrow;
  const llvm::fltSemantics &format = floatType.getFloatSemantics();
  unsigned bits = floatType.getWidth();
  auto code = [](const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  };
  sign = uint64_t(1) << (bits - 1);
  largest = code(llvm::APFloat::getLargest(format));
  bool saturates = bits < 16;
  overflow = saturates ? largest : code(llvm::APFloat::getInf(format));
  nan = llvm::APFloat::semanticsHasNaN(format)
            ? code(llvm::APFloat::getNaN(format))
            : largest;
  mantissa = static_cast<int>(floatType.getFPMantissaWidth()) - 1;
  smallestExponent = llvm::ilogb(llvm::APFloat::getSmallestNormalized(format));
  largestExponent = llvm::ilogb(llvm::APFloat::getLargest(format));
}

/// Rounds to nearest even by the bits of the f64, which has more of everything.
uint64_t ElementWriter::encodeNarrow(double value) const {
  constexpr int kMantissa = 52, kBias = 1023;
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint64_t signCode = bits >> 63 ? sign : 0;
  bits &= llvm::maskTrailingOnes<uint64_t>(63);
  int exponent = static_cast<int>(bits >> kMantissa) - kBias;
  if (exponent > kBias) // infinite or NaN
    return std::isnan(value) ? nan : overflow | signCode;
  if (exponent > largestExponent)
    return overflow | signCode;
  int kept = std::max(exponent, smallestExponent);
  int shift = kMantissa - mantissa + kept - exponent;
  if (shift > kMantissa + 1) // less than half the smallest, or 0
    return signCode;
  uint64_t digits = (bits & llvm::maskTrailingOnes<uint64_t>(kMantissa)) |
                    uint64_t(1) << kMantissa;
  uint64_t rest = digits & llvm::maskTrailingOnes<uint64_t>(shift);
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t code = digits >> shift;
  code += rest > half || (rest == half && (code & 1));
  // The leading digit of a normal number counts as one more exponent.
  code += static_cast<uint64_t>(kept - smallestExponent) << mantissa;
  return (code > largest ? overflow : code) | signCode;
}

uint64_t ElementWriter::encode(double value) const {
  switch (kind) {
  case Kind::Integer:
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  case Kind::Bool:
    return value != 0;
  case Kind::Narrow:
    return encodeNarrow(value);
  case Kind::Exponent:
    if (std::isnan(value) || value <= 0)
      return std::isnan(value) ? 0xff : 0;
    if (std::isinf(value))
      return 254;
    return std::clamp(std::ilogb(value) + 127, 0, 254);
  case Kind::F32:
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  case Kind::F64:
    return llvm::bit_cast<uint64_t>(value);
  }
  llvm_unreachable("all kinds are listed");
}

template <typename T, typename F>
static void writeAs(char *data, int64_t place, int64_t stride, int64_t count,
                    const double *values, F convert) {
  char *to = data + place * int64_t(sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value = static_cast<T>(convert(values[i]));
    std::memcpy(to + i * stride * int64_t(sizeof(T)), &value, sizeof(T));
  }
}

void ElementWriter::write(char *data, int64_t place, int64_t stride,
                          int64_t count, const double *values) const {
  auto narrow = [this](double value) { return encodeNarrow(value); };
  auto integer = [](double value) { return static_cast<int64_t>(value); };
  auto same = [](double value) { return value; };
  unsigned bits = bitsOf(type);
  if (kind == Kind::Narrow && bits == 16)
    return writeAs<uint16_t>(data, place, stride, count, values, narrow);
  if (kind == Kind::Narrow && bits == 8)
    return writeAs<uint8_t>(data, place, stride, count, values, narrow);
  if (kind == Kind::F32)
    return writeAs<float>(data, place, stride, count, values, same);
  if (kind == Kind::F64)
    return writeAs<double>(data, place, stride, count, values, same);
  if (kind == Kind::Integer && bits == 32)
    return writeAs<uint32_t>(data, place, stride, count, values, integer);
  if (kind == Kind::Integer && bits == 64)
    return writeAs<uint64_t>(data, place, stride, count, values, integer);
  for (int64_t i = 0; i < count; ++i)
    storeBitsAt(type, data, place + i * stride, encode(values[i]));
}
