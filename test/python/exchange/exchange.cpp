//===- exchange.cpp - tensors and a driver for tests of launches ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `Tensor`, an object whose type has DLPack's exchange functions as PyTorch's
// has, wherever its memory is said to be; and access to the mock driver of
// unittests/Runtime, which is compiled into the same library: the launcher
// opens this file as its libcuda.
//
//===----------------------------------------------------------------------===//
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "../../../python/src/launch/DLPack.h"
#include "../../../unittests/Runtime/MockCuda.h"

#include <vector>

namespace dlpack = mlir::tile::python::dlpack;

namespace {
struct Tensor {
  PyObject_HEAD dlpack::Tensor *described;
  std::vector<int64_t> *dims; ///< shape, then strides
  bool isNegative;
  PyObject *references; ///< weak ones
};
void *currentStream = nullptr;
int failures = 0; ///< of the next calls of the exchange functions
int signsAsked = 0;
} // namespace

static int tensorFromObject(void *object, dlpack::Tensor *out) {
  if (failures) {
    --failures;
    PyErr_SetString(PyExc_RuntimeError, "this tensor is sparse");
    return -1;
  }
  *out = *static_cast<Tensor *>(object)->described;
  return 0;
}

static int streamOf(int32_t type, int32_t ordinal, void **stream) {
  // A stream for each device, to see whose was asked for.
  *stream = currentStream ? reinterpret_cast<char *>(currentStream) + ordinal
                          : nullptr;
  return 0;
}

static dlpack::ExchangeApi newApi = {{{2, 0}, nullptr}, nullptr, nullptr,
                                     nullptr,           nullptr, nullptr};
static dlpack::ExchangeApi api = {{{1, 3}, nullptr}, nullptr, nullptr, nullptr,
                                  tensorFromObject,  streamOf};

/// Tensor(address, shape, strides, (code, bits, lanes), (device type, ordinal),
/// negative=False)
static PyObject *newTensor(PyTypeObject *type, PyObject *args, PyObject *) {
  unsigned long long address;
  PyObject *shape, *strides;
  int code, bits, lanes, device, ordinal, negative = 0;
  if (!PyArg_ParseTuple(args, "KO!O!(iii)(ii)|p", &address, &PyTuple_Type,
                        &shape, &PyTuple_Type, &strides, &code, &bits, &lanes,
                        &device, &ordinal, &negative))
    return nullptr;
  auto *self = reinterpret_cast<Tensor *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  Py_ssize_t rank = PyTuple_Size(shape);
  self->dims = new std::vector<int64_t>;
  for (PyObject *tuple : {shape, strides})
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
      self->dims->push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
  self->isNegative = negative;
  self->described = new dlpack::Tensor;
  self->described->data = reinterpret_cast<void *>(address);
  self->described->device = {device, ordinal};
  self->described->rank = int32_t(rank);
  self->described->type = {uint8_t(code), uint8_t(bits), uint16_t(lanes)};
  self->described->shape = self->dims->data();
  self->described->strides =
      PyTuple_Size(strides) == rank ? self->dims->data() + rank : nullptr;
  self->described->byteOffset = 0;
  return reinterpret_cast<PyObject *>(self);
}

