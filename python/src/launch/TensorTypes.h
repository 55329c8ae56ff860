//===- TensorTypes.h - what types of tensors offer --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PYTHON_TENSORTYPES_H
#define TILE_PYTHON_TENSORTYPES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "DLPack.h"
#include "tile/Runtime/Manifest.h"

#include <string>
#include <vector>

namespace mlir::tile::python {

/// What a type of Python objects offers; asked once for each type.
struct TensorType {
  PyTypeObject *type = nullptr;
  const dlpack::ExchangeApi *api = nullptr; ///< or null
  /// Objects hold their own memory; those of a subclass may be a stand-in.
  bool isExact = false;
  /// PyTorch's: what is seen may be the negative of what is in memory
  /// (TensorSigns.h).
  bool hasNegatives = false;
  PyCFunction isNegative = nullptr; ///< or null: only by name
  bool isTorch = false, isCupy = false;
  bool hasStream = false; ///< of work that is under way, which can be asked for
};

/// Of the object's type.
TensorType tensorTypeOf(PyObject *object);

/// The element type; two elements of four bits count as one where a library has
/// no name for one of them (`isPair`).
bool elementTypeOf(dlpack::DataType type, runtime::ElementType &result,
                   bool &isPair);
/// What a launch asks of each argument of a kernel, in few bytes: what the
/// driver did in the launch before has taken the place of much in the caches.
struct Expected {
  /// DLPack's type of tensors that hold the elements that the kernel expects
  /// and nothing that stands for them; where there is none, one that no tensor
  /// has.
  dlpack::DataType exact;
  runtime::ElementType type;
  bool isScalar;
};
std::vector<Expected> expectedOf(const runtime::KernelSpec &kernel);
[[gnu::cold]] std::string describeType(dlpack::DataType type);
/// "the CPU", "GPU 1".
[[gnu::cold]] std::string describeDevice(int32_t type, int32_t ordinal);

/// The element type by the name that NumPy, ml_dtypes and CUDA's interface have
/// for it: "float32", "bfloat16".
bool elementTypeOfName(const std::string &name, runtime::ElementType &result);
/// By the format of a buffer ("f") or the type of an array interface ("<f4"),
/// with the bytes of an item.
bool elementTypeOfFormat(const char *format, unsigned bytes,
                         runtime::ElementType &result);

} // namespace mlir::tile::python
#endif // TILE_PYTHON_TENSORTYPES_H
