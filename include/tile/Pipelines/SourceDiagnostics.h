//===- SourceDiagnostics.h - diagnostics with source lines ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILE_PIPELINES_SOURCEDIAGNOSTICS_H
#define TILE_PIPELINES_SOURCEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile {

/// Prints errors and warnings with their source lines, remarks on request
/// only: passes report their decisions as remarks, always. What is said of a
/// whole file stands at its first line. Everything is said once: copies of an
/// operation (pieces of a store, versions of a kernel) repeat what was said of
/// the first, and what is so of a version only begins with its name.
///
/// Of one operation there is one remark, what was decided first; what passes
/// decided of it later, and of what it became, are notes of that. So remarks
/// are kept until an error is printed, or until there can be no more.
class SourceDiagnostics : public SourceMgrDiagnosticHandler {
public:
  SourceDiagnostics(llvm::SourceMgr &sources, MLIRContext *context,
                    llvm::raw_ostream &os, bool remarks);
  ~SourceDiagnostics();

  /// The name of the version of a kernel that a place is in
  /// (VersionKernels.cpp); null outside of versions.
  static SymbolRefAttr versionOf(Location loc);

private:
  /// What is printed of a diagnostic or a note: at its place, with the name of
  /// the version that it is of.
  struct Line {
    Location loc;
    std::string text;
  };

  bool isNews(Diagnostic &diagnostic);
  /// The diagnostic, and each of its notes that says something new.
  SmallVector<Line> linesOf(Diagnostic &diagnostic);
  void print(ArrayRef<Line> lines, DiagnosticSeverity severity);
  void printRemarks();

  bool hasFailed = false; ///< an error was printed
  llvm::StringSet<> said;
  /// What is said at each place, in the order of the first remark there.
  llvm::MapVector<Location, SmallVector<Line>> remarks;
};

} // namespace mlir::tile
#endif // TILE_PIPELINES_SOURCEDIAGNOSTICS_H