static void deleteTensor(PyObject *object) {
  auto *self = reinterpret_cast<Tensor *>(object);
  if (self->references)
    PyObject_ClearWeakRefs(object);
  delete self->described;
  delete self->dims;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyObject *isNegative(PyObject *self, PyObject *) {
  ++signsAsked;
  return PyBool_FromLong(reinterpret_cast<Tensor *>(self)->isNegative);
}

/// set(address, negative): the tensor has other memory now.
static PyObject *setMemory(PyObject *object, PyObject *args) {
  auto *self = reinterpret_cast<Tensor *>(object);
  unsigned long long address;
  int negative;
  if (!PyArg_ParseTuple(args, "Kp", &address, &negative))
    return nullptr;
  self->described->data = reinterpret_cast<void *>(address);
  self->isNegative = negative;
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Tensors of a library
//===----------------------------------------------------------------------===//

/// The library's own functions, and those that stand in for them.
static const dlpack::ExchangeApi *libraryApi;
static dlpack::ExchangeApi standInApi;

static int onGpuFromObject(void *object, dlpack::Tensor *out) {
  int result = libraryApi->tensorFromObject(object, out);
  out->device = {dlpack::kCuda, 0};
  return result;
}

/// on_gpu(type): from now on the tensors of a library, which are the CPU's, say
/// that they are GPU 0's, and its current stream is set_stream's. Where there
/// is no GPU, launches are measured with the library's own functions so.
static PyObject *onGpu(PyObject *, PyObject *type) {
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  void *pointer = capsule
                      ? PyCapsule_GetPointer(capsule, dlpack::kExchangeCapsule)
                      : nullptr;
  Py_XDECREF(capsule); // the table lives as long as the process
  if (!pointer)
    return nullptr;
  libraryApi = static_cast<const dlpack::ExchangeApi *>(pointer);
  standInApi = *libraryApi;
  standInApi.tensorFromObject = onGpuFromObject;
  standInApi.currentStream = streamOf;
  capsule = PyCapsule_New(&standInApi, dlpack::kExchangeCapsule, nullptr);
  int failed =
      PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule);
  Py_DECREF(capsule);
  if (failed)
    return nullptr;
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// The mock driver
//===----------------------------------------------------------------------===//

/// mock(devices=, major=, quiet=, launch_result=): what it pretends.
static PyObject *mock(PyObject *, PyObject *args, PyObject *names) {
  MockCuda &state = *mockCudaState();
  int quiet = state.quiet;
  static const char *keys[] = {"devices", "major", "quiet", "launch_result",
                               nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, names, "|iipi",
                                   const_cast<char **>(keys), &state.numDevices,
                                   &state.major, &quiet, &state.launchResult))
    return nullptr;
  state.quiet = quiet;
  Py_RETURN_NONE;
}

/// parameters(kernel, [bytes...]): of the code that is loaded.
static PyObject *parameters(PyObject *, PyObject *args) {
  const char *kernel;
  PyObject *sizes;
  if (!PyArg_ParseTuple(args, "sO!", &kernel, &PyList_Type, &sizes))
    return nullptr;
  std::vector<size_t> &to = mockCudaState()->paramSizes[kernel];
  to.clear();
  for (Py_ssize_t i = 0; i < PyList_Size(sizes); ++i)
    to.push_back(PyLong_AsSize_t(PyList_GetItem(sizes, i)));
  Py_RETURN_NONE;
}

/// memory(address, bytes, device): what the driver knows of an address.
static PyObject *memory(PyObject *, PyObject *args) {
  unsigned long long address, bytes;
  int device;
  if (!PyArg_ParseTuple(args, "KKi", &address, &bytes, &device))
    return nullptr;
  mockCudaState()->memory[address] = {bytes, device, false, false};
  Py_RETURN_NONE;
}

/// Launches since the last call: (kernel, grid, stream, first parameters).
static PyObject *launches(PyObject *, PyObject *) {
  PyObject *list = PyList_New(0);
  for (const MockLaunch &launch : mockCudaState()->launches) {
    PyObject *params = PyList_New(0);
    for (const std::string &bytes : launch.params) {
      PyObject *item =
          PyBytes_FromStringAndSize(bytes.data(), Py_ssize_t(bytes.size()));
      PyList_Append(params, item);
      Py_DECREF(item);
    }
    PyObject *entry = Py_BuildValue(
        "(s(III)KN)", launch.kernel.c_str(), launch.grid[0], launch.grid[1],
        launch.grid[2], reinterpret_cast<unsigned long long>(launch.stream),
        params);
    PyList_Append(list, entry);
    Py_DECREF(entry);
  }
  mockCudaState()->launches.clear();
  return list;
}

static PyObject *seen(PyObject *, PyObject *) {
  return Py_BuildValue(
      "{s:i,s:i,s:i,s:i}", "modules", mockCudaState()->modulesLoaded,
      "launches", mockCudaState()->numLaunches, "allocations",
      int(mockCudaState()->memory.size()), "signs", signsAsked);
}

static PyObject *setStream(PyObject *, PyObject *stream) {
  currentStream = PyLong_AsVoidPtr(stream);
  Py_RETURN_NONE;
}

static PyObject *fail(PyObject *, PyObject *count) {
  failures = int(PyLong_AsLong(count));
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static PyMethodDef methods[] = {{"is_neg", isNegative, METH_NOARGS, nullptr},
                                {"set", setMemory, METH_VARARGS, nullptr},
                                {}};
static PyObject *deviceOf(PyObject *self, void *) {
  return PyLong_FromLong(
      reinterpret_cast<Tensor *>(self)->described->device.ordinal);
}

static PyGetSetDef attributes[] = {
    {"device", deviceOf, nullptr, nullptr, nullptr}, {}};
static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                 offsetof(Tensor, references), READONLY,
                                 nullptr},
                                {}};

static PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newTensor)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteTensor)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {0, nullptr}};
static PyType_Spec spec = {"exchange.Tensor", sizeof(Tensor), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

static PyMethodDef functions[] = {
    {"mock", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(mock)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"parameters", parameters, METH_VARARGS, nullptr},
    {"memory", memory, METH_VARARGS, nullptr},
    {"launches", launches, METH_NOARGS, nullptr},
    {"seen", seen, METH_NOARGS, nullptr},
    {"on_gpu", onGpu, METH_O, nullptr},
    {"set_stream", setStream, METH_O, nullptr},
    {"fail", fail, METH_O, nullptr},
    {}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "exchange", nullptr, -1,
                                 functions};

PyMODINIT_FUNC PyInit_exchange() {
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = PyType_FromSpec(&spec);
  // As of a producer that has a newer version, too: version 1 is behind it.
  newApi.header.older = &api.header;
  PyObject *capsule = PyCapsule_New(&newApi, dlpack::kExchangeCapsule, nullptr);
  PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule);
  Py_DECREF(capsule);
  PyModule_AddObject(module, "Tensor", type);
  return module;
}
