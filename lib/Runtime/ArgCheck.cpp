//===- ArgCheck.cpp - Checks of a launch's arguments ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ArgCheck.h. Everything that builds text is off the path that a correct
// launch takes.
//
//===----------------------------------------------------------------------===//

#include "ArgCheck.h"

#include <algorithm>
#include <cstdio>

using namespace mlir::tile::runtime;

static std::string number(int64_t value) {
  return value == kDynamic ? "*" : std::to_string(value);
}

/// "4096x*"; "a scalar's" for rank 0 would hide the mistake, hence "rank 0".
static std::string shapeText(const int64_t *shape, size_t rank) {
  if (rank == 0)
    return "of rank 0";
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += (i ? "x" : "") + number(shape[i]);
  return text;
}

static std::string stridesText(const int64_t *strides, size_t rank) {
  std::string text = "[";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + number(strides[i]);
  return text + "]";
}

static std::string addressText(cuda::DevicePtr address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(address));
  return text;
}

static const char *kindText(ArgKind kind) {
  return kind == ArgKind::MemRef ? "a memref" : "a scalar";
}

/// The value of an integer scalar in 64 signed bits, where it has one.
static bool integerValue(ElementType type, uint64_t bits, int64_t &value) {
  switch (type) {
  case ElementType::I1:
    value = int64_t(bits & 1);
    return true;
  case ElementType::I8:
    value = int64_t(bits << 56) >> 56;
    return true;
  case ElementType::UI8:
    value = uint8_t(bits);
    return true;
  case ElementType::I16:
    value = int16_t(bits);
    return true;
  case ElementType::UI16:
    value = uint16_t(bits);
    return true;
  case ElementType::I32:
    value = int32_t(bits);
    return true;
  case ElementType::UI32:
    value = uint32_t(bits);
    return true;
  case ElementType::I64:
    value = int64_t(bits);
    return true;
  case ElementType::UI64:
    value = int64_t(bits);
    return value >= 0;
  default:
    return false;
  }
}

/// Gives the strides that the kernel sees; false where a dense one overflows.
static bool effectiveStrides(const ArgSpec &spec, const Arg &arg,
                             int64_t *strides) {
  // The strides of a tensor without elements mean nothing.
  bool isEmpty = std::any_of(arg.shape, arg.shape + arg.rank,
                             [](int64_t extent) { return extent == 0; });
  int64_t dense = 1;
  for (unsigned i = arg.rank; i-- > 0;) {
    bool meaningless = isEmpty || arg.shape[i] <= 1;
    if (meaningless && spec.strides[i] != kDynamic)
      strides[i] = spec.strides[i];
    else if (meaningless || !arg.strides)
      strides[i] = dense;
    else
      strides[i] = arg.strides[i];
    // Where a stride means nothing, the next dense one follows from what the
    // caller says of this dimension, so that a row of a padded matrix looks
    // like one.
    if (__builtin_mul_overflow(strides[i], std::max<int64_t>(arg.shape[i], 1),
                               &dense))
      return false;
  }
  return true;
}

/// The bytes between the first element and the lowest and highest ones.
static bool byteRange(const Arg &arg, const int64_t *strides, unsigned bits,
                      ByteRange &range) {
  range = {arg.data, arg.data};
  int64_t low = 0, high = 0;
  for (unsigned i = 0; i < arg.rank; ++i) {
    if (arg.shape[i] == 0)
      return true;
    int64_t span = 0;
    if (__builtin_mul_overflow(strides[i], arg.shape[i] - 1, &span) ||
        __builtin_add_overflow(span < 0 ? low : high, span,
                               span < 0 ? &low : &high))
      return false;
  }
  int64_t lowBits = 0, highBits = 0;
  if (__builtin_mul_overflow(low, int64_t(bits), &lowBits) ||
      __builtin_mul_overflow(high, int64_t(bits), &highBits) ||
      __builtin_add_overflow(highBits, int64_t(bits) + 7, &highBits))
    return false;
  // Bits of packed types round outwards to whole bytes.
  cuda::DevicePtr below =
      cuda::DevicePtr(-(lowBits / 8)) + (lowBits % 8 != 0 ? 1 : 0);
  return !__builtin_sub_overflow(arg.data, below, &range.begin) &&
         !__builtin_add_overflow(arg.data, cuda::DevicePtr(highBits / 8),
                                 &range.end);
}

