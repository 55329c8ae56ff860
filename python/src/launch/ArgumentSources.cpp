//===- ArgumentSources.cpp - tensors without exchange functions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's buffers, NumPy's and CUDA's array interfaces, `__dlpack__`, and the
// stream that the libraries of these work on.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "TensorSigns.h"

#include <cstring>

using namespace mlir::tile;
using namespace mlir::tile::python;
using runtime::ElementType;

namespace {
/// A reference that is given back.
class Reference {
public:
  explicit Reference(PyObject *object) : object(object) {}
  ~Reference() { Py_XDECREF(object); }
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;
  PyObject *get() const { return object; }
  explicit operator bool() const { return object; }
  PyObject *release() {
    PyObject *given = object;
    object = nullptr;
    return given;
  }

private:
  PyObject *object;
};

/// An attribute, or null without an exception.
Reference attribute(PyObject *object, const char *name) {
  PyObject *value = PyObject_GetAttrString(object, name);
  if (!value)
    PyErr_Clear();
  return Reference(value);
}

/// Borrowed, or null without an exception.
PyObject *item(PyObject *dict, const char *key) {
  return PyDict_Check(dict) ? PyDict_GetItemString(dict, key) : nullptr;
}

std::string textOf(PyObject *string) {
  const char *text = string && PyUnicode_Check(string)
                         ? PyUnicode_AsUTF8AndSize(string, nullptr)
                         : nullptr;
  PyErr_Clear();
  return text ? text : "";
}

bool integersOf(PyObject *tuple, std::vector<int64_t> &values) {
  if (!tuple || !PyTuple_Check(tuple))
    return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
    values.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
  bool failed = PyErr_Occurred();
  PyErr_Clear();
  return !failed;
}

/// An object of a module that is imported already; null without an exception.
PyObject *importedModule(const char *name) {
  PyObject *modules = PySys_GetObject("modules"); // borrowed
  return modules ? item(modules, name) : nullptr;
}
} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

bool Arguments::addBytes(size_t index, void *data, ElementType type,
                         unsigned itemBytes, std::vector<int64_t> shape,
                         const int64_t *byteStrides) {
  const int64_t *strides = nullptr;
  if (byteStrides) {
    std::vector<int64_t> &elements =
        owned().dims.emplace_back(byteStrides, byteStrides + shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
      if (elements[i] % int64_t(itemBytes) && shape[i] > 1)
        return refuse(index, "expected strides of whole elements (" +
                                 std::to_string(itemBytes) + " bytes), got " +
                                 std::to_string(elements[i]) +
                                 " bytes in dimension " + std::to_string(i));
      elements[i] /= int64_t(itemBytes);
    }
    strides = elements.data();
  }
  std::vector<int64_t> &dims = owned().dims.emplace_back(std::move(shape));
  set(index, reinterpret_cast<uint64_t>(data), type, unsigned(dims.size()),
      dims.data(), strides);
  return true;
}

bool Arguments::addBuffer(size_t index, PyObject *object, bool &handled) {
  bool isWritten = kernel.args[index].isWritten();
  Py_buffer &view = owned().buffers.emplace_back();
  std::memset(&view, 0, sizeof(view));
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT)) {
    // NumPy refuses formats that buffers have no letter for.
    PyErr_Clear();
    slow->buffers.pop_back();
    return addArrayInterface(index, object, handled);
  }
  handled = true;
  if (isWritten && view.readonly)
    return refuse(index, "expected memory that may be written, because the "
                         "kernel writes it, got a read-only " +
                             describeObject(object));
  ElementType type;
  if (!elementTypeOfFormat(view.format, unsigned(view.itemsize), type)) {
    handled = false;
    bool fits = addArrayInterface(index, object, handled);
    if (handled)
      return fits;
    handled = true;
    return refuse(index, std::string("expected element type ") +
                             runtime::spelling(kernel.args[index].type) +
                             ", got a " + describeObject(object) +
                             " of format '" + (view.format ? view.format : "") +
                             "'");
  }
  // Without shape or strides (ctypes): dense.
  std::vector<int64_t> shape, strides;
  if (view.shape)
    shape.assign(view.shape, view.shape + view.ndim);
  else
    shape = {int64_t(view.len / view.itemsize)};
  if (view.strides)
    strides.assign(view.strides, view.strides + view.ndim);
  return addBytes(index, view.buf, type, unsigned(view.itemsize),
                  std::move(shape), view.strides ? strides.data() : nullptr);
}

