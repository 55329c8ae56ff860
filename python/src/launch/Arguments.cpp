//===- Arguments.cpp - Python objects as the arguments of a launch --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The path that a launch with PyTorch's tensors takes, and what all ways have
// in common; ArgumentSources.cpp has the other ways.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "TensorSigns.h"
#include "TensorTypes.h"

#include <new>

using namespace mlir::tile;
using namespace mlir::tile::python;
using runtime::Arg;
using runtime::ElementType;

Arguments::~Arguments() {
  if (!slow)
    return;
  for (Py_buffer &buffer : slow->buffers)
    PyBuffer_Release(&buffer);
  for (PyObject *object : slow->objects)
    Py_DECREF(object);
}

bool Arguments::refuse(size_t index, const std::string &what) {
  text = "argument " + std::to_string(index) + " ('" + kernel.args[index].name +
         "'): " + what;
  return false;
}

//===----------------------------------------------------------------------===//
// One argument
//===----------------------------------------------------------------------===//

/// Whether the kernel may take integers of `actual` for bits of `expected`:
/// NumPy has no name for these types.
static bool holdsBits(ElementType expected, ElementType actual) {
  switch (expected) {
  case ElementType::BF16:
    return actual == ElementType::UI16;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E8M0FNU:
    return actual == ElementType::UI8;
  default:
    return false;
  }
}

/// The same of two elements to a byte.
static bool holdsPairs(ElementType expected, ElementType actual) {
  return (expected == ElementType::I4 || expected == ElementType::F4E2M1FN) &&
         (actual == ElementType::I8 || actual == ElementType::UI8);
}

void Arguments::set(size_t index, uint64_t data, ElementType type,
                    unsigned rank, const int64_t *shape,
                    const int64_t *strides) {
  ElementType expected = kernel.args[index].type;
  bool packed = false;
  if (type != expected) {
    packed = holdsPairs(expected, type);
    if (packed || holdsBits(expected, type))
      type = expected;
  }
  Arg *arg = ::new (storage + index * sizeof(Arg))
      Arg(Arg::memref(data, type, rank, shape, strides));
  if (packed)
    unpackShape(*arg);
}

void Arguments::unpackShape(Arg &arg) {
  if (!arg.rank)
    return;
  std::vector<int64_t> &shape =
      owned().dims.emplace_back(arg.shape, arg.shape + arg.rank);
  shape.back() *= 2;
  arg.shape = shape.data();
  if (!arg.strides)
    return;
  std::vector<int64_t> &strides =
      owned().dims.emplace_back(arg.strides, arg.strides + arg.rank);
  // Bytes that are not one behind the other leave no stride for elements: the
  // launcher refuses what this makes of it.
  for (size_t i = 0; i + 1 < strides.size(); ++i)
    strides[i] *= 2;
  if (strides.back() != 1)
    strides.back() *= 2;
  arg.strides = strides.data();
}

bool Arguments::addDevice(size_t index, int32_t type, int32_t ordinal) {
  bool isHost = type == dlpack::kCpu || type == dlpack::kCudaHost ||
                type == dlpack::kCudaManaged;
  if (!onDevice) {
    if (isHost)
      return true;
    return refuse(index, "expected memory of the CPU, got a tensor on " +
                             describeDevice(type, ordinal));
  }
  // Pinned and managed memory is any device's.
  if (type == dlpack::kCudaHost || type == dlpack::kCudaManaged)
    return true;
  if (type != dlpack::kCuda)
    return refuse(index, "expected memory of a GPU, got a tensor on " +
                             describeDevice(type, ordinal) +
                             "; move it to the GPU, or compile for the target "
                             "cpu");
  if (device < 0)
    device = ordinal;
  if (device == ordinal)
    return true;
  elsewhere = true;
  return refuse(index, "expected memory of GPU " + std::to_string(device) +
                           ", where the arguments before it are, got a tensor "
                           "on " +
                           describeDevice(type, ordinal));
}

bool Arguments::addTensor(size_t index, const dlpack::Tensor &tensor) {
  if (!addDevice(index, tensor.device.type, tensor.device.ordinal))
    return false;
  ElementType type;
  bool isPair = false;
  if (!elementTypeOf(tensor.type, type, isPair))
    return refuse(index, std::string("expected element type ") +
                             runtime::spelling(kernel.args[index].type) +
                             ", got " + describeType(tensor.type));
  uint64_t data = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  set(index, tensor.data ? data : 0, type, unsigned(tensor.rank), tensor.shape,
      tensor.strides);
  if (isPair)
    unpackShape(*reinterpret_cast<Arg *>(storage + index * sizeof(Arg)));
  return true;
}

