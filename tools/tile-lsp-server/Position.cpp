//===- Position.cpp - what a place in a text is about ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Position.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile;
using llvm::StringRef;

std::optional<size_t> mlir::tile::offsetOf(StringRef text, int64_t line,
                                           int64_t character) {
  size_t offset = 0;
  for (int64_t i = 0; i < line; ++i) {
    offset = text.find('\n', offset);
    if (offset == StringRef::npos)
      return std::nullopt;
    ++offset;
  }
  size_t end = std::min(text.find('\n', offset), text.size());
  if (character < 0 || size_t(character) > end - offset)
    return std::nullopt;
  return offset + size_t(character);
}

static bool isOfName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

StringRef mlir::tile::wordAt(StringRef text, size_t offset) {
  size_t begin = offset, end = offset;
  while (begin > 0 && isOfName(text[begin - 1]))
    --begin;
  if (begin > 0 && StringRef("#!%@").contains(text[begin - 1]))
    --begin;
  // At the sign itself the name follows.
  if (end < text.size() && StringRef("#!%@").contains(text[end]))
    ++end;
  while (end < text.size() && isOfName(text[end]))
    ++end;
  return text.slice(begin, end);
}

/// The bracket that stands open at the end of `text`; npos where none does.
static size_t openBracket(StringRef text) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    char c = text[i];
    if (c == '>' && i > 0 && text[i - 1] == '-')
      continue; // an arrow
    if (StringRef(")]}>").contains(c))
      ++depth;
    else if (StringRef("([{<").contains(c) && depth-- == 0)
      return i;
  }
  return StringRef::npos;
}

/// The operation whose line, or lines, end where `head` does; "" where it is
/// none of tile's.
static StringRef operationOf(StringRef head) {
  for (int lines = 0; lines < 16; ++lines) {
    auto [before, line] = head.rsplit('\n');
    if (!head.contains('\n'))
      line = head;
    StringRef start = line.ltrim();
    if (start.starts_with("%") && start.contains('='))
      start = start.split('=').second.ltrim();
    if (start.starts_with("tile."))
      return start.take_while(isOfName);
    // Lines that go on begin further right; others are statements.
    if (!head.contains('\n') || start.starts_with("%") || start.ends_with("{"))
      return {};
    head = before;
  }
  return {};
}

std::optional<AttributePlace> mlir::tile::attributePlaceAt(StringRef text,
                                                           size_t offset) {
  StringRef before = text.take_front(offset).rtrim("abcdefghijklmnopqrstuvwxyz"
                                                   "_.");
  StringRef last = before.rtrim();
  if (!last.ends_with("{") && !last.ends_with(","))
    return std::nullopt;
  size_t open = openBracket(before);
  if (open == StringRef::npos || before[open] != '{')
    return std::nullopt;
  StringRef head = before.take_front(open);
  AttributePlace place;
  // The list of arguments stands open around that of an argument's attributes.
  size_t outer = openBracket(head);
  place.isOfArgument = outer != StringRef::npos && head[outer] == '(';
  place.operation =
      operationOf(place.isOfArgument ? head.take_front(outer) : head);
  if (place.operation.empty())
    return std::nullopt;
  bool hasRegion = llvm::is_contained(
      {"tile.kernel", "tile.parallel", "tile.pipelined"}, place.operation);
  if (hasRegion && !place.isOfArgument && !head.rtrim().ends_with("attributes"))
    return std::nullopt; // its region
  return place;
}
