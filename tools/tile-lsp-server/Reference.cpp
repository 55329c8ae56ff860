//===- Reference.cpp - what the documents say of a name -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile;
using llvm::StringRef;

static constexpr char kText[] =
#include "Tile.md.inc"
    ;

/// The name that a section is found by: of an operation that of its heading, of
/// attributes and types the first that is written with their sign.
static StringRef nameOf(StringRef heading, StringRef body) {
  if (heading.consume_front("`"))
    return heading.split('`').first;
  for (StringRef sign : {"#tile.", "!tile."}) {
    size_t at = body.find(sign);
    if (at == StringRef::npos)
      continue;
    StringRef name = body.drop_front(at);
    return name.take_front(name.drop_front(sign.size()).find_if_not([](char c) {
      return llvm::isAlnum(c) || c == '_';
    }) + sign.size());
  }
  return {};
}

/// Whether an attribute has a place of its own in the syntax, where the
/// dictionary does not name it: `$name` of a declared one; the parsers that are
/// written by hand leave few to the dictionary.
static bool isInSyntax(StringRef operation, StringRef attribute,
                       StringRef text) {
  if (operation == "tile.kernel")
    return !llvm::is_contained(
        {"panel", "persistent", "specialize", "pairs", "split"}, attribute);
  if (operation == "tile.parallel")
    return attribute != "coalesced_width";
  // Of moves, the dictionary names the parts.
  if (attribute == "request" || attribute == "decision")
    return true;
  return operation == "tile.pipelined" || operation == "tile.warp_specialize" ||
         text.contains(("$" + attribute + "^").str()) ||
         text.contains(("$" + attribute + " ").str()) ||
         text.contains(("$" + attribute + ")").str());
}

/// Rows `| `name`, `name` | unit | meaning |` of the tables in a description.
/// The generator's own table says which are the operation's, and their type; a
/// line in front of a table that it is of arguments' attributes.
static void addAttributes(StringRef operation, Doc &doc, StringRef body) {
  bool isOfArguments = false;
  for (StringRef line : llvm::split(doc.text, '\n')) {
    if (line.ends_with(":") && !line.starts_with("|"))
      isOfArguments = line == "Attributes of arguments:";
    llvm::SmallVector<StringRef> cells;
    line.split(cells, '|');
    if (cells.size() != 5 || !cells[1].trim().starts_with("`"))
      continue;
    for (StringRef quoted : llvm::split(cells[1], ',')) {
      AttributeDoc attribute;
      attribute.name = quoted.trim().trim('`');
      attribute.unit = cells[2].trim();
      attribute.meaning = cells[3].trim();
      attribute.isOfArgument = isOfArguments;
      size_t row = body.find(
          ("<code>" + attribute.name + "</code></td><td>::mlir::UnitAttr")
              .str());
      attribute.isUnit =
          row != StringRef::npos ||
          llvm::is_contained({"tile.may_alias", "disable_tma", "inside"},
                             attribute.name);
      attribute.isInSyntax = !attribute.isOfArgument &&
                             isInSyntax(operation, attribute.name, doc.text);
      doc.attributes.push_back(attribute);
    }
  }
}

Reference::Reference() {
  StringRef rest = StringRef(kText).split("\n### ").second;
  while (!rest.empty()) {
    auto [section, others] = rest.split("\n### ");
    rest = others;
    auto [heading, body] = section.split('\n');
    StringRef name = nameOf(heading, body);
    if (name.empty() || docs.contains(name))
      continue;
    Doc doc;
    size_t end = std::min({body.find("\nTraits:"), body.find("\nInterfaces:"),
                           body.find("\n#### "), body.find("\n## ")});
    doc.text = body.take_front(end).trim();
    doc.summary = doc.text.split('\n').first.trim('_');
    addAttributes(name, doc, body);
    docs.insert({name, std::move(doc)});
  }
}

const Doc *Reference::find(StringRef name) const {
  auto found = docs.find(name);
  return found == docs.end() ? nullptr : &found->second;
}