bool Arguments::refuseNegative(size_t index) {
  return refuse(index, "expected what is in memory, got a view of its "
                       "negative; resolve_neg() makes a tensor of it");
}

bool Arguments::exchange(size_t index, PyObject *object,
                         const TensorType &type) {
  dlpack::Tensor tensor;
  if (type.api->tensorFromObject(object, &tensor)) {
    if (!PyErr_Occurred())
      return refuse(index, "expected a tensor with memory, got " +
                               describeObject(object));
    return refuse(index, takeException());
  }
  if (!type.isExact && !tensor.data) {
    int64_t elements = 1;
    for (int32_t i = 0; i < tensor.rank; ++i)
      elements *= tensor.shape[i];
    if (elements)
      return refuse(index, "expected a tensor with memory of its own, got " +
                               describeObject(object) +
                               ", which has none; under torch.compile, launch "
                               "through mlir_tile.torch_op");
  }
  if (type.hasNegatives && index < firstMade)
    if (bool negative;
        !isNegative(object, type, tensor.data, negative) || negative)
      return refuseNegative(index);
  if (!streamApi)
    streamApi = type.api;
  // What nearly every tensor is: on the GPU of those before it, of the type
  // that is expected.
  bool isHere = tensor.device.ordinal == device || (device < 0 && onDevice);
  if (tensor.device.type == dlpack::kCuda && isHere &&
      tensor.type == expected[index].exact && tensor.data) {
    device = tensor.device.ordinal;
    ::new (storage + index * sizeof(Arg)) Arg(
        Arg::memref(reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset,
                    expected[index].type, unsigned(tensor.rank), tensor.shape,
                    tensor.strides));
    return true;
  }
  return addTensor(index, tensor);
}

bool Arguments::addScalar(size_t index, PyObject *object) {
  ElementType type = kernel.args[index].type;
  uint64_t bits = 0;
  std::string problem;
  if (!convertScalar(object, type, bits, problem))
    return refuse(index, problem);
  ::new (storage + index * sizeof(Arg)) Arg(Arg::scalar(type, bits));
  return true;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

bool Arguments::refuseCount(size_t given) {
  size_t expected = kernel.args.size();
  std::string names;
  for (const runtime::ArgSpec &arg : kernel.args)
    names += (names.empty() ? "" : ", ") + arg.name;
  text = "kernel '" + kernel.name + "': expected " + std::to_string(expected) +
         " argument" + (expected == 1 ? "" : "s") +
         (names.empty() ? "" : " (" + names + ")") + ", got " +
         std::to_string(given);
  return false;
}

bool Arguments::convert(const Given &given) {
  PyObject *const *objects = given.args;
  if (given.count != numExpected)
    return refuseCount(given.count);
  count = given.count;
  firstMade = count - given.made;
  // The stream is known before a tensor is asked to be ready on it: tensors
  // with exchange functions, whose library's stream it is, come first.
  bool hasSlow = false;
  TensorType type; // of the one before: most are alike
  for (size_t i = 0; i < count; ++i) {
    PyObject *object = objects[i];
    if (expected[i].isScalar) {
      if (!addScalar(i, object))
        return false;
      continue;
    }
    if (type.type != Py_TYPE(object))
      type = tensorTypeOf(object);
    if (!type.api && onDevice) {
      hasSlow = true;
      continue;
    }
    if (!(type.api ? exchange(i, object, type)
                   : convertSlowly(i, object, type)))
      return false;
  }
  return !onDevice || convertRest(objects, given.stream, hasSlow);
}

/// Finds the stream, then converts the tensors without exchange functions.
bool Arguments::convertRest(PyObject *const *objects, PyObject *stream,
                            bool hasSlow) {
  for (size_t i = 0; hasSlow && i < count && !streamOwner; ++i)
    if (tensorTypeOf(objects[i]).hasStream)
      streamOwner = objects[i];
  if (!findStream(stream))
    return false;
  for (size_t i = 0; hasSlow && i < count; ++i) {
    if (expected[i].isScalar)
      continue;
    TensorType type = tensorTypeOf(objects[i]);
    if (!type.api && !convertSlowly(i, objects[i], type))
      return false;
  }
  return true;
}
