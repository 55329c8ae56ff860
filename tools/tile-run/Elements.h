//===- Elements.h - elements in memory and as numbers -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_RUN_ELEMENTS_H
#define TILE_TOOLS_TILE_RUN_ELEMENTS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tile::run {

/// Bytes of one element in memory: whole bytes, i1 and index included.
int64_t elementBytes(Type type);

/// Whether two elements share a byte, the one with the even number in its low
/// half; and the bytes of so many elements in a row.
bool isPacked(Type type);
int64_t bytesOf(Type type, int64_t count);

/// The bits of element `number` of those that lie in a row. Threads must not
/// store packed elements of one byte at the same time.
uint64_t loadBitsAt(Type type, const char *data, int64_t number);
void storeBitsAt(Type type, char *data, int64_t number, uint64_t bits);

/// Rounds to the element type (nearest even; fp8 saturates; integers are
/// truncated toward zero and wrap) and stores.
void storeElement(Type type, void *place, double value);
void storeInteger(Type type, void *place, int64_t value);

/// A number to print: integers are kept whole, an f64 has 53 of 64 bits.
struct Number {
  double value = 0;
  std::optional<int64_t> integer;
};
/// The element at `place` of those that lie in a row.
Number loadNumber(Type type, const char *data, int64_t place);
/// Both in as many digits as tell them apart.
std::pair<std::string, std::string> textsOf(const Number &one,
                                            const Number &other);

/// `value` rounded to the type.
double roundTo(Type type, double value);

/// Half the distance between 1 and the next number; 0 for integers.
double unitRoundoff(Type type);

/// What rounding to the type may change beside a part of the number: half the
/// smallest number; 0 for integers.
double smallestRoundoff(Type type);

/// The largest finite number of a floating-point type.
double largestNumber(Type type);

/// Values of elements in memory, exact save for 64-bit integers beyond 2^53.
/// Made once for many elements: narrow types are read from a table. An i1 whose
/// byte is neither 0 nor 1 is NaN: no kernel has written it.
class ElementReader {
public:
  explicit ElementReader(Type type);
  /// `count` elements, the first at `place`, each `stride` after the one
  /// before.
  void read(const char *data, int64_t place, int64_t stride, int64_t count,
            double *values) const;
  /// The same of integers, exact for all of them.
  void readIntegers(const char *data, int64_t place, int64_t stride,
                    int64_t count, int64_t *values) const;

private:
  Type type;
  std::vector<double> table; ///< by code, of types of at most 16 bits
};

/// Rounds to a type as `storeElement` does, and stores.
class ElementWriter {
public:
  explicit ElementWriter(Type type);
  void write(char *data, int64_t place, int64_t stride, int64_t count,
             const double *values) const;
  uint64_t encode(double value) const;

private:
  enum class Kind { Integer, Bool, Narrow, Exponent, F32, F64 };

  uint64_t encodeNarrow(double value) const;

  Type type;
  Kind kind = Kind::Integer;
  // Facts of a narrow format with a sign:
  int mantissa = 0, smallestExponent = 0, largestExponent = 0;
  uint64_t sign = 0, largest = 0, overflow = 0, nan = 0;
};

} // namespace mlir::tile::run
#endif // TILE_TOOLS_TILE_RUN_ELEMENTS_H
