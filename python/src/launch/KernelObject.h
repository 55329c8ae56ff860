//===- KernelObject.h - kernels as Python objects ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PYTHON_KERNELOBJECT_H
#define TILE_PYTHON_KERNELOBJECT_H

#include "LaunchTargets.h"

namespace mlir::tile::python {

/// A kernel, as Python sees it: `_launch.Kernel`.
struct KernelObject {
  PyObject_HEAD vectorcallfunc call;
  LaunchTarget *target; ///< null once it is closed
};

bool isKernel(PyObject *object);

/// Launches `_launch.Kernel` `kernel`, which stays alive meanwhile. False: see
/// Failure.
bool launchKernel(PyObject *kernel, const Given &given, Failure &failure);

/// Sets the exception of a failure, unless one is set; null.
PyObject *raise(const Failure &failure);

/// The type `_launch.CallTable`, a new reference; null with an exception.
PyObject *makeCallTableType();

} // namespace mlir::tile::python
#endif // TILE_PYTHON_KERNELOBJECT_H
