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
class AskedTable {
public:
  /// Weak references cost as much as an answer, and PyTorch does not swap the
  /// contents of tensors that have one.
  static constexpr unsigned kTimes = 4;

  /// What is known of the tensor; null for nothing.
  Asked *find(PyObject *tensor) {
    for (Asked &entry : setOf(tensor).entries)
      if (entry.tensor == tensor)
        return &entry;
    return nullptr;
  }
  /// Its entry, or that of another one: of the tensors that are not given again
  /// and again, or are gone, else of each in turn.
  Asked &entryOf(PyObject *tensor);

private:
  /// Tensors whose addresses are alike. The arguments of a launch are few, but
  /// would be asked each time if two of them had one entry.
  static constexpr size_t kSets = 32, kWays = 4;
  struct Set {
    Asked entries[kWays];
    unsigned turn = 0;
  };
  Set &setOf(PyObject *tensor) {
    auto bits = reinterpret_cast<uintptr_t>(tensor) / alignof(std::max_align_t);
    return sets[(bits ^ bits / kSets) % kSets];
  }

  Set sets[kSets];
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

Asked &AskedTable::entryOf(PyObject *tensor) {
  if (Asked *known = find(tensor))
    return *known;
  Set &set = setOf(tensor);
  for (Asked &entry : set.entries)
    if (!entry.tensor)
      return entry;
  for (size_t i = 0; i < kWays; ++i) {
    Asked &entry = set.entries[set.turn++ % kWays];
    if (!entry.reference || !isAlive(entry))
      return entry;
  }
  return set.entries[set.turn++ % kWays];
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
  const Asked *asked = table.find(tensor);
  negative = false;
  if (asked && asked->reference && asked->data == data && isAlive(*asked))
    return true;
  if (!isNegative(tensor, type, negative))
    return false;
  if (!negative)
    note(table.entryOf(tensor), tensor, data);
  return true;
}
