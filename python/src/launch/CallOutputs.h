//===- CallOutputs.h - tensors that a remembered call makes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's outputs, which are of the library of its inputs and on their
// device. A library has a function for it that looks at all that a user may
// say (torch.empty), and may have one that does not (`quick`): it takes tuples
// that are ready, and makes tensors on the device that is current.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_CALLOUTPUTS_H
#define TILE_PYTHON_CALLOUTPUTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tile/Runtime/Launcher.h"

#include <array>

namespace mlir::tile::python {

/// Tensors that were made, and belong to whoever has this.
struct Made {
  PyObject *tensors[runtime::kMaxArgs];
  size_t count = 0;
  Made() = default;
  Made(const Made &) = delete;
  Made &operator=(const Made &) = delete;
  ~Made() {
    while (count)
      Py_DECREF(tensors[--count]);
  }

  /// What the caller of the kernel gets: the tensor, or a list of them.
  PyObject *release();
};

/// What a call makes, as Python has told it.
struct CallOutputs {
  /// A tuple (tensor type, position of the input whose device they are on,
  /// empty, ((sizes, dtype), ...), quick, (its arguments, ...)), which `empty`
  /// and `quick` are called with; `quick` may be None. False with an exception.
  bool read(PyObject *described, size_t numInputs);

  /// Makes them for the inputs `args`. False: an exception is set, or none
  /// where the inputs are not those that the outputs were described for.
  bool make(PyObject *const *args, bool quickly, Made &made) const;

  /// Those that are counted; read() takes them, nobody gives them back.
  std::array<PyObject **, 5> references() {
    return {&tensorType, &empty, &list, &quick, &quickList};
  }

  size_t count = 0; ///< 0: the call makes none
  PyObject *quick = nullptr;

private:
  PyObject *makeOne(size_t index, PyObject *device, bool quickly) const;

  PyObject *tensorType = nullptr, *empty = nullptr;
  PyObject *list = nullptr, *quickList = nullptr; ///< tuples
  size_t like = 0;
};

/// Interns the names that tensors are made with; false with an exception.
bool makeOutputNames();

} // namespace mlir::tile::python
#endif // TILE_PYTHON_CALLOUTPUTS_H
