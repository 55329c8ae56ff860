//===- TensorSigns.h - negatives of what is in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor of PyTorch may stand for the negative of what is in its memory: the
// imaginary part of a conjugated tensor, or a view that somebody negated. No
// other way to a tensor than its method `is_neg` says so, DLPack's included.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_PYTHON_TENSORSIGNS_H
#define TILE_PYTHON_TENSORSIGNS_H

#include "TensorTypes.h"

namespace mlir::tile::python {

/// The method `is_neg` of a tensor as a function of C of the object alone,
/// which is called in half the time; null where it is none.
PyCFunction findIsNegative(PyObject *tensor);

/// Asks a tensor of a type that `hasNegatives`; false where that failed.
bool isNegative(PyObject *tensor, const TensorType &type, bool &negative);

/// The same of a tensor whose memory is at `data`. PyTorch takes longer to
/// answer than all that a launch does for a tensor else, so tensors that are
/// given again and again are asked a few times only.
bool isNegative(PyObject *tensor, const TensorType &type, const void *data,
                bool &negative);

} // namespace mlir::tile::python
#endif // TILE_PYTHON_TENSORSIGNS_H