/// Arrays of ml_dtypes: their type has a name, but no letter.
bool Arguments::addArrayInterface(size_t index, PyObject *object,
                                  bool &handled) {
  Reference interface = attribute(object, "__array_interface__");
  Reference dtype = attribute(object, "dtype");
  if (!interface || !dtype)
    return true;
  Reference name = attribute(dtype.get(), "name");
  Reference size = attribute(dtype.get(), "itemsize");
  PyObject *data = item(interface.get(), "data");
  std::vector<int64_t> shape, strides;
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 ||
      !integersOf(item(interface.get(), "shape"), shape))
    return true;
  handled = true;
  std::string typeName = textOf(name.get());
  ElementType type;
  std::string order = textOf(item(interface.get(), "typestr"));
  if (order.compare(0, 1, ">") == 0)
    typeName += " in big-endian order";
  if (!elementTypeOfName(typeName, type))
    return refuse(index, std::string("expected element type ") +
                             runtime::spelling(kernel.args[index].type) +
                             ", got " + typeName);
  if (kernel.args[index].isWritten() &&
      PyObject_IsTrue(PyTuple_GetItem(data, 1)))
    return refuse(index, "expected memory that may be written, because the "
                         "kernel writes it, got a read-only " +
                             describeObject(object));
  void *address = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  long bytes = size ? PyLong_AsLong(size.get()) : 0;
  PyErr_Clear();
  PyObject *given = item(interface.get(), "strides");
  bool hasStrides = given && given != Py_None && integersOf(given, strides);
  return addBytes(index, address, type, unsigned(bytes > 0 ? bytes : 1),
                  std::move(shape), hasStrides ? strides.data() : nullptr);
}

bool Arguments::addCapsule(size_t index, PyObject *object, bool &handled) {
  Reference method = attribute(object, "__dlpack__");
  if (!method)
    return true;
  handled = true;
  Reference none(PyTuple_New(0)), options(PyDict_New());
  if (onDevice) {
    // The protocol's 1 is CUDA's default stream.
    Reference stream(PyLong_FromVoidPtr(
        workStream ? workStream : reinterpret_cast<void *>(1)));
    PyDict_SetItemString(options.get(), "stream", stream.get());
  }
  Reference version(Py_BuildValue("(ii)", 1, 0));
  PyDict_SetItemString(options.get(), "max_version", version.get());
  PyObject *kept = PyObject_Call(method.get(), none.get(), options.get());
  if (!kept && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear(); // a producer of before version 1
    PyDict_DelItemString(options.get(), "max_version");
    kept = PyObject_Call(method.get(), none.get(), options.get());
  }
  if (!kept)
    return refuse(index, takeException());
  // The capsule frees what it holds, since nobody else takes it.
  owned().objects.push_back(kept);
  if (PyCapsule_IsValid(kept, dlpack::kCapsuleVersioned)) {
    auto *managed = static_cast<dlpack::ManagedTensorVersioned *>(
        PyCapsule_GetPointer(kept, dlpack::kCapsuleVersioned));
    if (managed->version.major != dlpack::kMajorVersion)
      return refuse(index, "expected a tensor by version 1 of DLPack, got "
                           "version " +
                               std::to_string(managed->version.major));
    if (kernel.args[index].isWritten() && (managed->flags & dlpack::kReadOnly))
      return refuse(index, "expected memory that may be written, because the "
                           "kernel writes it, got a read-only " +
                               describeObject(object));
    return addTensor(index, managed->tensor);
  }
  if (PyCapsule_IsValid(kept, dlpack::kCapsule))
    return addTensor(index, static_cast<dlpack::ManagedTensor *>(
                                PyCapsule_GetPointer(kept, dlpack::kCapsule))
                                ->tensor);
  return refuse(index, "expected a capsule of __dlpack__, got " +
                           describeObject(kept));
}

