//===- Scalars.cpp - Python numbers as kernel arguments -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Scalars.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::tile;
using namespace mlir::tile::python;
using runtime::ElementType;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string textOf(PyObject *object) {
  std::string text;
  if (PyObject *string = object ? PyObject_Str(object) : nullptr) {
    Py_ssize_t size = 0;
    if (const char *data = PyUnicode_AsUTF8AndSize(string, &size))
      text.assign(data, size_t(size));
    Py_DECREF(string);
  }
  PyErr_Clear();
  return text;
}

std::string python::describeObject(PyObject *object) {
  if (object == Py_None)
    return "None";
  PyObject *name = PyObject_GetAttrString(
      reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__");
  std::string type = textOf(name);
  Py_XDECREF(name);
  if (!PyFloat_Check(object) && !PyLong_Check(object) &&
      !PyUnicode_Check(object))
    return type;
  std::string value = textOf(object);
  return value.size() > 40 ? type : type + " " + value;
}

std::string python::takeException() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  std::string text = textOf(value);
  // PyTorch's texts go on with a trace of its own functions.
  text = text.substr(0, text.find('\n'));
  if (text.empty())
    text = textOf(type);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return text;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

namespace {
/// A format of sign, exponent and mantissa.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity;
  bool hasNan;
};
} // namespace

static uint64_t encode(double value, FloatFormat format) {
  int bias = (1 << (format.exponentBits - 1)) - 1;
  uint64_t sign = std::signbit(value)
                      ? uint64_t(1)
                            << (format.exponentBits + format.mantissaBits)
                      : 0;
  uint64_t mantissaMask = (uint64_t(1) << format.mantissaBits) - 1;
  uint64_t ones = ((uint64_t(1) << format.exponentBits) - 1)
                  << format.mantissaBits;
  // The largest finite number: below infinity, or below the only NaN.
  uint64_t largest = format.hasInfinity ? ones - 1
                     : format.hasNan    ? (ones | mantissaMask) - 1
                                        : ones | mantissaMask;
  uint64_t nan =
      format.hasInfinity ? ones | (mantissaMask + 1) / 2 : ones | mantissaMask;
  uint64_t beyond = format.hasInfinity ? ones : format.hasNan ? nan : largest;
  if (std::isnan(value))
    return format.hasNan ? sign | nan : sign;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | beyond;
  if (magnitude == 0)
    return sign;
  // Units of the last place at this magnitude; below the smallest normal
  // number, those of that one.
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  double units =
      std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  // A mantissa that rounds up to the next power of two carries into the
  // exponent by itself, as does the first normal number.
  uint64_t bits =
      (uint64_t(exponent + bias - 1) << format.mantissaBits) + uint64_t(units);
  return sign | (bits > largest ? beyond : bits);
}

/// Powers of two alone: the nearest one, of 2^-127 to 2^127.
static uint64_t encodePowerOfTwo(double value) {
  constexpr uint64_t kNan = 0xff, kLargest = 0xfe;
  constexpr int kBias = 127;
  if (!(value > 0))
    return value == 0 ? 0 : kNan;
  if (std::isinf(value))
    return kNan;
  int exponent;
  double fraction = std::frexp(value, &exponent); // 0.5 to 1
  exponent = std::max(exponent - 1 + (fraction > 0.75), -kBias);
  return std::min<uint64_t>(uint64_t(exponent + kBias), kLargest);
}

uint64_t python::encodeFloat(ElementType type, double value) {
  switch (type) {
  case ElementType::F64: {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  case ElementType::F16:
    return encode(value, {5, 10, true, true});
  case ElementType::BF16:
    return encode(value, {8, 7, true, true});
  case ElementType::F8E5M2:
    return encode(value, {5, 2, true, true});
  case ElementType::F8E4M3FN:
    return encode(value, {4, 3, false, true});
  case ElementType::F4E2M1FN:
    return encode(value, {2, 1, false, false});
  case ElementType::F8E8M0FNU:
    return encodePowerOfTwo(value);
  default: { // F32, TF32
    float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    return bits;
  }
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static bool isUnsigned(ElementType type) {
  return type == ElementType::UI8 || type == ElementType::UI16 ||
         type == ElementType::UI32 || type == ElementType::UI64;
}

static unsigned widthOf(ElementType type) {
  return type == ElementType::I1 ? 1 : runtime::storageBits(type);
}

static bool convertInteger(PyObject *object, ElementType type, uint64_t &bits,
                           std::string &problem) {
  PyObject *integer = PyNumber_Index(object);
  if (!integer) {
    PyErr_Clear();
    problem = std::string("expected an integer (") + runtime::spelling(type) +
              "), got " + describeObject(object);
    return false;
  }
  unsigned width = widthOf(type);
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  bool fits = !overflow;
  bits = uint64_t(value);
  if (type == ElementType::I1) {
    fits = fits && (value == 0 || value == 1);
  } else if (isUnsigned(type)) {
    if (overflow > 0 && width == 64) {
      bits = PyLong_AsUnsignedLongLong(integer);
      fits = !PyErr_Occurred();
      PyErr_Clear();
    } else {
      fits = fits && value >= 0 && (width == 64 || value >> width == 0);
    }
  } else if (width < 64) {
    fits = fits && value >= -(1LL << (width - 1)) && value < 1LL << (width - 1);
  }
  if (!fits) {
    bool whole = type == ElementType::I1 || isUnsigned(type);
    unsigned power = type == ElementType::I1 ? 1 : whole ? width : width - 1;
    problem = std::string("expected an integer that fits ") +
              runtime::spelling(type) + ", from " +
              (whole ? "0" : "-2^" + std::to_string(power)) + " to 2^" +
              std::to_string(power) + " - 1, got " + textOf(integer);
  }
  Py_DECREF(integer);
  return fits;
}

bool python::convertScalar(PyObject *object, ElementType type, uint64_t &bits,
                           std::string &problem) {
  if (runtime::isInteger(type))
    return convertInteger(object, type, bits, problem);
  double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    problem = std::string("expected a number (") + runtime::spelling(type) +
              "), got " + describeObject(object);
    return false;
  }
  bits = encodeFloat(type, value);
  return true;
}
