//===- Launch.cpp - the extension that launches kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `_launch`: kernels as Python objects that are called with their arguments, on
// a GPU through the launcher of lib/Runtime (in here, no LLVM), or on the CPU
// through a program of `_tile`. A call goes by the vectorcall protocol and
// makes no Python object. Written against CPython's stable interface (3.12).
//
//===----------------------------------------------------------------------===//
#include "KernelObject.h"

#include <cstddef>
#include <cstring>
#if PY_VERSION_HEX < 0x030c0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

using namespace mlir::tile;
using namespace mlir::tile::python;

namespace {
/// Of errors.py; set when the module is made.
PyObject *argumentError, *launchError;
PyTypeObject *kernelType;
} // namespace

static PyObject *raise(PyObject *type, const std::string &text) {
  PyErr_SetString(type, text.c_str());
  return nullptr;
}

PyObject *python::raise(const Failure &failure) {
  if (PyErr_Occurred())
    return nullptr;
  return ::raise(failure.isArgument ? argumentError : launchError,
                 failure.text);
}

static KernelObject *kernelOf(PyObject *self) {
  return reinterpret_cast<KernelObject *>(self);
}

/// The target, or null and an exception.
static LaunchTarget *openTarget(PyObject *self) {
  LaunchTarget *target = kernelOf(self)->target;
  if (!target)
    raise(launchError, "expected a kernel that is open, got one that has been "
                       "closed");
  return target;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The value of the argument `stream=`, or null; false with an exception where
/// there is another.
static bool readNames(PyObject *names, PyObject *const *values,
                      PyObject *&stream) {
  stream = nullptr;
  for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i) {
    PyObject *name = PyTuple_GetItem(names, i);
    if (PyUnicode_CompareWithASCIIString(name, "stream") != 0) {
      PyErr_Format(argumentError,
                   "expected no argument by name but 'stream', got '%U'", name);
      return false;
    }
    stream = values[i];
  }
  return true;
}

/// Keeps the object and its target alive, which another thread may close
/// meanwhile.
template <typename Body>
static bool whileOpen(PyObject *self, LaunchTarget *target, Body body) {
  Py_INCREF(self);
  ++target->running;
  bool done = body();
  bool isLast = --target->running == 0;
  if (isLast && kernelOf(self)->target != target)
    delete target;
  Py_DECREF(self);
  return done;
}

bool python::isKernel(PyObject *object) {
  return Py_TYPE(object) == kernelType;
}

bool python::launchKernel(PyObject *kernel, const Given &given,
                          Failure &failure) {
  LaunchTarget *target = openTarget(kernel);
  return target && whileOpen(kernel, target,
                             [&] { return target->launch(given, failure); });
}

static PyObject *callKernel(PyObject *self, PyObject *const *args,
                            size_t flagged, PyObject *names) {
  size_t count = size_t(PyVectorcall_NARGS(flagged));
  PyObject *stream;
  if (!readNames(names, args + count, stream))
    return nullptr;
  Failure failure;
  if (!launchKernel(self, {args, count, stream}, failure))
    return raise(failure);
  Py_RETURN_NONE;
}

static PyObject *repeatKernel(PyObject *self, PyObject *const *args,
                              Py_ssize_t given, PyObject *names) {
  PyObject *stream;
  LaunchTarget *target = openTarget(self);
  if (!target || !readNames(names, args + given, stream))
    return nullptr;
  long repeats = given ? PyLong_AsLong(args[0]) : 0;
  if (repeats < 1) {
    PyErr_Clear();
    return raise(argumentError, "expected how often, 1 or more, and the "
                                "kernel's arguments");
  }
  Failure failure;
  double nanoseconds = 0;
  if (!whileOpen(self, target, [&] {
        return target->repeat({args + 1, size_t(given) - 1, stream}, repeats,
                              nanoseconds, failure);
      }))
    return raise(failure);
  return PyFloat_FromDouble(nanoseconds);
}

/// A kernel that runs is freed when it has ended.
static void close(KernelObject *kernel) {
  LaunchTarget *target = kernel->target;
  kernel->target = nullptr;
  if (target && !target->running)
    delete target;
}

static PyObject *closeKernel(PyObject *self, PyObject *) {
  close(kernelOf(self));
  Py_RETURN_NONE;
}

