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

SymbolRefAttr SourceDiagnostics::versionOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? dyn_cast_if_present<SymbolRefAttr>(fused.getMetadata())
               : SymbolRefAttr();
}

/// The place alone, without the version it is in.
static Location placeOf(Location loc) {
  if (SourceDiagnostics::versionOf(loc))
    return cast<FusedLoc>(loc).getLocations().front();
  return loc;
}

SourceDiagnostics::SourceDiagnostics(llvm::SourceMgr &sources,
                                     MLIRContext *context,
                                     llvm::raw_ostream &os, bool wantsRemarks)
    : SourceMgrDiagnosticHandler(sources, context, os) {
  setHandler([this, wantsRemarks](Diagnostic &diagnostic) {
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
    if (!(isRemark && !wantsRemarks) &&
        !(isError && hasFailed && repeatsFault(diagnostic)) &&
        isNews(diagnostic)) {
      if (isError)
        printRemarks();
      if (isRemark)
        llvm::append_range(remarks[placeOf(diagnostic.getLocation())],
                           linesOf(diagnostic));
      else
        print(linesOf(diagnostic), diagnostic.getSeverity());
    }
    hasFailed |= isError;
    return success();
  });
}

SourceDiagnostics::~SourceDiagnostics() { printRemarks(); }

/// Whether the same was not said of the same place before.
bool SourceDiagnostics::isNews(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](Diagnostic &part) {
    os << placeOf(part.getLocation()) << int(part.getSeverity()) << part.str()
       << '\n';
  };
  add(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    add(note);
  return said.insert(text).second;
}

SmallVector<SourceDiagnostics::Line>
SourceDiagnostics::linesOf(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  SymbolRefAttr version = versionOf(diagnostic.getLocation());
  if (version && !StringRef(text).contains(version.getLeafReference()))
    text =
        ("in '" + version.getLeafReference().getValue() + "': " + text).str();
  SmallVector<Line> lines{{placeOf(diagnostic.getLocation()), text}};
  for (Diagnostic &note : diagnostic.getNotes()) {
    Line line{placeOf(note.getLocation()), note.str()};
    if (llvm::none_of(lines, [&](const Line &other) {
          return other.loc == line.loc && other.text == line.text;
        }))
      lines.push_back(std::move(line));
  }
  return lines;
}

void SourceDiagnostics::print(ArrayRef<Line> lines,
                              DiagnosticSeverity severity) {
  llvm::SmallDenseSet<Location> shown;
  for (const Line &line : lines) {
    Location loc = line.loc;
    auto place = dyn_cast<FileLineColLoc>(loc);
    bool isFile = place && place.getLine() == 0;
    if (isFile) // a module's location is line 0 of its file
      loc = FileLineColLoc::get(place.getFilename(), 1, 1);
    emitDiagnostic(loc, line.text, severity,
                   /*displaySourceLine=*/!isFile && shown.insert(loc).second);
    severity = DiagnosticSeverity::Note;
  }
}

void SourceDiagnostics::printRemarks() {
  for (auto &[place, lines] : remarks)
    print(lines, DiagnosticSeverity::Remark);
  remarks.clear();
}
