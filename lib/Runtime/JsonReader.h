//===- JsonReader.h - Strict reading of JSON objects ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of a JSON object with their types and ranges checked, and
// refuses what it was not asked for: an unknown field means that the writer
// said something which this reader would silently ignore. The first error is
// kept, with the path to the value; later reads then do nothing, so callers
// check once.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_RUNTIME_JSONREADER_H
#define TILE_LIB_RUNTIME_JSONREADER_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tile::runtime {

/// Keeps the order of fields, so that what is written reads as documented.
using Json = nlohmann::ordered_json;

/// The first error of a walk over a document.
struct JsonErrors {
  std::string message;

  bool any() const { return !message.empty(); }
  void report(const std::string &path, const std::string &what) {
    if (!any())
      message = path + ": " + what;
  }
};

/// Where in the document a walk is: "kernel 0: argument 1".
inline std::string pathJoin(const std::string &path, const std::string &step) {
  return path.empty() ? step : path + ": " + step;
}

/// An integer that fits 64 signed bits.
bool readInteger(const Json &value, int64_t &out);

class JsonObject {
public:
  JsonObject(const Json &value, std::string path, JsonErrors &errors);

  const std::string &path() const { return where; }

  void string(const char *field, std::string &out);
  void integer(const char *field, int64_t &out, int64_t min, int64_t max);
  /// A number that is finite and not negative.
  void number(const char *field, double &out);
  void boolean(const char *field, bool &out);
  /// The array `field`, or nullptr after an error.
  const Json *array(const char *field, size_t maxSize);
  /// Any value of `field`, or nullptr after an error.
  const Json *any(const char *field);

  /// Reports a field that the caller did not ask for.
  void finish();

private:
  const Json *object = nullptr;
  std::string where;
  JsonErrors &errors;
  std::vector<const char *> asked;
};

} // namespace mlir::tile::runtime

#endif // TILE_LIB_RUNTIME_JSONREADER_H
