//===- SourceDiagnostics.cpp - diagnostics with source lines --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Pipelines/SourceDiagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::tile;

/// Parsers that upstream generates say of each attribute around a fault that it
/// was not parsed, after the fault itself.
static bool repeatsFault(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  return StringRef(text).starts_with("failed to parse ") &&
         StringRef(text).contains(" parameter '");
}

SourceDiagnostics::SourceDiagnostics(llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     llvm::raw_ostream &os, bool remarks)
    : SourceMgrDiagnosticHandler(sources, context, os) {
  setHandler([this, remarks](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
    if (!(isRemark && !remarks) &&
        !(isError && hasFailed && repeatsFault(diagnostic)))
      print(diagnostic);
    hasFailed |= isError;
    return success();
  });
}

void SourceDiagnostics::print(Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!place || place.getLine() != 0)
    return emitDiagnostic(diagnostic);
  // A module's location is line 0 of its file.
  emitDiagnostic(FileLineColLoc::get(place.getFilename(), 1, 1),
                 diagnostic.str(), diagnostic.getSeverity(),
                 /*displaySourceLine=*/false);
  for (Diagnostic &note : diagnostic.getNotes())
    emitDiagnostic(note.getLocation(), note.str(), note.getSeverity());
}
