//===- TensorTypes.cpp - what types of tensors offer ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TensorTypes.h"
#include "TensorSigns.h"

#include <array>
#include <cstring>

using namespace mlir::tile;
using namespace mlir::tile::python;
using runtime::ElementType;

//===----------------------------------------------------------------------===//
// Types of objects
//===----------------------------------------------------------------------===//

static std::string moduleOf(PyObject *type) {
  std::string name;
  if (PyObject *module = PyObject_GetAttrString(type, "__module__")) {
    if (PyUnicode_Check(module))
      if (const char *text = PyUnicode_AsUTF8AndSize(module, nullptr))
        name = text;
    Py_DECREF(module);
  }
  PyErr_Clear();
  return name;
}

static bool startsWith(const std::string &text, const char *package) {
  size_t size = std::strlen(package);
  return text.compare(0, size, package) == 0 &&
         (text.size() == size || text[size] == '.');
}

static bool hasAttribute(PyObject *object, const char *name) {
  PyObject *attribute = PyObject_GetAttrString(object, name);
  PyErr_Clear();
  Py_XDECREF(attribute);
  return attribute;
}

/// The newest table of functions that this file's structures describe.
static const dlpack::ExchangeApi *findApi(PyObject *type) {
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  auto *header = static_cast<dlpack::ExchangeHeader *>(
      PyCapsule_GetPointer(capsule, dlpack::kExchangeCapsule));
  PyErr_Clear();
  Py_DECREF(capsule); // the table lives as long as the process
  while (header && header->version.major != dlpack::kMajorVersion)
    header = header->older;
  auto *api = reinterpret_cast<const dlpack::ExchangeApi *>(header);
  return api && api->tensorFromObject && api->currentStream ? api : nullptr;
}

/// Whether the type itself, not a base of it, has the functions.
static bool ownsApi(PyObject *type) {
  bool owns = false;
  if (PyObject *dict = PyObject_GetAttrString(type, "__dict__")) {
    owns = PyMapping_HasKeyString(dict, "__dlpack_c_exchange_api__");
    Py_DECREF(dict);
  }
  PyErr_Clear();
  return owns;
}

[[gnu::cold]] static TensorType describe(PyObject *tensor) {
  PyTypeObject *type = Py_TYPE(tensor);
  auto *object = reinterpret_cast<PyObject *>(type);
  TensorType result;
  result.type = type;
  std::string module = moduleOf(object);
  result.api = findApi(object);
  result.isTorch = hasAttribute(object, "is_neg");
  result.hasNegatives = result.isTorch;
  result.isNegative = result.isTorch ? findIsNegative(tensor) : nullptr;
  result.isCupy = startsWith(module, "cupy");
  result.hasStream = result.isTorch || result.isCupy;
  if (!result.api)
    return result;
  // torch.nn.Parameter is a tensor like others. Other subclasses (FakeTensor,
  // DTensor) may hold no memory.
  PyObject *name = PyObject_GetAttrString(object, "__name__");
  result.isExact = ownsApi(object) ||
                   (module == "torch.nn.parameter" && name &&
                    PyUnicode_CompareWithASCIIString(name, "Parameter") == 0);
  PyErr_Clear();
  Py_XDECREF(name);
  return result;
}

/// Types seen last. The interpreter's lock guards the table; types are kept
/// alive, so that none takes the place of another.
TensorType python::tensorTypeOf(PyObject *object) {
  static std::array<TensorType, 16> known;
  static size_t next = 0;
  PyTypeObject *type = Py_TYPE(object);
  for (const TensorType &entry : known) {
    if (entry.type == type)
      return entry;
    if (!entry.type)
      break;
  }
  TensorType described = describe(object);
  TensorType &entry = known[next++ % known.size()];
  PyTypeObject *old = entry.type;
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  entry = described;
  Py_XDECREF(reinterpret_cast<PyObject *>(old));
  return entry;
}

//===----------------------------------------------------------------------===//
// Types of elements
//===----------------------------------------------------------------------===//

static bool integerOf(unsigned bits, bool isSigned, ElementType &result) {
  switch (bits) {
  case 4:
    result = ElementType::I4;
    return true;
  case 8:
    result = isSigned ? ElementType::I8 : ElementType::UI8;
    return true;
  case 16:
    result = isSigned ? ElementType::I16 : ElementType::UI16;
    return true;
  case 32:
    result = isSigned ? ElementType::I32 : ElementType::UI32;
    return true;
  case 64:
    result = isSigned ? ElementType::I64 : ElementType::UI64;
    return true;
  default:
    return false;
  }
}

static bool floatOf(unsigned bits, ElementType &result) {
  result = bits == 16   ? ElementType::F16
           : bits == 32 ? ElementType::F32
                        : ElementType::F64;
  return bits == 16 || bits == 32 || bits == 64;
}

