//===- Scalars.h - Python numbers as kernel arguments -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PYTHON_SCALARS_H
#define TILE_PYTHON_SCALARS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tile/Runtime/Manifest.h"

#include <cstdint>
#include <string>

namespace mlir::tile::python {

/// The bits of `value` in a float type, rounded to nearest, ties to even. What
/// is too large becomes infinity, or NaN where the type has none, or the
/// largest number where it has neither.
uint64_t encodeFloat(runtime::ElementType type, double value);

/// The number `object` as a scalar of `type`. False, and what was expected and
/// got in `problem`, where it is none; no Python exception is set.
bool convertScalar(PyObject *object, runtime::ElementType type, uint64_t &bits,
                   std::string &problem);

/// The type's name, and for short values their text: "float 2.5", "None".
[[gnu::cold]] std::string describeObject(PyObject *object);

/// Takes the exception that is set; the first line of its text.
[[gnu::cold]] std::string takeException();

} // namespace mlir::tile::python
#endif // TILE_PYTHON_SCALARS_H
