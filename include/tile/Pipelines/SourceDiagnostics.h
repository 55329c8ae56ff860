//===- SourceDiagnostics.h - diagnostics with source lines ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PIPELINES_SOURCEDIAGNOSTICS_H
#define TILE_PIPELINES_SOURCEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile {

/// Prints errors and warnings with their source lines, remarks on request
/// only: passes report their decisions as remarks, always. What is said of a
/// whole file stands at its first line. Everything is said once: copies of an
/// operation (pieces of a store, versions of a kernel) repeat what was said of
/// the first, and what is so of a version only begins with its name.
class SourceDiagnostics : public SourceMgrDiagnosticHandler {
public:
  SourceDiagnostics(llvm::SourceMgr &sources, MLIRContext *context,
                    llvm::raw_ostream &os, bool remarks);

  /// The name of the version of a kernel that a place is in
  /// (VersionKernels.cpp); null outside of versions.
  static SymbolRefAttr versionOf(Location loc);

private:
  bool isNews(Diagnostic &diagnostic);
  void print(Diagnostic &diagnostic);

  bool hasFailed = false; ///< an error was printed
  llvm::StringSet<> said;
};

} // namespace mlir::tile
#endif // TILE_PIPELINES_SOURCEDIAGNOSTICS_H
