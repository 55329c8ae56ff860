//===- CallTable.cpp - calls that need no Python function -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `_launch.CallTable`: the base of Python's classes whose objects are called to
// launch kernels. A call goes to the method `_call` of the class, which may
// have it remembered: the next call that is like it launches the same kernel
// from here, and makes the kernel's outputs. Whether tensors are like those
// before is the kernel's question: it refuses other shapes and types before
// anything runs, and the call goes on to the next entry, at last to `_call`.
//
//===----------------------------------------------------------------------===//
#include "CallOutputs.h"
#include "KernelObject.h"

#include <algorithm>
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
/// A call that may be made again. References are counted, because what a launch
/// calls may change the table.
struct Remembered {
  unsigned users = 1;
  PyObject *kernel = nullptr;   ///< what is launched; or null, then
  PyObject *result = nullptr;   ///< what the call gives
  PyObject *others = nullptr;   ///< tuple: arguments behind the kernel's
  PyObject *keywords = nullptr; ///< dict, or null for none
  size_t numInputs = 0;         ///< arguments of the kernel in a call
  size_t numOthers = 0;
  bool takesStream = false; ///< as the one argument by name
  /// Its inputs were not where the library makes tensors quickly.
  bool isElsewhere = false;

  CallOutputs outputs;

  /// Those that are counted.
  template <typename Visit> void forEachReference(Visit visit) {
    for (PyObject **reference : {&kernel, &result, &others, &keywords})
      visit(*reference);
    for (PyObject **reference : outputs.references())
      visit(*reference);
  }
};

constexpr size_t kMaxRemembered = 8;

struct CallTable {
  PyObject_HEAD vectorcallfunc call;
  Remembered *calls[kMaxRemembered]; ///< the newest first
  size_t count;
  size_t last; ///< that was like a call
};

PyObject *callName;
} // namespace

static CallTable *tableOf(PyObject *self) {
  return reinterpret_cast<CallTable *>(self);
}

static void release(Remembered *call) {
  if (--call->users)
    return;
  call->forEachReference([](PyObject *object) { Py_XDECREF(object); });
  delete call;
}

//===----------------------------------------------------------------------===//
// Whether a call is like one before
//===----------------------------------------------------------------------===//

/// Whether two floats have the same bits: 0.0 and -0.0 are equal and two, and
/// what is no number is not even equal to itself.
static bool isSameFloat(PyObject *a, PyObject *b) {
  double x = PyFloat_AsDouble(a), y = PyFloat_AsDouble(b);
  return !std::memcmp(&x, &y, sizeof(x));
}

/// The same object, or the same number or string; others may have changed or
/// be equal to what they are not (1 and True in a tuple).
static bool isSame(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  PyTypeObject *type = Py_TYPE(a);
  if (type != Py_TYPE(b))
    return false;
  if (type == &PyFloat_Type)
    return isSameFloat(a, b);
  return (type == &PyLong_Type || type == &PyUnicode_Type) &&
         PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

static bool isSameTuple(PyObject *a, PyObject *b) {
  Py_ssize_t count = PyTuple_Size(a);
  bool same = count == PyTuple_Size(b);
  for (Py_ssize_t i = 0; same && i < count; ++i)
    same = isSame(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i));
  return same;
}

static bool isSameDict(PyObject *a, PyObject *b) {
  if (!a || !b)
    return a == b;
  bool same = PyDict_Size(a) == PyDict_Size(b);
  Py_ssize_t at = 0;
  PyObject *name, *value;
  while (same && PyDict_Next(a, &at, &name, &value)) {
    PyObject *other = PyDict_GetItemWithError(b, name);
    same = other && isSame(value, other);
  }
  return same;
}

/// Whether one of them is enough.
static bool isEqual(const Remembered &a, const Remembered &b) {
  return a.kernel == b.kernel && a.result == b.result &&
         a.numInputs == b.numInputs && isSameTuple(a.others, b.others) &&
         isSameDict(a.keywords, b.keywords);
}