namespace {
/// One digit of the difference between two elements' addresses, in bytes:
/// stride times any number in [low, high].
struct Term {
  int64_t stride;
  int64_t low;
  int64_t high;
};

/// Searches for digits whose sum lies in [low, high]. Strides descend, so each
/// one leaves few digits that the rest can make up for.
class DigitSearch {
public:
  DigitSearch(const Term *terms, size_t count) : terms(terms), count(count) {}

  /// True where there is such a sum, or where the search is given up.
  bool run(__int128 low, __int128 high, size_t at = 0) {
    if (budget-- == 0)
      return true;
    if (at == count)
      return low <= 0 && 0 <= high;
    __int128 restLow = 0, restHigh = 0;
    for (size_t i = at + 1; i < count; ++i) {
      restLow += __int128(terms[i].stride) * terms[i].low;
      restHigh += __int128(terms[i].stride) * terms[i].high;
    }
    const Term &term = terms[at];
    // Digits d with low - restHigh <= stride*d <= high - restLow.
    __int128 first = ceilDiv(low - restHigh, term.stride);
    __int128 last = floorDiv(high - restLow, term.stride);
    first = std::max<__int128>(first, term.low);
    last = std::min<__int128>(last, term.high);
    for (__int128 digit = first; digit <= last; ++digit)
      if (run(low - term.stride * digit, high - term.stride * digit, at + 1))
        return true;
    return false;
  }

private:
  static __int128 floorDiv(__int128 a, __int128 b) {
    return a / b - (a % b != 0 && a < 0);
  }
  static __int128 ceilDiv(__int128 a, __int128 b) {
    return a / b + (a % b != 0 && a > 0);
  }

  const Term *terms;
  size_t count;
  /// Real views differ in one or two dimensions and need a dozen steps.
  unsigned budget = 512;
};
} // namespace

Error mlir::tile::runtime::argError(const KernelSpec &kernel, size_t index,
                                    const std::string &what) {
  return Error{"argument " + std::to_string(index) + " ('" +
               kernel.args[index].name + "'): " + what};
}

Status mlir::tile::runtime::checkArg(const KernelSpec &kernel, size_t index,
                                     const Arg &arg, int64_t *strides,
                                     ExprArg &described, ByteRange &range) {
  const ArgSpec &spec = kernel.args[index];
  range = {0, 0};
  described = {nullptr, nullptr, 0, false, 0};
  if (arg.kind != spec.kind)
    return argError(kernel, index,
                    std::string("expected ") + kindText(spec.kind) + ", got " +
                        kindText(arg.kind));
  if (!accepts(spec.type, arg.type))
    return argError(kernel, index,
                    std::string("expected ") +
                        (spec.kind == ArgKind::MemRef ? "element " : "") +
                        "type " + spelling(spec.type) + ", got " +
                        spelling(arg.type));
  if (spec.kind == ArgKind::Scalar) {
    described.hasInteger = integerValue(arg.type, arg.bits, described.integer);
    return Status();
  }

  size_t rank = spec.shape.size();
  bool matches = arg.rank == rank && (rank == 0 || arg.shape);
  for (size_t i = 0; matches && i < rank; ++i)
    matches = spec.shape[i] == kDynamic ? arg.shape[i] >= 0
                                        : arg.shape[i] == spec.shape[i];
  if (!matches)
    return argError(
        kernel, index,
        "expected shape " + shapeText(spec.shape.data(), rank) + ", got " +
            (arg.shape || !arg.rank ? shapeText(arg.shape, arg.rank) : "none"));

  if (!effectiveStrides(spec, arg, strides))
    return argError(kernel, index,
                    "expected dense strides that fit 64 bits, got shape " +
                        shapeText(arg.shape, rank));
  for (size_t i = 0; i < rank; ++i)
    if (spec.strides[i] != kDynamic && strides[i] != spec.strides[i])
      return argError(kernel, index,
                      "expected strides " +
                          stridesText(spec.strides.data(), rank) + ", got " +
                          stridesText(strides, rank));
  described = {arg.shape, strides, unsigned(rank), false, 0};

  if (!byteRange(arg, strides, storageBits(spec.type), range))
    return argError(kernel, index,
                    "expected elements within the address space, got shape " +
                        shapeText(arg.shape, rank) + " with strides " +
                        stridesText(strides, rank));
  if (range.empty())
    return Status(); // nothing is there to be read or written
  if (arg.data == 0)
    return argError(kernel, index, "expected memory, got null");
  if (arg.data & uint64_t(spec.alignment - 1))
    return argError(kernel, index,
                    "expected an address aligned to " +
                        std::to_string(spec.alignment) + " bytes, got " +
                        addressText(arg.data));
  return Status();
}

