//===- TensorSigns.cpp - negatives of what is in memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "TensorSigns.h"

#include <cstddef>

using namespace mlir::tile;
using namespace mlir::tile::python;

PyCFunction python::findIsNegative(PyObject *tensor) {
  PyObject *method = PyObject_GetAttrString(tensor, "is_neg");
  PyCFunction function = nullptr;
  if (method && PyCFunction_Check(method) &&
      PyCFunction_GetFlags(method) == METH_NOARGS &&
      PyCFunction_GetSelf(method) == tensor)
    function = PyCFunction_GetFunction(method);
  PyErr_Clear();
  Py_XDECREF(method);
  return function;
}

bool python::isNegative(PyObject *tensor, const TensorType &type,
                        bool &negative) {
  PyObject *answer = type.isNegative
                         ? type.isNegative(tensor, nullptr)
                         : PyObject_CallMethod(tensor, "is_neg", nullptr);
  if (!answer) {
    PyErr_Clear();
    return false;
  }
  negative = answer != Py_False && PyObject_IsTrue(answer) != 0;
  Py_DECREF(answer);
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors that are given again and again
//===----------------------------------------------------------------------===//

namespace {
/// A tensor that was asked and is no negative. Another object may have its
/// address when it is gone, which a weak reference tells; and its memory may
/// have been exchanged (`tensor.data = other`).
struct Asked {
  PyObject *tensor = nullptr; ///< not owned
  const void *data = nullptr;
  unsigned times = 0;
  PyObject *reference = nullptr; ///< weak; null before it is worth one
};

/// The interpreter's lock guards it.
struct AskedTable {
  static constexpr size_t kSize = 64;
  /// Weak references cost as much as an answer, and PyTorch does not swap the
  /// contents of tensors that have one.
  static constexpr unsigned kTimes = 4;

  Asked &entryOf(PyObject *tensor) {
    auto bits = reinterpret_cast<uintptr_t>(tensor) / alignof(std::max_align_t);
    return entries[(bits ^ bits / kSize) % kSize];
  }

private:
  Asked entries[kSize];
};
} // namespace

/// Whether the tensor that `asked` was made for still lives.
static bool isAlive(const Asked &asked) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  // Its successor is not in the stable interface of CPython 3.12.
  return PyWeakref_GetObject(asked.reference) == asked.tensor;
#pragma GCC diagnostic pop
}

static void note(Asked &asked, PyObject *tensor, const void *data) {
  if (asked.tensor == tensor && asked.data == data && !asked.reference) {
    if (++asked.times < AskedTable::kTimes)
      return;
    asked.reference = PyWeakref_NewRef(tensor, nullptr);
    PyErr_Clear(); // objects without weak references are asked each time
    return;
  }
  PyObject *old = asked.reference;
  asked = {tensor, data, 1, nullptr};
  Py_XDECREF(old);
}

bool python::isNegative(PyObject *tensor, const TensorType &type,
                        const void *data, bool &negative) {
  static AskedTable table;
  Asked &asked = table.entryOf(tensor);
  negative = false;
  if (asked.tensor == tensor && asked.reference && asked.data == data &&
      isAlive(asked))
    return true;
  if (!isNegative(tensor, type, negative))
    return false;
  if (!negative)
    note(asked, tensor, data);
  return true;
}
