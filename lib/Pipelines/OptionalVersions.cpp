//===- OptionalVersions.cpp - versions that cannot be compiled ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is promised to the version of a kernel lets it stage more and run copies
// further ahead, so it may need what the architecture does not have while the
// kernel itself does not; and of several combinations of tunables some may be
// refused.
//
//===----------------------------------------------------------------------===//
#include "OptionalVersions.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Target/ManifestBuilder.h"

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
  // A kernel with several combinations is one of its versions itself.
  for (Operation &op : *module.getBody())
    if (auto own = op.getAttrOfType<StringAttr>(kStandsForAttrName))
      if (own == version)
        return SymbolTable::getSymbolName(&op).str();
  return {};
}

LogicalResult mlir::tile::lowerWithVersions(
    ModuleOp module, SmallVectorImpl<std::string> &without,
    llvm::function_ref<LogicalResult(ArrayRef<std::string> without)> lower) {
  while (true) {
    OwningOpRef<ModuleOp> written = module.clone();
    VersionErrors versions(module.getContext());
    LogicalResult result = lower(without);
    SmallVector<RefusedVersion> refused;
    if (failed(result) && versions.areOfVersions())
      for (const Diagnostic &error : versions.errors()) {
        StringRef version = SourceDiagnostics::versionOf(error.getLocation())
                                .getLeafReference();
        // The first error of each says why.
        if (llvm::none_of(refused, [&](const RefusedVersion &other) {
              return other.version == version;
            }))
          refused.push_back(
              {version.str(), kernelOf(module, version), error.str()});
      }
    bool isOptional =
        !refused.empty() &&
        llvm::none_of(refused, [&](const RefusedVersion &version) {
          return version.kernel.empty() ||
                 llvm::is_contained(without, version.version);
        });
    if (!isOptional) {
      versions.emit();
      return result;
    }
    leaveOut(module, std::move(written), refused, without);
  }
}

void mlir::tile::leaveOut(ModuleOp module, OwningOpRef<ModuleOp> written,
                          ArrayRef<RefusedVersion> refused,
                          SmallVectorImpl<std::string> &without) {
  module.getBodyRegion().takeBody(written->getBodyRegion());
  module->setAttrs(written.get()->getAttrDictionary());
  for (const RefusedVersion &version : refused) {
    module.lookupSymbol(version.kernel)->emitRemark()
        << "'" << version.version << "' is left out, and others of '"
        << version.kernel << "' are launched in its place: " << version.why;
    without.push_back(version.version);
  }
}

SmallVector<RefusedVersion> mlir::tile::versionsRefusedBy(ModuleOp module,
                                                          StringRef message) {
  SmallVector<RefusedVersion> all;
  for (Operation &op : *module.getBody())
    if (auto base = op.getAttrOfType<StringAttr>(kVersionOfAttrName))
      all.push_back({SymbolTable::getSymbolName(&op).str(), base.str(),
                     "cannot assemble the PTX: " + message.str()});
  SmallVector<RefusedVersion> named;
  llvm::copy_if(all, std::back_inserter(named), [&](auto &version) {
    return message.contains("'" + version.version + "'");
  });
  // Another combination can stand in a kernel's place, where there is one.
  for (Operation &op : *module.getBody())
    if (auto own = op.getAttrOfType<StringAttr>(kStandsForAttrName))
      if (StringRef name = SymbolTable::getSymbolName(&op);
          message.contains(("'" + name + "'").str()))
        named.push_back({own.str(), name.str(),
                         "cannot assemble the PTX: " + message.str()});
  return named.empty() ? all : named;
}
