//===- PassOptions.td - what tile to tile passes share --- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PASSOPTIONS_TD
#define TILE_TRANSFORMS_PASSOPTIONS_TD

include "mlir/Pass/PassBase.td"

/// The option of a pass that can explain itself: what its remarks say.
class Remarks<string says> : Option<"remarks", "remarks", "bool", "false", says>;

#endif // TILE_TRANSFORMS_PASSOPTIONS_TD
