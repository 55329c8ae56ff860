//===- ManifestJson.cpp - The manifest as JSON ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the manifest. Reading checks types, ranges, unknown and
// repeated fields; what fields mean together is verifyManifest's business.
//
//===----------------------------------------------------------------------===//

#include "CostJson.h"
#include "ExprJson.h"
#include "tile/Runtime/Manifest.h"

#include <limits>
#include <set>

using namespace mlir::tile::runtime;

constexpr size_t kMaxKernels = 4096;
constexpr size_t kMaxList = 4096;
constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
/// Deeper than any document this format describes: an expression in a grid in
/// a version of a kernel.
constexpr int kMaxJsonDepth = int(Expr::kMaxDepth) + 16;

//===----------------------------------------------------------------------===//
// Vocabularies
//===----------------------------------------------------------------------===//

namespace {
template <typename Enum> struct Word {
  Enum value;
  const char *text;
};
} // namespace

constexpr Word<ArgKind> kArgKinds[] = {{ArgKind::MemRef, "memref"},
                                       {ArgKind::Scalar, "scalar"}};
constexpr Word<Access> kAccesses[] = {
    {Access::Read, "r"}, {Access::Write, "w"}, {Access::ReadWrite, "rw"}};
constexpr Word<ParamKind> kParamKinds[] = {
    {ParamKind::Pointer, "pointer"},      {ParamKind::Dim, "dim"},
    {ParamKind::Stride, "stride"},        {ParamKind::Scalar, "scalar"},
    {ParamKind::TensorMap, "tensor_map"}, {ParamKind::Workspace, "workspace"}};
constexpr Word<CodeFormat> kFormats[] = {{CodeFormat::Cubin, "cubin"},
                                         {CodeFormat::PTX, "ptx"}};
constexpr Word<TensorMapInterleave> kInterleaves[] = {
    {TensorMapInterleave::None, "none"},
    {TensorMapInterleave::B16, "16B"},
    {TensorMapInterleave::B32, "32B"}};
constexpr Word<TensorMapSwizzle> kSwizzles[] = {
    {TensorMapSwizzle::None, "none"},
    {TensorMapSwizzle::B32, "32B"},
    {TensorMapSwizzle::B64, "64B"},
    {TensorMapSwizzle::B128, "128B"}};
constexpr Word<TensorMapL2> kL2s[] = {{TensorMapL2::None, "none"},
                                      {TensorMapL2::B64, "64B"},
                                      {TensorMapL2::B128, "128B"},
                                      {TensorMapL2::B256, "256B"}};
constexpr Word<TensorMapFill> kFills[] = {{TensorMapFill::Zeros, "zeros"},
                                          {TensorMapFill::NaN, "nan"}};

template <typename Enum, size_t N>
static const char *wordOf(const Word<Enum> (&words)[N], Enum value) {
  for (const Word<Enum> &word : words)
    if (word.value == value)
      return word.text;
  return "";
}