bool Arguments::addCudaInterface(size_t index, PyObject *object,
                                 bool &handled) {
  Reference interface = attribute(object, "__cuda_array_interface__");
  if (!interface)
    return true;
  handled = true;
  PyObject *data = item(interface.get(), "data");
  std::string format = textOf(item(interface.get(), "typestr"));
  std::vector<int64_t> shape, strides;
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 ||
      format.size() < 3 || !integersOf(item(interface.get(), "shape"), shape))
    return refuse(index, "expected data, typestr and shape in "
                         "__cuda_array_interface__ of " +
                             describeObject(object));
  unsigned bytes = unsigned(std::strtoul(format.c_str() + 2, nullptr, 10));
  ElementType type;
  if (!elementTypeOfFormat(format.c_str(), bytes, type))
    return refuse(index, std::string("expected element type ") +
                             runtime::spelling(kernel.args[index].type) +
                             ", got '" + format + "'");
  if (PyObject *mask = item(interface.get(), "mask"); mask && mask != Py_None)
    return refuse(index, "expected an array without a mask");
  if (kernel.args[index].isWritten() &&
      PyObject_IsTrue(PyTuple_GetItem(data, 1)))
    return refuse(index, "expected memory that may be written, because the "
                         "kernel writes it, got a read-only " +
                             describeObject(object));
  void *address = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  PyErr_Clear();
  // The interface names no device: the driver is asked.
  trusted = false;
  PyObject *given = item(interface.get(), "strides");
  bool hasStrides = given && given != Py_None && integersOf(given, strides);
  owned().objects.push_back(interface.release());
  return addBytes(index, address, type, bytes ? bytes : 1, std::move(shape),
                  hasStrides ? strides.data() : nullptr);
}