static bool isLike(const Remembered &call, PyObject *const *args, size_t given,
                   PyObject *names, PyObject *&stream) {
  if (given != call.numInputs + call.numOthers)
    return false;
  for (size_t i = 0; i < call.numOthers; ++i)
    if (!isSame(PyTuple_GetItem(call.others, Py_ssize_t(i)),
                args[call.numInputs + i]))
      return false;
  if (!names && !call.keywords)
    return true;
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (named == 1 && call.takesStream &&
      !PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "stream")) {
    stream = args[given];
    return true;
  }
  if (named != (call.keywords ? PyDict_Size(call.keywords) : 0))
    return false;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *known =
        PyDict_GetItemWithError(call.keywords, PyTuple_GetItem(names, i));
    if (!known || !isSame(known, args[given + size_t(i)]))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Launched; not this call's arguments; an exception is set.
enum class Outcome { Done, Refused, Failed };
} // namespace

/// Failures that `_call` can say better, or knows a way around.
static Outcome outcomeOfException() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError))
    return Outcome::Failed;
  PyErr_Clear();
  return Outcome::Refused;
}

/// Makes the outputs, and launches the kernel with them behind its inputs.
static bool launchMaking(const Remembered &call, PyObject *const *args,
                         PyObject *stream, bool quickly, PyObject *&result,
                         Failure &failure) {
  Made made;
  if (!call.outputs.make(args, quickly, made)) {
    failure.isArgument = true;
    return false;
  }
  PyObject *all[runtime::kMaxArgs];
  std::copy_n(args, call.numInputs, all);
  std::copy_n(made.tensors, made.count, all + call.numInputs);
  if (!launchKernel(
          call.kernel,
          {all, call.numInputs + made.count, stream, /*made=*/made.count},
          failure))
    return false;
  result = made.release();
  return result;
}

static bool launchRemembered(Remembered &call, PyObject *const *args,
                             PyObject *stream, PyObject *&result,
                             Failure &failure) {
  if (!call.outputs.count) {
    Py_INCREF(Py_None);
    result = Py_None;
    return launchKernel(call.kernel, {args, call.numInputs, stream}, failure);
  }
  if (call.outputs.quick && !call.isElsewhere) {
    if (launchMaking(call, args, stream, /*quickly=*/true, result, failure))
      return true;
    if (PyErr_Occurred() || !failure.isElsewhere)
      return false;
    // The inputs are not on the device that is current.
    call.isElsewhere = true;
    failure = Failure();
  }
  return launchMaking(call, args, stream, /*quickly=*/false, result, failure);
}

static Outcome launch(Remembered &call, PyObject *const *args, PyObject *stream,
                      PyObject *&result) {
  if (!call.kernel) {
    Py_INCREF(call.result);
    result = call.result;
    return Outcome::Done;
  }
  Failure failure;
  if (launchRemembered(call, args, stream, result, failure))
    return Outcome::Done;
  Py_CLEAR(result);
  if (PyErr_Occurred())
    return outcomeOfException();
  if (failure.isArgument)
    return Outcome::Refused;
  raise(failure);
  return Outcome::Failed;
}

/// The method `_call` of the object's class.
static PyObject *callMethod(PyObject *self, PyObject *const *args, size_t given,
                            PyObject *names) {
  size_t count = given + size_t(names ? PyTuple_Size(names) : 0);
  std::vector<PyObject *> all{self};
  all.insert(all.end(), args, args + count);
  return PyObject_VectorcallMethod(callName, all.data(), given + 1, names);
}

static PyObject *callTable(PyObject *self, PyObject *const *args,
                           size_t flagged, PyObject *names) {
  auto given = size_t(PyVectorcall_NARGS(flagged));
  CallTable *table = tableOf(self);
  for (size_t i = 0; i < table->count; ++i) {
    // The one that was like the last call comes first.
    size_t at = i == 0 ? table->last : i <= table->last ? i - 1 : i;
    Remembered *call = table->calls[at];
    PyObject *stream = nullptr, *result = nullptr;
    if (!isLike(*call, args, given, names, stream))
      continue;
    ++call->users;
    Outcome outcome = launch(*call, args, stream, result);
    release(call);
    if (outcome == Outcome::Failed)
      return nullptr;
    if (outcome == Outcome::Refused)
      continue;
    if (at < table->count)
      table->last = at;
    return result;
  }
  return callMethod(self, args, given, names);
}

//===----------------------------------------------------------------------===//
// What is remembered
//===----------------------------------------------------------------------===//

static void forget(CallTable *table) {
  size_t count = table->count;
  table->count = table->last = 0;
  Remembered *calls[kMaxRemembered];
  std::copy_n(table->calls, count, calls);
  for (size_t i = 0; i < count; ++i) // may run Python
    release(calls[i]);
}