static void deallocateKernel(PyObject *self) {
  close(kernelOf(self));
  PyTypeObject *type = Py_TYPE(self);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

//===----------------------------------------------------------------------===//
// What kernels say of themselves
//===----------------------------------------------------------------------===//

static PyObject *kernelName(PyObject *self, void *) {
  LaunchTarget *target = openTarget(self);
  return target ? PyUnicode_FromString(target->kernel.name.c_str()) : nullptr;
}

static PyObject *kernelArguments(PyObject *self, void *) {
  LaunchTarget *target = openTarget(self);
  if (!target)
    return nullptr;
  const std::vector<runtime::ArgSpec> &args = target->kernel.args;
  PyObject *names = PyTuple_New(Py_ssize_t(args.size()));
  for (size_t i = 0; names && i < args.size(); ++i)
    PyTuple_SetItem(names, Py_ssize_t(i),
                    PyUnicode_FromString(args[i].name.c_str()));
  return names;
}

static PyObject *loadKernel(PyObject *self, PyObject *args) {
  int ordinal = 0;
  LaunchTarget *target = openTarget(self);
  if (!target || !PyArg_ParseTuple(args, "|i", &ordinal))
    return nullptr;
  Failure failure;
  KernelFacts facts;
  if (!target->load(ordinal, facts, failure))
    return raise(failure);
  return Py_BuildValue("{s:s,s:i,s:i,s:i,s:i,s:K}", "arch", facts.arch.c_str(),
                       "registers", facts.registers, "local_bytes",
                       facts.localBytes, "static_shared", facts.staticShared,
                       "max_threads", facts.maxThreads, "function",
                       static_cast<unsigned long long>(facts.function));
}

//===----------------------------------------------------------------------===//
// Making kernels
//===----------------------------------------------------------------------===//

static PyObject *makeKernel(std::unique_ptr<LaunchTarget> target,
                            const Failure &failure) {
  if (!target)
    return raise(failure);
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(kernelType, Py_tp_alloc));
  PyObject *object = allocate(kernelType, 0);
  if (!object)
    return nullptr;
  kernelOf(object)->call = callKernel;
  kernelOf(object)->target = target.release();
  return object;
}

static PyObject *hostKernel(PyObject *, PyObject *args) {
  PyObject *program;
  Py_ssize_t index, size;
  const char *manifest;
  unsigned workers = 0;
  if (!PyArg_ParseTuple(args, "Ons#|I", &program, &index, &manifest, &size,
                        &workers))
    return nullptr;
  Failure failure;
  auto target =
      makeHostTarget(program, size_t(index),
                     std::string(manifest, size_t(size)), workers, failure);
  return makeKernel(std::move(target), failure);
}

static PyObject *deviceKernel(PyObject *, PyObject *args) {
  const char *artifact, *name, *driver = "";
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "y#s|s", &artifact, &size, &name, &driver))
    return nullptr;
  Failure failure;
  auto target = makeDeviceTarget(artifact, size_t(size), name, driver, failure);
  return makeKernel(std::move(target), failure);
}

static PyObject *readManifest(PyObject *, PyObject *args) {
  const char *artifact;
  Py_ssize_t size;
  if (!PyArg_ParseTuple(args, "y#", &artifact, &size))
    return nullptr;
  auto parsed = runtime::Artifact::parse(artifact, size_t(size));
  if (!parsed)
    return raise(launchError, parsed.message());
  std::string text = runtime::serializeManifest(parsed->manifest);
  return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
}

static PyObject *countDevices(PyObject *, PyObject *args) {
  const char *driver = "";
  if (!PyArg_ParseTuple(args, "|s", &driver))
    return nullptr;
  Failure failure;
  int count = numDevices(driver, failure);
  return count < 0 ? raise(failure) : PyLong_FromLong(count);
}

