//===- OptionalVersions.cpp - versions that cannot be compiled ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is promised to the version of a kernel lets it stage more and run copies
// further ahead, so it may need what the architecture does not have while the
// kernel itself does not.
//
//===----------------------------------------------------------------------===//
#include "OptionalVersions.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Target/ManifestBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Keeps errors in versions back until it is known whether they matter.
class VersionErrors {
public:
  explicit VersionErrors(MLIRContext *context)
      : context(context),
        handler(std::in_place, context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          isOfVersions &=
              bool(SourceDiagnostics::versionOf(diagnostic.getLocation()));
          if (isOfVersions)
            held.push_back(std::move(diagnostic));
          return success(isOfVersions);
        }) {}

  ArrayRef<Diagnostic> errors() const { return held; }
  /// Whether nothing but versions had errors, and they did.
  bool areOfVersions() const { return isOfVersions && !held.empty(); }
  /// Says what was kept back.
  void emit() {
    handler.reset();
    for (Diagnostic &diagnostic : held)
      context->getDiagEngine().emit(std::move(diagnostic));
    held.clear();
  }

private:
  MLIRContext *context;
  bool isOfVersions = true; // so far
  std::vector<Diagnostic> held;
  std::optional<ScopedDiagnosticHandler> handler;
};
} // namespace

/// The kernel that `version` is one of, whether it is lowered yet or not.
static std::string kernelOf(ModuleOp module, StringRef version) {
  for (Operation &op : *module.getBody())
    if (auto base = op.getAttrOfType<StringAttr>(kVersionOfAttrName))
      if (SymbolTable::getSymbolName(&op) == version)
        return base.str();
  return {};
}

LogicalResult mlir::tile::lowerWithVersions(
    ModuleOp module,
    llvm::function_ref<LogicalResult(ArrayRef<std::string> once)> lower) {
  SmallVector<std::string> once;
  while (true) {
    OwningOpRef<ModuleOp> written = module.clone();
    VersionErrors versions(module.getContext());
    LogicalResult result = lower(once);
    llvm::MapVector<StringRef, std::string> refused; // version -> kernel
    if (failed(result) && versions.areOfVersions())
      for (const Diagnostic &error : versions.errors()) {
        StringRef version = SourceDiagnostics::versionOf(error.getLocation())
                                .getLeafReference();
        refused.try_emplace(version, kernelOf(module, version));
      }
    bool isOptional =
        !refused.empty() && llvm::none_of(refused, [&](const auto &entry) {
          return entry.second.empty() || llvm::is_contained(once, entry.second);
        });
    if (!isOptional) {
      versions.emit();
      return result;
    }
    module.getBodyRegion().takeBody(written->getBodyRegion());
    module->setAttrs(written.get()->getAttrDictionary());
    for (auto &[version, kernel] : refused) {
      const Diagnostic &error = *llvm::find_if(
          versions.errors(), [&, version = version](auto &found) {
            return SourceDiagnostics::versionOf(found.getLocation())
                       .getLeafReference() == version;
          });
      module.lookupSymbol(kernel)->emitRemark()
          << "'" << version << "' is left out, and '" << kernel
          << "' is also launched with aligned arguments: " << error.str();
      once.push_back(kernel);
    }
  }
}
