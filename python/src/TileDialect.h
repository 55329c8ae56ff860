//===- TileDialect.h - what the files of the bindings share -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PYTHON_TILEDIALECT_H
#define TILE_PYTHON_TILEDIALECT_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "tile-c/Dialect.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace tile_python {

inline MlirStringRef toC(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}
inline TileIntegers toC(const std::vector<int64_t> &integers) {
  return {integers.data(), static_cast<intptr_t>(integers.size())};
}
inline std::vector<int64_t> list(TileIntegers integers) {
  return {integers.data, integers.data + integers.size};
}

/// Appends what a function of the C interface hands over to a std::string.
inline void appendText(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}

/// Calls `make` with a location and returns what it makes; where that is null,
/// the errors that it emitted become a ValueError.
template <typename Make> auto checked(MlirContext context, const Make &make) {
  std::string errors;
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      context,
      [](MlirDiagnostic diagnostic, void *text) {
        mlirDiagnosticPrint(diagnostic, appendText, text);
        return mlirLogicalResultSuccess();
      },
      &errors, /*deleteUserData=*/nullptr);
  auto made = make(mlirLocationUnknownGet(context));
  mlirContextDetachDiagnosticHandler(context, handler);
  if (!made.ptr)
    throw nb::value_error(errors.c_str());
  return made;
}

/// Classes of layouts, with what they are asked.
void bindLayouts(nb::module_ &m);
/// Figures of targets and estimates of kernels.
void bindAnalysis(nb::module_ &m);

} // namespace tile_python
#endif // TILE_PYTHON_TILEDIALECT_H