bool mlir::tile::runtime::mayOverlap(const ExprArg &first, unsigned firstBits,
                                     const ExprArg &second, unsigned secondBits,
                                     int64_t distance) {
  // Packed elements share bytes with their neighbours; their ranges decide.
  if (firstBits % 8 || secondBits % 8)
    return true;
  Term terms[2 * kMaxRank];
  size_t count = 0;
  // The address of the second's element j minus that of the first's element i.
  auto add = [&](const ExprArg &arg, unsigned bytes, bool negate) {
    for (unsigned i = 0; i < arg.rank; ++i) {
      // The product fits: the span of a longer dimension was checked.
      int64_t last = arg.shape[i] - 1;
      if (last == 0 || arg.strides[i] == 0)
        continue;
      int64_t stride = arg.strides[i] * int64_t(bytes);
      bool flip = (stride < 0) != negate;
      Term term = {stride < 0 ? -stride : stride, flip ? -last : 0,
                   flip ? 0 : last};
      // Equal strides are one digit: views of one buffer share all of them.
      Term *found = std::find_if(terms, terms + count, [&](const Term &other) {
        return other.stride == term.stride;
      });
      if (found == terms + count) {
        terms[count++] = term;
      } else {
        found->low += term.low;
        found->high += term.high;
      }
    }
  };
  add(first, firstBits / 8, /*negate=*/true);
  add(second, secondBits / 8, /*negate=*/false);
  std::sort(terms, terms + count,
            [](const Term &a, const Term &b) { return a.stride > b.stride; });
  // Bytes overlap where -secondBytes < distance + sum < firstBytes.
  __int128 low = -__int128(secondBits / 8) + 1 - distance;
  __int128 high = __int128(firstBits / 8) - 1 - distance;
  return DigitSearch(terms, count).run(low, high);
}

Error mlir::tile::runtime::kernelError(const KernelSpec &kernel,
                                       const std::string &what) {
  return Error{"kernel '" + kernel.name + "': " + what};
}

Status mlir::tile::runtime::checkArgs(const KernelSpec &kernel,
                                      Span<const Arg> args,
                                      CheckedArgs &checked) {
  size_t count = kernel.args.size();
  if (args.size() != count)
    return kernelError(kernel, "expected " + std::to_string(count) +
                                   " arguments, got " +
                                   std::to_string(args.size()));
  size_t dims = 0;
  for (size_t i = 0; i < count; ++i) {
    if (Status status = checkArg(kernel, i, args[i], checked.strides + dims,
                                 checked.described[i], checked.ranges[i]);
        !status.ok())
      return status;
    dims += kernel.args[i].shape.size();
  }
  return Status();
}

Status mlir::tile::runtime::checkAssumptions(const KernelSpec &kernel,
                                             Span<const ExprArg> args) {
  for (const Assumption &assumption : kernel.assumptions) {
    Expr::Value value = assumption.expr.evaluate(args);
    if (!value.ok())
      return kernelError(kernel, assumption.expr.str() + ": " + value.error);
    if (value.value == 0)
      return kernelError(kernel, assumption.message);
  }
  return Status();
}

Status mlir::tile::runtime::checkOverlap(const KernelSpec &kernel,
                                         Span<const Arg> args,
                                         const ExprArg *described,
                                         const ByteRange *ranges) {
  for (size_t i = 0; i < args.size(); ++i) {
    const ArgSpec &written = kernel.args[i];
    if (written.kind != ArgKind::MemRef || !written.isWritten() ||
        ranges[i].empty())
      continue;
    for (unsigned d = 0; d < described[i].rank; ++d)
      if (!written.mayAlias && described[i].shape[d] > 1 &&
          described[i].strides[d] == 0)
        return argError(kernel, i,
                        "expected written elements to be distinct, got stride "
                        "0 in dimension " +
                            std::to_string(d));
    for (size_t j = 0; j < args.size(); ++j) {
      const ArgSpec &other = kernel.args[j];
      // Two written arguments meet once.
      if (j == i || (written.mayAlias && other.mayAlias) || ranges[j].empty() ||
          !ranges[i].overlaps(ranges[j]) || (j < i && other.isWritten()))
        continue;
      if (mayOverlap(described[i], storageBits(written.type), described[j],
                     storageBits(other.type),
                     int64_t(args[j].data - args[i].data)))
        return argError(kernel, i,
                        "expected memory of its own, because it is written; it "
                        "overlaps argument " +
                            std::to_string(j) + " ('" + other.name +
                            "'); arguments that may overlap are both marked "
                            "`tile.may_alias`");
    }
  }
  return Status();
}
