//===- SourceDiagnostics.h - diagnostics with source lines ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PIPELINES_SOURCEDIAGNOSTICS_H
#define TILE_PIPELINES_SOURCEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::tile {

/// Prints errors and warnings with their source lines, remarks on request
/// only: passes report their decisions as remarks, always. What is said of a
/// whole file stands at its first line, and a fault is said once.
class SourceDiagnostics : public SourceMgrDiagnosticHandler {
public:
  SourceDiagnostics(llvm::SourceMgr &sources, MLIRContext *context,
                    llvm::raw_ostream &os, bool remarks);

private:
  void print(Diagnostic &diagnostic);

  bool hasFailed = false; ///< an error was printed
};

} // namespace mlir::tile
#endif // TILE_PIPELINES_SOURCEDIAGNOSTICS_H
