//===- CallOutputs.cpp - tensors that a remembered call makes -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "CallOutputs.h"

using namespace mlir::tile;
using namespace mlir::tile::python;

namespace {
/// Names that are looked up again and again, and names of arguments.
PyObject *deviceName, *emptyNames;
} // namespace

bool python::makeOutputNames() {
  deviceName = PyUnicode_InternFromString("device");
  emptyNames = Py_BuildValue("(ss)", "dtype", "device");
  return deviceName && emptyNames;
}

PyObject *Made::release() {
  if (count == 1) {
    count = 0;
    return tensors[0];
  }
  PyObject *result = PyList_New(Py_ssize_t(count));
  for (size_t i = 0; result && i < count; ++i) {
    Py_INCREF(tensors[i]);
    PyList_SetItem(result, Py_ssize_t(i), tensors[i]);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// `empty(*sizes, dtype=, device=)`: sizes one by one, which PyTorch reads in
/// half the time that a tuple of them takes.
PyObject *CallOutputs::makeOne(size_t index, PyObject *device,
                               bool quickly) const {
  if (quickly)
    return PyObject_Call(quick, PyTuple_GetItem(quickList, Py_ssize_t(index)),
                         nullptr);
  PyObject *output = PyTuple_GetItem(list, Py_ssize_t(index));
  PyObject *args[runtime::kMaxRank + 2];
  PyObject *sizes = PyTuple_GetItem(output, 0);
  size_t rank = size_t(PyTuple_Size(sizes));
  for (size_t i = 0; i < rank; ++i)
    args[i] = PyTuple_GetItem(sizes, Py_ssize_t(i));
  args[rank] = PyTuple_GetItem(output, 1);
  args[rank + 1] = device;
  return PyObject_Vectorcall(empty, args, rank, emptyNames);
}

bool CallOutputs::make(PyObject *const *args, bool quickly, Made &made) const {
  PyObject *input = args[like], *device = nullptr;
  if (reinterpret_cast<PyObject *>(Py_TYPE(input)) != tensorType)
    return false;
  if (!quickly && !(device = PyObject_GetAttr(input, deviceName)))
    return false;
  while (made.count < count) {
    PyObject *tensor = makeOne(made.count, device, quickly);
    if (!tensor)
      break;
    made.tensors[made.count++] = tensor;
  }
  Py_XDECREF(device);
  return made.count == count;
}

//===----------------------------------------------------------------------===//
// What Python tells
//===----------------------------------------------------------------------===//

static bool isTupleOf(PyObject *object, Py_ssize_t size) {
  return PyTuple_Check(object) && PyTuple_Size(object) == size;
}

/// Whether a tuple of (sizes, dtype) has sizes that makeOne() has room for.
static bool hasSizes(PyObject *output) {
  if (!isTupleOf(output, 2))
    return false;
  PyObject *sizes = PyTuple_GetItem(output, 0);
  return PyTuple_Check(sizes) &&
         PyTuple_Size(sizes) <= Py_ssize_t(runtime::kMaxRank);
}

bool CallOutputs::read(PyObject *described, size_t numInputs) {
  PyObject *type, *function, *outputs, *quickFunction, *quickArgs;
  Py_ssize_t position;
  if (!PyArg_ParseTuple(described, "OnOO!OO!", &type, &position, &function,
                        &PyTuple_Type, &outputs, &quickFunction, &PyTuple_Type,
                        &quickArgs))
    return false;
  Py_ssize_t size = PyTuple_Size(outputs);
  bool hasQuick = quickFunction != Py_None;
  bool fits = size && size_t(position) < numInputs &&
              numInputs + size_t(size) <= runtime::kMaxArgs &&
              isTupleOf(quickArgs, hasQuick ? size : 0);
  for (Py_ssize_t i = 0; fits && i < size; ++i)
    fits = hasSizes(PyTuple_GetItem(outputs, i)) &&
           (!hasQuick || PyTuple_Check(PyTuple_GetItem(quickArgs, i)));
  if (!fits) {
    PyErr_SetString(PyExc_ValueError,
                    "expected outputs of (sizes, dtype), an input's position, "
                    "and a tuple for `quick` of each output");
    return false;
  }
  tensorType = type;
  empty = function;
  list = outputs;
  quick = hasQuick ? quickFunction : nullptr;
  quickList = quickArgs;
  like = size_t(position);
  count = size_t(size);
  for (PyObject **reference : references())
    Py_XINCREF(*reference);
  return true;
}
