//===- JsonReader.cpp - Strict reading of JSON objects --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See JsonReader.h.
//
//===----------------------------------------------------------------------===//

#include "JsonReader.h"

#include <cmath>
#include <limits>

using namespace mlir::tile::runtime;

bool mlir::tile::runtime::readInteger(const Json &value, int64_t &out) {
  // Written numbers without a sign parse as unsigned; those beyond 63 bits do
  // not fit.
  if (value.is_number_unsigned()) {
    uint64_t number = value.get<uint64_t>();
    if (number > uint64_t(std::numeric_limits<int64_t>::max()))
      return false;
    out = int64_t(number);
    return true;
  }
  if (!value.is_number_integer())
    return false;
  out = value.get<int64_t>();
  return true;
}

JsonObject::JsonObject(const Json &value, std::string path, JsonErrors &errors)
    : where(std::move(path)), errors(errors) {
  if (value.is_object())
    object = &value;
  else
    errors.report(where, "expected an object");
}

const Json *JsonObject::any(const char *field) {
  if (!object || errors.any())
    return nullptr;
  asked.push_back(field);
  auto found = object->find(field);
  if (found == object->end()) {
    errors.report(where, std::string("expected the field '") + field + "'");
    return nullptr;
  }
  return &*found;
}

void JsonObject::string(const char *field, std::string &out) {
  const Json *value = any(field);
  if (!value)
    return;
  if (!value->is_string())
    return errors.report(where, std::string("expected the field '") + field +
                                    "' to be a string");
  out = *value->get_ptr<const Json::string_t *>();
}

void JsonObject::integer(const char *field, int64_t &out, int64_t min,
                         int64_t max) {
  const Json *value = any(field);
  if (!value)
    return;
  int64_t number = 0;
  if (!readInteger(*value, number) || number < min || number > max)
    return errors.report(where, std::string("expected the field '") + field +
                                    "' to be an integer in [" +
                                    std::to_string(min) + ", " +
                                    std::to_string(max) + "]");
  out = number;
}

void JsonObject::number(const char *field, double &out) {
  const Json *value = any(field);
  if (!value)
    return;
  double number = value->is_number() ? value->get<double>() : -1;
  if (!std::isfinite(number) || number < 0)
    return errors.report(where, std::string("expected the field '") + field +
                                    "' to be a number of 0 or more");
  out = number;
}

void JsonObject::boolean(const char *field, bool &out) {
  const Json *value = any(field);
  if (!value)
    return;
  if (!value->is_boolean())
    return errors.report(where, std::string("expected the field '") + field +
                                    "' to be true or false");
  out = value->get<bool>();
}

const Json *JsonObject::array(const char *field, size_t maxSize) {
  const Json *value = any(field);
  if (!value)
    return nullptr;
  if (!value->is_array() || value->size() > maxSize) {
    errors.report(where, std::string("expected the field '") + field +
                             "' to be an array of at most " +
                             std::to_string(maxSize) + " elements");
    return nullptr;
  }
  return value;
}

void JsonObject::finish() {
  if (!object || errors.any())
    return;
  for (const auto &entry : object->items()) {
    bool known = false;
    for (const char *field : asked)
      known |= entry.key() == field;
    if (!known)
      return errors.report(where, "unknown field '" + entry.key() + "'");
  }
}