static PyObject *describeGpu(PyObject *, PyObject *args) {
  int ordinal = 0;
  const char *driver = "";
  if (!PyArg_ParseTuple(args, "|is", &ordinal, &driver))
    return nullptr;
  Failure failure;
  std::shared_ptr<runtime::Device> device =
      openDevice(driver, ordinal, failure);
  if (!device)
    return raise(failure);
  return Py_BuildValue(
      "{s:s,s:i,s:i,s:i,s:K,s:i,s:i}", "name", device->name().c_str(), "major",
      device->computeMajor(), "minor", device->computeMinor(),
      "multiprocessors", device->multiprocessors(), "memory",
      static_cast<unsigned long long>(device->totalMemory()), "l2_bytes",
      device->l2Bytes(), "driver_version", device->driver().version());
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static PyMemberDef kernelMembers[] = {{"__vectorcalloffset__", Py_T_PYSSIZET,
                                       offsetof(KernelObject, call),
                                       Py_READONLY, nullptr},
                                      {nullptr, 0, 0, 0, nullptr}};

static PyMethodDef kernelMethods[] = {
    {"load", loadKernel, METH_VARARGS,
     "load(device=0): puts the code on the GPU, unless it is there, and says "
     "what it takes: a dict of arch, registers and local_bytes a thread, "
     "static_shared bytes, max_threads, function (the CUfunction)."},
    {"repeat",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(repeatKernel)),
     METH_FASTCALL | METH_KEYWORDS,
     "repeat(times, *arguments, stream=None): launches that often without "
     "Python in between and checks the arguments once; the nanoseconds that a "
     "launch takes its caller (on a GPU: what the driver takes)."},
    {"close", closeKernel, METH_NOARGS,
     "Gives the code back; a kernel that is being launched first ends."},
    {nullptr, nullptr, 0, nullptr}};

static PyGetSetDef kernelFacts[] = {
    {"name", kernelName, nullptr, "The kernel's name.", nullptr},
    {"arguments", kernelArguments, nullptr, "The names of its arguments.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

static PyType_Slot kernelSlots[] = {
    {Py_tp_doc,
     const_cast<char *>("A kernel: called with its arguments in order, tensors "
                        "and numbers, and `stream=` (a stream of PyTorch or "
                        "CuPy, an address, None for the tensors' library's "
                        "current one).")},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKernel)},
    {Py_tp_members, kernelMembers},
    {Py_tp_methods, kernelMethods},
    {Py_tp_getset, kernelFacts},
    {0, nullptr}};

static PyType_Spec kernelSpec = {"mlir_tile._mlir_libs._launch.Kernel",
                                 sizeof(KernelObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL
#ifdef Py_TPFLAGS_DISALLOW_INSTANTIATION
                                     | Py_TPFLAGS_DISALLOW_INSTANTIATION
#endif
                                 ,
                                 kernelSlots};

static PyMethodDef functions[] = {
    {"host_kernel", hostKernel, METH_VARARGS,
     "host_kernel(program, index, manifest, workers=0): a kernel of a program "
     "of _tile.compile_program, on the CPU."},
    {"device_kernel", deviceKernel, METH_VARARGS,
     "device_kernel(artifact, name, driver=''): a kernel of an artifact's "
     "bytes, on GPUs; `driver` is the path of another libcuda."},
    {"manifest", readManifest, METH_VARARGS,
     "manifest(artifact): the artifact's manifest as JSON (docs/Artifact.md)."},
    {"device_count", countDevices, METH_VARARGS,
     "device_count(driver=''): GPUs of this machine."},
    {"device_info", describeGpu, METH_VARARGS,
     "device_info(device=0, driver=''): a dict of name, major, minor, "
     "multiprocessors, memory (bytes), l2_bytes, driver_version."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef moduleDefinition = {PyModuleDef_HEAD_INIT,
                                       "_launch",
                                       "Kernels as objects that are called.",
                                       -1,
                                       functions,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       nullptr};

PyMODINIT_FUNC PyInit__launch() {
  PyObject *errors = PyImport_ImportModule("mlir_tile.errors");
  if (!errors)
    return nullptr;
  argumentError = PyObject_GetAttrString(errors, "ArgumentError");
  launchError = PyObject_GetAttrString(errors, "LaunchError");
  Py_DECREF(errors);
  if (!argumentError || !launchError)
    return nullptr;
  PyObject *module = PyModule_Create(&moduleDefinition);
  if (!module)
    return nullptr;
  PyObject *type = PyType_FromSpec(&kernelSpec);
  kernelType = reinterpret_cast<PyTypeObject *>(type);
  PyObject *table = makeCallTableType();
  if (!type || !table || PyModule_AddObjectRef(module, "Kernel", type) ||
      PyModule_AddObjectRef(module, "CallTable", table)) {
    Py_DECREF(module);
    return nullptr;
  }
  watchForks();
  return module;
}
