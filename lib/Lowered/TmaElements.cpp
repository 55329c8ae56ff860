//===- TmaElements.cpp - what TMA does to elements ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of elements that lie outside of a tensor, and the reductions of
// cp.reduce.async.bulk and cp.reduce.async.bulk.tensor (PTX ISA: the table of
// operations and types of a destination in global memory).
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace mlir::tile::lowered;
namespace cuda = mlir::tile::runtime::cuda;

void mlir::tile::lowered::tmaLoad(const TensorMapFields &map, void *to,
                                  const void *from, uint32_t count) {
  std::memcpy(to, from, count);
  if (map.type != cuda::kMapTFloat32)
    return;
  auto *bytes = static_cast<uint8_t *>(to);
  for (uint32_t i = 0; i + 4 <= count; i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes + i, sizeof(word));
    word = roundedToTf32(word);
    std::memcpy(bytes + i, &word, sizeof(word));
  }
}

void mlir::tile::lowered::tmaFill(const TensorMapFields &map, void *bytes,
                                  uint32_t count) {
  std::memset(bytes, 0, count);
  if (map.fill == 0)
    return;
  // A quiet NaN of any binary format: all bits but the sign.
  auto *out = static_cast<uint8_t *>(bytes);
  std::memset(bytes, 0xff, count);
  for (uint32_t i = map.elementBytes - 1; i < count; i += map.elementBytes)
    out[i] = 0x7f;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
enum class Reduction : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor };
} // namespace

static Reduction parseReduction(llvm::StringRef op) {
  return llvm::StringSwitch<Reduction>(op)
      .Case("add", Reduction::Add)
      .Case("min", Reduction::Min)
      .Case("max", Reduction::Max)
      .Case("inc", Reduction::Inc)
      .Case("dec", Reduction::Dec)
      .Case("and", Reduction::And)
      .Case("or", Reduction::Or)
      .Case("xor", Reduction::Xor)
      .Default(Reduction::None);
}

/// dst = combine(dst, src), element by element; addresses need no alignment.
template <typename T, typename Combine>
static bool forEach(void *dst, const void *src, uint32_t bytes,
                    Combine combine) {
  auto *to = static_cast<char *>(dst);
  const auto *from = static_cast<const char *>(src);
  for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + i, sizeof(T));
    std::memcpy(&b, from + i, sizeof(T));
    a = combine(a, b);
    std::memcpy(to + i, &a, sizeof(T));
  }
  return true;
}

/// 32 and 64 bits, as signed or unsigned numbers. Sums wrap; those of signed
/// 64 bits do not exist, as unsigned ones are the same; inc and dec are of
/// unsigned 32 bits.
template <typename T>
static bool reduceInteger(Reduction op, void *dst, const void *src,
                          uint32_t bytes) {
  using Bits = std::make_unsigned_t<T>;
  auto run = [&](auto combine) { return forEach<T>(dst, src, bytes, combine); };
  switch (op) {
  case Reduction::Add:
    if (std::is_same_v<T, int64_t>)
      return false;
    return run([](T a, T b) { return T(Bits(a) + Bits(b)); });
  case Reduction::Min:
    return run([](T a, T b) { return std::min(a, b); });
  case Reduction::Max:
    return run([](T a, T b) { return std::max(a, b); });
  case Reduction::Inc:
    if (!std::is_same_v<T, uint32_t>)
      return false;
    return run([](T a, T b) { return a >= b ? T(0) : T(a + 1); });
  case Reduction::Dec:
    if (!std::is_same_v<T, uint32_t>)
      return false;
    return run([](T a, T b) { return a == 0 || a > b ? b : T(a - 1); });
  case Reduction::And:
    return run([](T a, T b) { return T(a & b); });
  case Reduction::Or:
    return run([](T a, T b) { return T(a | b); });
  case Reduction::Xor:
    return run([](T a, T b) { return T(a ^ b); });
  case Reduction::None:
    return false;
  }
  return false;
}

/// f32 and f64 have sums only.
template <typename T>
static bool reduceFloat(Reduction op, void *dst, const void *src,
                        uint32_t bytes) {
  if (op != Reduction::Add)
    return false;
  return forEach<T>(dst, src, bytes, [](T a, T b) { return a + b; });
}

/// f16 and bf16: sums are rounded once, to nearest even; the smaller and the
/// larger of a number and NaN is the number.
static bool reduceHalf(const llvm::fltSemantics &format, Reduction op,
                       void *dst, const void *src, uint32_t bytes) {
  using llvm::APFloat;
  auto run = [&](auto combine) {
    return forEach<uint16_t>(dst, src, bytes, [&](uint16_t a, uint16_t b) {
      APFloat x(format, llvm::APInt(16, a)), y(format, llvm::APInt(16, b));
      return uint16_t(combine(x, y).bitcastToAPInt().getZExtValue());
    });
  };
  switch (op) {
  case Reduction::Add:
    return run([](APFloat x, const APFloat &y) {
      x.add(y, APFloat::rmNearestTiesToEven);
      return x;
    });
  case Reduction::Min:
    return run([](const APFloat &x, const APFloat &y) { return minnum(x, y); });
  case Reduction::Max:
    return run([](const APFloat &x, const APFloat &y) { return maxnum(x, y); });
  default:
    return false;
  }
}

bool mlir::tile::lowered::tmaReduce(const char *name, int type, void *dst,
                                    const void *src, uint32_t bytes) {
  Reduction op = parseReduction(name);
  switch (type) {
  case cuda::kMapUInt32:
    return reduceInteger<uint32_t>(op, dst, src, bytes);
  case cuda::kMapInt32:
    return reduceInteger<int32_t>(op, dst, src, bytes);
  case cuda::kMapUInt64:
    return reduceInteger<uint64_t>(op, dst, src, bytes);
  case cuda::kMapInt64:
    return reduceInteger<int64_t>(op, dst, src, bytes);
  case cuda::kMapFloat32:
    return reduceFloat<float>(op, dst, src, bytes);
  case cuda::kMapFloat64:
    return reduceFloat<double>(op, dst, src, bytes);
  case cuda::kMapFloat16:
    return reduceHalf(llvm::APFloat::IEEEhalf(), op, dst, src, bytes);
  case cuda::kMapBFloat16:
    return reduceHalf(llvm::APFloat::BFloat(), op, dst, src, bytes);
  default:
    return false;
  }
}