bool python::elementTypeOf(dlpack::DataType type, ElementType &result,
                           bool &isPair) {
  isPair = type.bits == 4 && type.lanes == 2;
  if (type.lanes != 1 && !isPair)
    return false;
  auto is = [&](unsigned bits, ElementType which) {
    result = which;
    return type.bits == bits;
  };
  switch (type.code) {
  case dlpack::kFloat:
    return floatOf(type.bits, result);
  case dlpack::kBfloat:
    return is(16, ElementType::BF16);
  case dlpack::kInt:
  case dlpack::kUInt:
    return integerOf(type.bits, type.code == dlpack::kInt, result);
  case dlpack::kBool:
    return is(8, ElementType::I1);
  case dlpack::kFloat8E4M3FN:
    return is(8, ElementType::F8E4M3FN);
  case dlpack::kFloat8E5M2:
    return is(8, ElementType::F8E5M2);
  case dlpack::kFloat8E8M0FNU:
    return is(8, ElementType::F8E8M0FNU);
  case dlpack::kFloat4E2M1FN:
    return is(4, ElementType::F4E2M1FN);
  default:
    return false;
  }
}

std::vector<Expected> python::expectedOf(const runtime::KernelSpec &kernel) {
  std::vector<Expected> all;
  for (const runtime::ArgSpec &arg : kernel.args) {
    Expected &one = all.emplace_back();
    one = {{0xff, 0, 0}, arg.type, arg.kind == runtime::ArgKind::Scalar};
    for (uint8_t code = 0; code <= dlpack::kFloat4E2M1FN; ++code)
      for (uint8_t bits : {4, 8, 16, 32, 64}) {
        dlpack::DataType type = {code, bits, 1};
        ElementType element;
        bool isPair;
        if (elementTypeOf(type, element, isPair) && element == arg.type)
          one.exact = type;
      }
  }
  return all;
}

std::string python::describeType(dlpack::DataType type) {
  static const char *const kNames[] = {
      "i",        "ui",         "f",       "handles of ", "bf",
      "complex",  "bool",       "f8E3M4",  "f8E4M3",      "f8E4M3B11FNUZ",
      "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2",  "f8E5M2FNUZ",  "f8E8M0FNU",
      "f6E2M3FN", "f6E3M2FN",   "f4E2M1FN"};
  std::string name =
      type.code < std::size(kNames)
          ? kNames[type.code]
          : "DLPack's type " + std::to_string(type.code) + " of bits ";
  if (type.code <= dlpack::kComplex || type.code >= std::size(kNames))
    name += std::to_string(type.bits);
  return type.lanes == 1 ? name
                         : std::to_string(type.lanes) + " lanes of " + name;
}

std::string python::describeDevice(int32_t type, int32_t ordinal) {
  switch (type) {
  case dlpack::kCpu:
    return "the CPU";
  case dlpack::kCudaHost:
    return "the CPU (pinned)";
  case dlpack::kCuda:
  case dlpack::kCudaManaged:
    return "GPU " + std::to_string(ordinal);
  default:
    return "a device of DLPack's type " + std::to_string(type);
  }
}

bool python::elementTypeOfName(const std::string &name, ElementType &result) {
  static const std::pair<const char *, ElementType> kNames[] = {
      {"bool", ElementType::I1},
      {"int8", ElementType::I8},
      {"uint8", ElementType::UI8},
      {"int16", ElementType::I16},
      {"uint16", ElementType::UI16},
      {"int32", ElementType::I32},
      {"uint32", ElementType::UI32},
      {"int64", ElementType::I64},
      {"uint64", ElementType::UI64},
      {"float16", ElementType::F16},
      {"bfloat16", ElementType::BF16},
      {"float32", ElementType::F32},
      {"float64", ElementType::F64},
      {"float8_e4m3fn", ElementType::F8E4M3FN},
      {"float8_e5m2", ElementType::F8E5M2},
      {"float8_e8m0fnu", ElementType::F8E8M0FNU},
  };
  for (const auto &[known, type] : kNames)
    if (name == known) {
      result = type;
      return true;
    }
  return false;
}

bool python::elementTypeOfFormat(const char *format, unsigned bytes,
                                 ElementType &result) {
  if (!format) {
    result = ElementType::UI8;
    return bytes == 1;
  }
  // Big-endian formats are none of ours; the host is little-endian.
  if (std::strchr("@=<|", *format))
    ++format;
  if (!*format)
    return false;
  bool isArray = format[1] >= '0' && format[1] <= '9'; // "<f4"
  if (format[1] && !isArray)
    return false;
  switch (*format) {
  case '?':
    result = ElementType::I1;
    return true;
  case 'e':
  case 'f':
  case 'd':
    return floatOf(bytes * 8, result);
  case 'b':
    if (isArray) { // a boolean in array interfaces, else a signed char
      result = ElementType::I1;
      return true;
    }
    return integerOf(8, true, result);
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return integerOf(bytes * 8, true, result);
  case 'c':
    if (isArray)
      return false; // complex
    return integerOf(8, false, result);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
  case 'u':
    return integerOf(bytes * 8, false, result);
  default:
    return false;
  }
}
