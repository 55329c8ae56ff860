//===- Session.cpp - what is added to the answers of MLIR's server --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Session.h"
#include "Decisions.h"
#include "Position.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::tile;
using llvm::StringRef;
namespace json = llvm::json;

static std::string keyOf(const json::Value &identifier) {
  return llvm::formatv("{0}", identifier).str();
}

static json::Object markdown(StringRef text) {
  return json::Object{{"kind", "markdown"}, {"value", text.str()}};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Session::fromClient(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  const json::Object *params = object ? object->getObject("params") : nullptr;
  const json::Object *document =
      params ? params->getObject("textDocument") : nullptr;
  if (!document)
    return;
  StringRef uri = document->getString("uri").value_or("");
  StringRef method = object->getString("method").value_or("");
  std::lock_guard<std::mutex> lock(mutex);
  if (method == "textDocument/didOpen") {
    documents[uri] = document->getString("text").value_or("").str();
  } else if (method == "textDocument/didChange") {
    // MLIR's server asks for whole texts.
    if (const json::Array *changes = params->getArray("contentChanges"))
      for (const json::Value &change : *changes)
        if (const json::Object *fields = change.getAsObject())
          if (auto text = fields->getString("text"))
            documents[uri] = text->str();
  } else if (method == "textDocument/didClose") {
    documents.erase(uri);
  }
  bool isHover = method == "textDocument/hover";
  const json::Object *position = params->getObject("position");
  const json::Value *identifier = object->get("id");
  if ((!isHover && method != "textDocument/completion") || !position ||
      !identifier || !documents.contains(uri))
    return;
  const std::string &text = documents[uri];
  if (auto offset = offsetOf(text, position->getInteger("line").value_or(-1),
                             position->getInteger("character").value_or(-1)))
    requests[keyOf(*identifier)] = {isHover, text, *offset};
}

void Session::fromServer(json::Value &message) {
  json::Object *answer = message.getAsObject();
  const json::Value *identifier = answer ? answer->get("id") : nullptr;
  if (!identifier || !answer->get("result"))
    return;
  Request request;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = requests.find(keyOf(*identifier));
    if (found == requests.end())
      return;
    request = std::move(found->second);
    requests.erase(found);
  }
  if (request.isHover)
    addHover(request, *answer);
  else
    addCompletions(request, *answer);
}

//===----------------------------------------------------------------------===//
// Hovering
//===----------------------------------------------------------------------===//

/// What the reference says of an attribute, or of a keyword of the syntax that
/// stands for one (`threads`), by the operation that was named last before it;
/// null where it says nothing.
const AttributeDoc *Session::findAttribute(StringRef text,
                                           StringRef word) const {
  StringRef before = text.take_front(word.data() - text.data());
  for (size_t end = before.size();;) {
    size_t place = before.take_front(end).rfind("tile.");
    if (place == StringRef::npos)
      return nullptr;
    end = place;
    const Doc *doc = reference.find(wordAt(text, place));
    if (!doc || !wordAt(text, place).starts_with("tile."))
      continue; // an attribute or a type, or the name of an attribute
    const AttributeDoc *found =
        llvm::find_if(doc->attributes, [&](const AttributeDoc &attribute) {
          return attribute.name == word;
        });
    return found == doc->attributes.end() ? nullptr : found;
  }
}

/// What is decided, what the reference says, and what MLIR's server says.
void Session::addHover(const Request &request, json::Object &answer) {
  std::string text = describeDecisions(request.text, request.offset, arch);
  StringRef word = wordAt(request.text, request.offset);
  if (const Doc *doc = reference.find(word)) {
    if (!text.empty())
      text += "\n---\n";
    text += ("**`" + word + "`** " + doc->text + "\n").str();
  } else if (const AttributeDoc *attribute =
                 findAttribute(request.text, word)) {
    text += text.empty() ? "" : "\n---\n";
    text += ("**`" + word + "`** " + attribute->meaning).str();
    if (!attribute->unit.empty())
      text += ("\n\nUnit: " + attribute->unit).str();
    text += "\n";
  }
  if (text.empty())
    return;
  json::Object *result = answer.getObject("result");
  if (!result) {
    answer["result"] = json::Object{{"contents", markdown(text)}};
    return;
  }
  if (const json::Object *contents = result->getObject("contents"))
    if (auto own = contents->getString("value"))
      text += ("\n---\n" + *own).str();
  (*result)["contents"] = markdown(text);
}

//===----------------------------------------------------------------------===//
// Completing
//===----------------------------------------------------------------------===//

static bool holds(const json::Array &items, StringRef label) {
  for (const json::Value &item : items)
    if (const json::Object *fields = item.getAsObject())
      if (fields->getString("label") == label)
        return true;
  return false;
}

static json::Object attributeItem(const AttributeDoc &attribute) {
  constexpr int kProperty = 10; // CompletionItemKind
  json::Object item{{"label", attribute.name},
                    {"kind", kProperty},
                    {"insertText", attribute.isUnit
                                       ? attribute.name.str()
                                       : (attribute.name + " = ").str()},
                    {"documentation", markdown(attribute.meaning)}};
  if (!attribute.unit.empty())
    item["detail"] = attribute.unit;
  return item;
}

void Session::addCompletions(const Request &request, json::Object &answer) {
  json::Object *result = answer.getObject("result");
  json::Array *items = result ? result->getArray("items") : nullptr;
  if (!items)
    return;
  if (auto place = attributePlaceAt(request.text, request.offset))
    if (const Doc *doc = reference.find(place->operation))
      for (const AttributeDoc &attribute : doc->attributes)
        if (attribute.isOfArgument == place->isOfArgument &&
            !attribute.isInSyntax && !holds(*items, attribute.name))
          items->push_back(attributeItem(attribute));

  // MLIR's server proposes names only after the dialect's dot, and without
  // descriptions; the text up to here may already be more of the name.
  StringRef word = wordAt(StringRef(request.text).take_front(request.offset),
                          request.offset);
  size_t dot = word.find('.');
  if (dot == StringRef::npos)
    return;
  StringRef dialect = word.take_front(dot + 1);
  for (const auto &[name, doc] : reference.all()) {
    if (!name.starts_with(word) || !name.starts_with(dialect))
      continue;
    StringRef label = name.drop_front(dialect.size());
    bool isKnown = false;
    for (json::Value &item : *items) {
      json::Object *fields = item.getAsObject();
      if (!fields || fields->getString("label") != label)
        continue;
      (*fields)["documentation"] = markdown(doc.summary);
      isKnown = true;
    }
    constexpr int kField = 5; // CompletionItemKind
    if (!isKnown)
      items->push_back(json::Object{{"label", label},
                                    {"kind", kField},
                                    {"documentation", markdown(doc.summary)}});
  }
}