template <typename Enum, size_t N>
static void readWord(JsonObject &object, const char *field,
                     const Word<Enum> (&words)[N], Enum &out,
                     JsonErrors &errors) {
  std::string text;
  object.string(field, text);
  if (errors.any())
    return;
  std::string choices;
  for (const Word<Enum> &word : words) {
    if (text == word.text) {
      out = word.value;
      return;
    }
    choices += std::string(choices.empty() ? "" : ", ") + word.text;
  }
  errors.report(object.path(), std::string("expected the field '") + field +
                                   "' to be one of " + choices + ", got '" +
                                   text + "'");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json toJson(const std::vector<int64_t> &values) {
  Json array = Json::array();
  for (int64_t value : values)
    array.push_back(value == kDynamic ? Json(nullptr) : Json(value));
  return array;
}

static Json toJson(const ArgSpec &arg) {
  Json object = Json::object();
  object["name"] = arg.name;
  object["kind"] = wordOf(kArgKinds, arg.kind);
  object["type"] = spelling(arg.type);
  if (arg.kind == ArgKind::Scalar)
    return object;
  object["shape"] = toJson(arg.shape);
  object["strides"] = toJson(arg.strides);
  object["alignment"] = arg.alignment;
  object["access"] = wordOf(kAccesses, arg.access);
  object["may_alias"] = arg.mayAlias;
  return object;
}

static Json toJson(const ParamSpec &param) {
  Json object = Json::object();
  object["kind"] = wordOf(kParamKinds, param.kind);
  if (param.kind == ParamKind::TensorMap) {
    object["map"] = param.arg;
    return object;
  }
  if (param.kind == ParamKind::Workspace) {
    object["bytes_per_block"] = param.bytesPerBlock;
    object["zeroed"] = param.zeroed;
    return object;
  }
  object["arg"] = param.arg;
  if (param.kind == ParamKind::Dim || param.kind == ParamKind::Stride)
    object["dim"] = param.dim;
  if (param.kind != ParamKind::Pointer)
    object["type"] = spelling(param.type);
  return object;
}

static Json toJson(const TensorMapSpec &map) {
  Json object = Json::object();
  object["arg"] = map.arg;
  object["type"] = spelling(map.type);
  object["dims"] = exprsToJson(map.dims);
  object["strides"] = exprsToJson(map.strides);
  object["box"] = toJson(map.box);
  object["element_strides"] = toJson(map.elementStrides);
  object["interleave"] = wordOf(kInterleaves, map.interleave);
  object["swizzle"] = wordOf(kSwizzles, map.swizzle);
  object["l2_promotion"] = wordOf(kL2s, map.l2);
  object["oob_fill"] = wordOf(kFills, map.fill);
  Json im2col;
  if (map.im2col.any()) {
    im2col["lower"] = toJson(map.im2col.lower);
    im2col["upper"] = toJson(map.im2col.upper);
    im2col["channels"] = map.im2col.channels;
    im2col["pixels"] = map.im2col.pixels;
  }
  object["im2col"] = im2col;
  return object;
}

static Json toJson(const CodeSpec &code) {
  Json object = Json::object();
  object["arch"] = code.arch;
  object["format"] = wordOf(kFormats, code.format);
  object["blob"] = code.blob;
  object["ptx_version"] = code.ptxVersion;
  object["assembler"] = code.assembler;
  object["assembler_version"] = code.assemblerVersion;
  object["options"] = code.options;
  return object;
}

static Json toJson(const Assumption &assumption);
static Json toJson(const ChosenValue &chosen);
static Json toJson(const KernelSpec &kernel);

template <typename T> static Json listToJson(const std::vector<T> &list) {
  Json array = Json::array();
  for (const T &element : list)
    array.push_back(toJson(element));
  return array;
}

static Json toJson(const Assumption &assumption) {
  Json object = Json::object();
  object["expr"] = toJson(assumption.expr);
  object["message"] = assumption.message;
  return object;
}

static Json toJson(const ChosenValue &chosen) {
  Json object = Json::object();
  object["name"] = chosen.name;
  object["value"] = chosen.value;
  return object;
}

static Json toJson(const KernelSpec &kernel) {
  Json object = Json::object();
  object["name"] = kernel.name;
  object["args"] = listToJson(kernel.args);
  object["params"] = listToJson(kernel.params);
  object["grid"] = exprsToJson(kernel.grid);
  object["threads"] = kernel.threads;
  object["cluster"] = toJson(
      std::vector<int64_t>(kernel.cluster.begin(), kernel.cluster.end()));
  object["persistent"] = kernel.persistent;
  object["cooperative"] = kernel.cooperative;
  object["shared_bytes"] = kernel.sharedBytes;
  object["chosen"] = listToJson(kernel.chosen);
  object["assumptions"] = listToJson(kernel.assumptions);
  object["tensor_maps"] = listToJson(kernel.tensorMaps);
  object["code"] = listToJson(kernel.code);
  object["cost"] = toJson(kernel.cost);
  object["versions"] = listToJson(kernel.versions);
  return object;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class ManifestReader {
public:
  Result<Manifest> read(const Json &document);

private:
  unsigned readIndex(JsonObject &object, const char *field);
  void readType(JsonObject &object, ElementType &type);
  std::vector<int64_t> readIntegers(JsonObject &object, const char *field,
                                    size_t max, bool allowNull);
  ArgSpec readArg(const Json &value, const std::string &path);
  ParamSpec readParam(const Json &value, const std::string &path);
  TensorMapSpec readTensorMap(const Json &value, const std::string &path);
  void readIm2col(JsonObject &map, Im2colSpec &im2col);
  Assumption readAssumption(const Json &value, const std::string &path);
  ChosenValue readChosen(const Json &value, const std::string &path);
  CodeSpec readCode(const Json &value, const std::string &path);
  KernelSpec readKernel(const Json &value, const std::string &path);

  template <typename T>
  void readList(JsonObject &object, const char *field, size_t max,
                const char *what, std::vector<T> &out,
                T (ManifestReader::*readOne)(const Json &,
                                             const std::string &)) {
    const Json *array = object.array(field, max);
    if (!array)
      return;
    for (size_t i = 0; i < array->size() && !errors.any(); ++i)
      out.push_back((this->*readOne)(
          (*array)[i], pathJoin(object.path(),
                                std::string(what) + " " + std::to_string(i))));
  }

  JsonErrors errors;
  int64_t version = 0; ///< of the manifest that is read
};
} // namespace

unsigned ManifestReader::readIndex(JsonObject &object, const char *field) {
  int64_t value = 0;
  object.integer(field, value, 0, kMaxIndex);
  return unsigned(value);
}

void ManifestReader::readType(JsonObject &object, ElementType &type) {
  std::string text;
  object.string("type", text);
  if (!errors.any() && !parseElementType(text, type))
    errors.report(object.path(), "unknown element type '" + text + "'");
}

std::vector<int64_t> ManifestReader::readIntegers(JsonObject &object,
                                                  const char *field, size_t max,
                                                  bool allowNull) {
  std::vector<int64_t> result;
  const Json *array = object.array(field, max);
  if (!array)
    return result;
  for (const Json &element : *array) {
    int64_t value = kDynamic;
    // The number that stands for "unknown" in memory is not one in a file.
    bool isNumber = readInteger(element, value) && value != kDynamic;
    if (!isNumber && !(allowNull && element.is_null())) {
      errors.report(object.path(), std::string("expected the field '") + field +
                                       "' to hold integers" +
                                       (allowNull ? " or null" : ""));
      return result;
    }
    result.push_back(value);
  }
  return result;
}

ArgSpec ManifestReader::readArg(const Json &value, const std::string &path) {
  ArgSpec arg;
  JsonObject object(value, path, errors);
  object.string("name", arg.name);
  readWord(object, "kind", kArgKinds, arg.kind, errors);
  readType(object, arg.type);
  if (arg.kind == ArgKind::MemRef) {
    arg.shape = readIntegers(object, "shape", kMaxRank, /*allowNull=*/true);
    arg.strides = readIntegers(object, "strides", kMaxRank, /*allowNull=*/true);
    object.integer("alignment", arg.alignment, 1, kMaxInt);
    readWord(object, "access", kAccesses, arg.access, errors);
    object.boolean("may_alias", arg.mayAlias);
  } else {
    arg.access = Access::Read;
  }
  object.finish();
  return arg;
}

ParamSpec ManifestReader::readParam(const Json &value,
                                    const std::string &path) {
  ParamSpec param;
  JsonObject object(value, path, errors);
  readWord(object, "kind", kParamKinds, param.kind, errors);
  if (param.kind == ParamKind::Workspace) {
    object.integer("bytes_per_block", param.bytesPerBlock, 1, kMaxInt);
    object.boolean("zeroed", param.zeroed);
    object.finish();
    return param;
  }
  if (param.kind == ParamKind::TensorMap)
    param.arg = readIndex(object, "map");
  else
    param.arg = readIndex(object, "arg");
  if (param.kind == ParamKind::Dim || param.kind == ParamKind::Stride)
    param.dim = readIndex(object, "dim");
  if (param.kind != ParamKind::Pointer && param.kind != ParamKind::TensorMap)
    readType(object, param.type);
  object.finish();
  return param;
}

void ManifestReader::readIm2col(JsonObject &map, Im2colSpec &im2col) {
  const Json *value = map.any("im2col");
  if (!value || value->is_null())
    return;
  JsonObject object(*value, pathJoin(map.path(), "im2col"), errors);
  im2col.lower = readIntegers(object, "lower", 3, /*allowNull=*/false);
  im2col.upper = readIntegers(object, "upper", 3, /*allowNull=*/false);
  object.integer("channels", im2col.channels, 1, kMaxInt);
  object.integer("pixels", im2col.pixels, 1, kMaxInt);
  object.finish();
  if (!errors.any() && im2col.lower.empty())
    errors.report(object.path(), "expected corners");
}

TensorMapSpec ManifestReader::readTensorMap(const Json &value,
                                            const std::string &path) {
  TensorMapSpec map;
  JsonObject object(value, path, errors);
  map.arg = readIndex(object, "arg");
  readType(object, map.type);
  map.dims = readExprs(object, "dims", 5, errors);
  map.strides = readExprs(object, "strides", 4, errors);
  map.box = readIntegers(object, "box", 5, /*allowNull=*/false);
  map.elementStrides =
      readIntegers(object, "element_strides", 5, /*allowNull=*/false);
  readWord(object, "interleave", kInterleaves, map.interleave, errors);
  readWord(object, "swizzle", kSwizzles, map.swizzle, errors);
  readWord(object, "l2_promotion", kL2s, map.l2, errors);
  readWord(object, "oob_fill", kFills, map.fill, errors);
  if (version >= 3)
    readIm2col(object, map.im2col);
  object.finish();
  return map;
}

Assumption ManifestReader::readAssumption(const Json &value,
                                          const std::string &path) {
  Assumption assumption;
  JsonObject object(value, path, errors);
  if (const Json *expr = object.any("expr"))
    assumption.expr = readExpr(*expr, path, errors);
  object.string("message", assumption.message);
  object.finish();
  return assumption;
}

ChosenValue ManifestReader::readChosen(const Json &value,
                                       const std::string &path) {
  ChosenValue chosen;
  JsonObject object(value, path, errors);
  object.string("name", chosen.name);
  object.integer("value", chosen.value, -kMaxInt, kMaxInt);
  object.finish();
  return chosen;
}

CodeSpec ManifestReader::readCode(const Json &value, const std::string &path) {
  CodeSpec code;
  JsonObject object(value, path, errors);
  object.string("arch", code.arch);
  readWord(object, "format", kFormats, code.format, errors);
  code.blob = readIndex(object, "blob");
  object.string("ptx_version", code.ptxVersion);
  object.string("assembler", code.assembler);
  object.string("assembler_version", code.assemblerVersion);
  object.string("options", code.options);
  object.finish();
  return code;
}

KernelSpec ManifestReader::readKernel(const Json &value,
                                      const std::string &path) {
  KernelSpec kernel;
  JsonObject object(value, path, errors);
  object.string("name", kernel.name);
  readList(object, "args", kMaxArgs, "argument", kernel.args,
           &ManifestReader::readArg);
  readList(object, "params", kMaxParams, "parameter", kernel.params,
           &ManifestReader::readParam);
  std::vector<Expr> grid = readExprs(object, "grid", 3, errors);
  object.integer("threads", kernel.threads, 1, kMaxInt);
  std::vector<int64_t> cluster =
      readIntegers(object, "cluster", 3, /*allowNull=*/false);
  if (version >= 2)
    object.integer("persistent", kernel.persistent, 0, kMaxInt);
  if (version >= 4)
    object.boolean("cooperative", kernel.cooperative);
  object.integer("shared_bytes", kernel.sharedBytes, 0, kMaxInt);
  if (version >= 3)
    readList(object, "chosen", kMaxList, "chosen value", kernel.chosen,
             &ManifestReader::readChosen);
  readList(object, "assumptions", kMaxList, "assumption", kernel.assumptions,
           &ManifestReader::readAssumption);
  readList(object, "tensor_maps", kMaxTensorMaps, "tensor map",
           kernel.tensorMaps, &ManifestReader::readTensorMap);
  readList(object, "code", kMaxList, "code", kernel.code,
           &ManifestReader::readCode);
  if (version >= 5)
    if (const Json *cost = object.any("cost"))
      kernel.cost = readCost(*cost, pathJoin(path, "cost"), errors);
  if (version >= 2)
    readList(object, "versions", kMaxVersions, "version", kernel.versions,
             &ManifestReader::readKernel);
  object.finish();
  if (errors.any())
    return kernel;
  if (grid.size() != 3 || cluster.size() != 3) {
    errors.report(path, "expected three grid and three cluster extents");
    return kernel;
  }
  for (unsigned i = 0; i < 3; ++i) {
    kernel.grid[i] = grid[i];
    kernel.cluster[i] = cluster[i];
  }
  return kernel;
}

Result<Manifest> ManifestReader::read(const Json &document) {
  Manifest manifest;
  JsonObject object(document, "manifest", errors);
  // The version comes first: a newer manifest may differ in everything else.
  object.integer("format_version", version, 1, kMaxInt);
  if (!errors.any() && version > kManifestVersion)
    return Error{"the manifest has format version " + std::to_string(version) +
                 ", newer than version " + std::to_string(kManifestVersion) +
                 " that this program reads: update mlir-tile"};
  object.string("compiler", manifest.compiler);
  readList(object, "kernels", kMaxKernels, "kernel", manifest.kernels,
           &ManifestReader::readKernel);
  object.finish();
  if (errors.any())
    return Error{errors.message};
  return manifest;
}

std::string mlir::tile::runtime::serializeManifest(const Manifest &manifest) {
  Json document = Json::object();
  document["format_version"] = kManifestVersion;
  document["compiler"] = manifest.compiler;
  document["kernels"] = listToJson(manifest.kernels);
  // Text that is not UTF-8 (a path in the assembler's options, say) becomes
  // replacement characters: JSON has no other way to hold it.
  return document.dump(/*indent=*/1, ' ', /*ensure_ascii=*/false,
                       Json::error_handler_t::replace);
}

Result<Manifest> mlir::tile::runtime::parseManifest(const std::string &text,
                                                    size_t numBlobs) {
  // JSON leaves open what a repeated field means; here it is an error.
  std::vector<std::set<std::string>> fields;
  std::string repeated;
  bool tooDeep = false;
  auto watch = [&](int depth, Json::parse_event_t event, Json &parsed) {
    tooDeep |= depth > kMaxJsonDepth;
    if (event == Json::parse_event_t::object_start)
      fields.emplace_back();
    else if (event == Json::parse_event_t::object_end && !fields.empty())
      fields.pop_back();
    else if (event == Json::parse_event_t::key && !fields.empty() &&
             parsed.is_string()) {
      const std::string &key = *parsed.get_ptr<const Json::string_t *>();
      if (!fields.back().insert(key).second && repeated.empty())
        repeated = key;
    }
    return true;
  };
  Json document = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Error{"the manifest is not well-formed JSON"};
  if (tooDeep)
    return Error{"the manifest nests deeper than this format does"};
  if (!repeated.empty())
    return Error{"the manifest repeats the field '" + repeated + "'"};
  Result<Manifest> manifest = ManifestReader().read(document);
  if (!manifest)
    return manifest;
  if (Status status = verifyManifest(*manifest, numBlobs); !status.ok())
    return Error{"manifest: " + status.message()};
  return manifest;
}