/// Puts a call first, in the place of one that is equal, or else of the oldest.
static void remember(CallTable *table, Remembered *call) {
  Remembered **begin = table->calls, **end = begin + table->count;
  Remembered **place = std::find_if(
      begin, end, [&](Remembered *old) { return isEqual(*old, *call); });
  if (place == begin + kMaxRemembered)
    --place;
  Remembered *replaced = place < end ? *place : nullptr;
  table->count += !replaced;
  table->last = 0;
  std::copy_backward(begin, place, place + 1);
  *begin = call;
  if (replaced)
    release(replaced);
}

static PyObject *kept(PyObject *object) {
  if (object == Py_None)
    return nullptr;
  Py_INCREF(object);
  return object;
}

static PyObject *rememberCall(PyObject *self, PyObject *args) {
  PyObject *what, *others, *keywords, *outputs;
  Py_ssize_t inputs;
  int takesStream;
  if (!PyArg_ParseTuple(args, "OnO!OOp", &what, &inputs, &PyTuple_Type, &others,
                        &keywords, &outputs, &takesStream))
    return nullptr;
  if (inputs < 0 || (keywords != Py_None && !PyDict_Check(keywords))) {
    PyErr_SetString(PyExc_TypeError,
                    "expected a count of arguments and a dict or None");
    return nullptr;
  }
  auto *call = new Remembered;
  (isKernel(what) ? call->kernel : call->result) = kept(what);
  call->others = kept(others);
  call->numOthers = size_t(PyTuple_Size(others));
  if (keywords != Py_None && PyDict_Size(keywords))
    call->keywords = kept(keywords);
  call->numInputs = size_t(inputs);
  call->takesStream = takesStream;
  if (outputs != Py_None && !call->outputs.read(outputs, call->numInputs)) {
    release(call);
    return nullptr;
  }
  remember(tableOf(self), call);
  Py_RETURN_NONE;
}

static PyObject *forgetCalls(PyObject *self, PyObject *) {
  forget(tableOf(self));
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *newTable(PyTypeObject *type, PyObject *, PyObject *) {
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (self)
    tableOf(self)->call = callTable;
  return self;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(reinterpret_cast<PyObject *>(Py_TYPE(self)));
  CallTable *table = tableOf(self);
  // What a launch under way holds as well is not the table's alone.
  for (size_t i = 0; i < table->count; ++i)
    if (table->calls[i]->users == 1) {
      int stopped = 0;
      table->calls[i]->forEachReference([&](PyObject *object) {
        if (!stopped && object)
          stopped = visit(object, arg);
      });
      if (stopped)
        return stopped;
    }
  return 0;
}

static int clear(PyObject *self) {
  forget(tableOf(self));
  return 0;
}

static void deallocate(PyObject *self) {
  PyObject_GC_UnTrack(self);
  forget(tableOf(self));
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject *>(type));
}

static PyMemberDef members[] = {{"__vectorcalloffset__", Py_T_PYSSIZET,
                                 offsetof(CallTable, call), Py_READONLY,
                                 nullptr},
                                {nullptr, 0, 0, 0, nullptr}};

static PyMethodDef methods[] = {
    {"_remember", rememberCall, METH_VARARGS,
     "_remember(kernel, inputs, others, keywords, outputs, takes_stream): "
     "calls of `inputs` arguments, behind them `others`, and of these "
     "keywords (a dict or None) launch the Kernel; if it is none, they give "
     "it. `outputs`: None, or (tensor type, position of the input whose "
     "device they are on, empty, ((sizes, dtype), ...), quick or None, "
     "(arguments of quick, ...)). `takes_stream`: `stream=` may be given."},
    {"_forget", forgetCalls, METH_NOARGS, "Forgets all calls."},
    {nullptr, nullptr, 0, nullptr}};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Objects that are called to launch kernels: a call that was "
         "remembered needs no Python function; others go to the "
         "method _call.")},
    {Py_tp_new, reinterpret_cast<void *>(newTable)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {0, nullptr}};

static PyType_Spec spec = {"mlir_tile._mlir_libs._launch.CallTable",
                           sizeof(CallTable), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE |
                               Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                           slots};

PyObject *python::makeCallTableType() {
  callName = PyUnicode_InternFromString("_call");
  return callName && makeOutputNames() ? PyType_FromSpec(&spec) : nullptr;
}
