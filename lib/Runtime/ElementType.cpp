//===- ElementType.cpp - Element types and architecture names -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of the manifest's small vocabularies.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Manifest.h"

using namespace mlir::tile::runtime;

namespace {
struct TypeInfo {
  ElementType type;
  const char *text;
  unsigned bits;
  bool integer;
};
} // namespace

constexpr TypeInfo kTypes[] = {
    {ElementType::I1, "i1", 8, true},
    {ElementType::I4, "i4", 4, true},
    {ElementType::I8, "i8", 8, true},
    {ElementType::UI8, "ui8", 8, true},
    {ElementType::I16, "i16", 16, true},
    {ElementType::UI16, "ui16", 16, true},
    {ElementType::I32, "i32", 32, true},
    {ElementType::UI32, "ui32", 32, true},
    {ElementType::I64, "i64", 64, true},
    {ElementType::UI64, "ui64", 64, true},
    {ElementType::F4E2M1FN, "f4E2M1FN", 4, false},
    {ElementType::F8E4M3FN, "f8E4M3FN", 8, false},
    {ElementType::F8E5M2, "f8E5M2", 8, false},
    {ElementType::F8E8M0FNU, "f8E8M0FNU", 8, false},
    {ElementType::F16, "f16", 16, false},
    {ElementType::BF16, "bf16", 16, false},
    {ElementType::F32, "f32", 32, false},
    {ElementType::TF32, "tf32", 32, false},
    {ElementType::F64, "f64", 64, false},
};
static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == kNumElementTypes,
              "one row per element type, in the order of the enumeration");

static const TypeInfo &info(ElementType type) { return kTypes[unsigned(type)]; }

const char *mlir::tile::runtime::spelling(ElementType type) {
  return info(type).text;
}

bool mlir::tile::runtime::parseElementType(const std::string &text,
                                           ElementType &type) {
  for (const TypeInfo &entry : kTypes)
    if (text == entry.text) {
      type = entry.type;
      return true;
    }
  return false;
}

unsigned mlir::tile::runtime::storageBits(ElementType type) {
  return info(type).bits;
}

bool mlir::tile::runtime::isInteger(ElementType type) {
  return info(type).integer;
}

bool mlir::tile::runtime::accepts(ElementType expected, ElementType actual) {
  if (expected == actual)
    return true;
  switch (expected) {
  case ElementType::I8:
    return actual == ElementType::UI8;
  case ElementType::I16:
    return actual == ElementType::UI16;
  case ElementType::I32:
    return actual == ElementType::UI32;
  case ElementType::I64:
    return actual == ElementType::UI64;
  case ElementType::TF32:
    return actual == ElementType::F32;
  default:
    return false;
  }
}

bool mlir::tile::runtime::parseArch(const std::string &text, ArchName &arch) {
  if (text.size() < 5 || text.compare(0, 3, "sm_") != 0)
    return false;
  size_t end = 3;
  int number = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9' &&
         end < 3 + 4)
    number = number * 10 + (text[end++] - '0');
  // The last digit is the minor number: sm_90 is 9.0, sm_120 is 12.0.
  if (end - 3 < 2 || text[3] == '0')
    return false;
  ArchName result;
  result.major = number / 10;
  result.minor = number % 10;
  if (end < text.size()) {
    if (end + 1 != text.size() || (text[end] != 'a' && text[end] != 'f'))
      return false;
    result.suffix = text[end];
  }
  arch = result;
  return true;
}