/// Whether an object says that it is memory of the CPU: NumPy, for one, does
/// not understand streams.
static bool isOnCpu(PyObject *object) {
  Reference where(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  PyErr_Clear();
  if (where && PyTuple_Check(where.get()) && PyTuple_Size(where.get()) == 2) {
    Reference type(PyNumber_Long(PyTuple_GetItem(where.get(), 0)));
    bool isCpu = type && PyLong_AsLong(type.get()) == dlpack::kCpu;
    PyErr_Clear();
    return isCpu;
  }
  return PyObject_CheckBuffer(object) && !attribute(object, "__dlpack__") &&
         !attribute(object, "__cuda_array_interface__");
}

bool Arguments::convertSlowly(size_t index, PyObject *object,
                              const TensorType &type) {
  bool handled = false;
  std::string wanted = std::string("expected a tensor of ") +
                       runtime::spelling(kernel.args[index].type);
  if (object == Py_None || PyFloat_Check(object) || PyLong_Check(object))
    return refuse(index, wanted + ", got " + describeObject(object));
  if (type.isTorch) {
    // PyTorch before 2.10; tensors with gradients do not export themselves.
    if (bool negative; !isNegative(object, type, negative) || negative)
      return refuseNegative(index);
    PyObject *detached = PyObject_CallMethod(object, "detach", nullptr);
    if (!detached)
      return refuse(index, takeException());
    owned().objects.push_back(detached);
    object = detached;
  }
  if (!onDevice && PyObject_CheckBuffer(object)) {
    bool fits = addBuffer(index, object, handled);
    if (handled)
      return fits;
  }
  // Arrays of JAX have buffers by their type, wherever they are.
  if (onDevice && isOnCpu(object))
    return refuse(index, "expected memory of a GPU, got " +
                             describeObject(object) +
                             ", which is memory of the CPU; move it to the "
                             "GPU, or compile for the target cpu");
  for (auto add : {&Arguments::addCapsule, &Arguments::addCudaInterface}) {
    bool fits = onDevice || add == &Arguments::addCapsule
                    ? (this->*add)(index, object, handled)
                    : true;
    if (handled)
      return fits;
  }
  return refuse(index, wanted + (onDevice ? " on a GPU" : " on the CPU") +
                           ", got " + describeObject(object));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// A stream as an integer attribute of an object. `name` is interned: types
/// remember where they have such attributes.
static bool handleOf(PyObject *object, PyObject *name, void *&stream) {
  PyObject *value = name ? PyObject_GetAttr(object, name) : nullptr;
  if (!value)
    PyErr_Clear();
  Reference handle(value);
  if (!handle || !PyLong_Check(handle.get()))
    return false;
  stream = PyLong_AsVoidPtr(handle.get());
  PyErr_Clear();
  return true;
}

static PyObject *torchHandle() {
  static PyObject *name = PyUnicode_InternFromString("cuda_stream");
  return name;
}

static PyObject *cupyHandle() {
  static PyObject *name = PyUnicode_InternFromString("ptr");
  return name;
}

bool Arguments::findStream(PyObject *given) {
  if (!given || given == Py_None)
    return findWorkStream();
  if (PyLong_Check(given)) {
    workStream = PyLong_AsVoidPtr(given);
    if (!PyErr_Occurred())
      return true;
    text = "stream: " + takeException();
    return false;
  }
  // PyTorch's, CuPy's, and the protocol of cuda.core.
  if (handleOf(given, torchHandle(), workStream) ||
      handleOf(given, cupyHandle(), workStream))
    return true;
  Reference pair(PyObject_CallMethod(given, "__cuda_stream__", nullptr));
  if (pair && PyTuple_Check(pair.get()) && PyTuple_Size(pair.get()) == 2) {
    workStream = PyLong_AsVoidPtr(PyTuple_GetItem(pair.get(), 1));
    if (!PyErr_Occurred())
      return true;
  }
  PyErr_Clear();
  text = "stream: expected a stream of PyTorch or CuPy, an object with "
         "__cuda_stream__ or the address of a CUstream, got " +
         describeObject(given);
  return false;
}

/// That of the first tensor whose library has one, or CUDA's default.
bool Arguments::findWorkStream() {
  int ordinal = device < 0 ? 0 : device;
  if (streamApi) {
    if (!streamApi->currentStream(dlpack::kCuda, ordinal, &workStream))
      return true;
    text = "stream: " + takeException();
    return false;
  }
  if (!streamOwner)
    return true;
  if (tensorTypeOf(streamOwner).isCupy) {
    PyObject *module = importedModule("cupy.cuda");
    Reference stream(
        module ? PyObject_CallMethod(module, "get_current_stream", nullptr)
               : nullptr);
    if (stream)
      handleOf(stream.get(), cupyHandle(), workStream);
    PyErr_Clear();
    return true;
  }
  PyObject *module = importedModule("torch._C");
  Reference where = attribute(streamOwner, "device");
  int index = ordinal;
  if (where)
    if (Reference number = attribute(where.get(), "index");
        number && PyLong_Check(number.get()))
      index = int(PyLong_AsLong(number.get()));
  Reference stream(module ? PyObject_CallMethod(
                                module, "_cuda_getCurrentRawStream", "i", index)
                          : nullptr);
  if (stream && PyLong_Check(stream.get()))
    workStream = PyLong_AsVoidPtr(stream.get());
  PyErr_Clear();
  return true;
}
