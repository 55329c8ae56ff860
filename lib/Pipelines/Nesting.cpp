//===- Nesting.cpp - how deep text nests, before it is parsed -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's parser and printer recur, and a stack that is exhausted ends the
// process without a word. What they recur on is found without parsing:
// brackets, aliases of attributes and types that name each other, and signs in
// front of an expression.
//
//===----------------------------------------------------------------------===//
#include "mlir/Bytecode/BytecodeReader.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile;

/// Regions have two brackets each in the generic form, and a level takes the
/// parser some kilobytes of a stack of eight megabytes.
static constexpr size_t kMaxDepth = 1024;

namespace {
class NestingScanner {
public:
  explicit NestingScanner(StringRef text) : text(text) {}

  /// Where the limit is passed; nothing where it is kept.
  std::optional<size_t> run();

private:
  char at(size_t place) const {
    return place < text.size() ? text[place] : '\0';
  }
  size_t skipQuoted(size_t place) const;
  void scan(char c);
  void scanAlias();

  StringRef text;
  size_t place = 0;
  size_t depth = 0; ///< of brackets
  size_t signs = 0; ///< in a row
  /// Levels in what an alias stands for, and of the one that is being defined.
  llvm::StringMap<size_t> aliases;
  StringRef defined;
  size_t deepest = 0;
};
} // namespace

/// Where a string or a comment that starts at `place` ends; `place` where none
/// does.
size_t NestingScanner::skipQuoted(size_t place) const {
  if (text.substr(place).starts_with("//"))
    return std::min(text.find('\n', place), text.size());
  if (at(place) != '"')
    return place;
  for (size_t i = place + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || text[i] == '\n')
      return i + 1; // no string goes on over a line
  }
  return text.size();
}

/// `#name` or `!name`: defined where it starts a line and `=` follows, used
/// elsewhere.
void NestingScanner::scanAlias() {
  bool startsLine = place == 0 || text[place - 1] == '\n';
  size_t end = place + 1;
  while (llvm::isAlnum(at(end)) || at(end) == '_' || at(end) == '$')
    ++end;
  StringRef name = text.slice(place, end);
  if (startsLine && depth == 0 &&
      text.substr(end).ltrim(' ').starts_with("=")) {
    defined = name;
    deepest = 0;
  } else if (auto used = aliases.find(name); used != aliases.end()) {
    deepest = std::max(deepest, depth + used->second);
  }
  place = end - 1;
}

void NestingScanner::scan(char c) {
  char next = at(place + 1);
  // Neither comparisons nor arrows are brackets.
  if (StringRef("([{").contains(c) || (c == '<' && next != '='))
    ++depth;
  else if (StringRef(")]}").contains(c) ||
           (c == '>' && next != '=' && (place == 0 || text[place - 1] != '-')))
    depth -= depth > 0;
  if (c == '-')
    ++signs;
  else if (!llvm::isSpace(c))
    signs = 0;
  deepest = std::max(deepest, depth + signs);
  if (c == '#' || c == '!')
    scanAlias();
  if (c == '\n' && depth == 0) {
    if (!defined.empty())
      aliases[defined] = deepest + 1;
    defined = {};
    deepest = 0;
  }
}

std::optional<size_t> NestingScanner::run() {
  for (; place < text.size(); ++place) {
    while (place < text.size() && skipQuoted(place) != place)
      place = skipQuoted(place);
    if (place == text.size())
      break;
    scan(text[place]);
    if (deepest > kMaxDepth)
      return place;
  }
  return std::nullopt;
}

llvm::Error tile::checkNesting(StringRef text, StringRef name) {
  if (isBytecode(llvm::MemoryBufferRef(text, name)))
    return llvm::Error::success();
  std::optional<size_t> place = NestingScanner(text).run();
  if (!place)
    return llvm::Error::success();
  return llvm::createStringError(
      name + ":" + llvm::Twine(text.take_front(*place).count('\n') + 1) +
      ": expected regions, types, attributes and expressions to stand at "
      "most " +
      llvm::Twine(kMaxDepth) + " one in another");
}
