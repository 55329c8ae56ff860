//===- LayoutOutput.h - layouts in words and as pictures --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_TOOLS_TILE_TRANSLATE_LAYOUTOUTPUT_H
#define TILE_TOOLS_TILE_TRANSLATE_LAYOUTOUTPUT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <optional>
#include <string>

namespace mlir::tile {

enum class LayoutFormat { Text, Svg };

/// The layouts stated in the module, once each, named by the source of its
/// buffer or loop; with a `line`, those of that line only. A picture is of one
/// of them, the first, and names the lines of the others. Fails, with an error
/// at the module, when there is none.
FailureOr<std::string> showLayouts(ModuleOp module, LayoutFormat format,
                                   std::optional<unsigned> line);

/// Draws what lies where in the shared memory of the first kernel's blocks.
/// Fails, with an error at the module, when there is no kernel.
FailureOr<std::string> showArena(ModuleOp module);

/// Whether `source` is a layout on its own: a layout attribute
/// (`#tile.fragment_layout<...>`) or CuTe's spelling (`(4,8):(2@1,1@0)`).
bool isBareLayout(StringRef source);

/// Shows such a layout. `elementBits` is for shared layouts in CuTe's spelling,
/// which does not state it. Errors go to `error`, or to the context's handler.
FailureOr<std::string> showBareLayout(StringRef source, unsigned elementBits,
                                      LayoutFormat format, MLIRContext *context,
                                      std::string &error);

} // namespace mlir::tile
#endif // TILE_TOOLS_TILE_TRANSLATE_LAYOUTOUTPUT_H
