//===- Decisions.cpp - what the compiler decides at a place ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text with places of names, runs the pipeline as far as layouts,
// and finds the operation again by its line and column: passes keep locations.
//
//===----------------------------------------------------------------------===//
#include "Decisions.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/MLIRContext.h"
#include "tile/Dialect/Tile/IR/TileOps.h"
#include "tile/Pipelines/Compile.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr char kName[] = "text";

static bool contains(SMRange range, const char *place) {
  return range.isValid() && range.Start.getPointer() <= place &&
         place <= range.End.getPointer();
}

/// The operation at a place: the one whose name is there, or that defines the
/// value which is.
static Operation *operationAt(AsmParserState &state, const char *place) {
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    if (contains(definition.loc, place))
      return definition.op;
    for (const auto &group : definition.resultGroups)
      if (contains(group.definition.loc, place) ||
          llvm::any_of(group.definition.uses,
                       [&](SMRange use) { return contains(use, place); }))
        return definition.op;
  }
  return nullptr;
}

static OwningOpRef<ModuleOp> toModule(Block &block, MLIRContext *context) {
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return module;
    }
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(context, kName, 0, 0));
  Block *body = module->getBody();
  body->getOperations().splice(body->end(), block.getOperations());
  return module;
}

template <typename Layout>
static void describe(const Layout &layout, llvm::raw_ostream &os) {
  os << "`";
  layout.print(os);
  os << "`\n\n";
  layout.describe(os);
  os << "\n\n";
}

/// The layouts of what stands at `place`, after they are decided.
static void describeLayouts(ModuleOp module, FileLineColLoc place,
                            llvm::raw_ostream &os) {
  SmallVector<Attribute> seen;
  module.walk([&](AllocOp alloc) {
    Attribute layout = alloc.getLayoutAttr();
    if (!layout || llvm::is_contained(seen, layout) ||
        alloc->getLoc()->findInstanceOf<FileLineColLoc>() != place)
      return;
    seen.push_back(layout);
    if (auto fragment = dyn_cast<FragmentLayoutAttr>(layout))
      describe(fragment.getLayout(), os);
    else if (auto shared = dyn_cast<SharedLayoutAttr>(layout))
      describe(shared.getLayout(), os);
  });
}

std::string mlir::tile::describeDecisions(StringRef text, size_t offset,
                                          StringRef arch) {
  if (llvm::Error error = checkNesting(text, kName)) {
    consumeError(std::move(error));
    return {};
  }
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  FileLineColLoc place;
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    Location loc = diagnostic.getLocation();
    bool isHere = place && loc->findInstanceOf<FileLineColLoc>() == place;
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    if (place && (isHere || isError))
      said += "- " + std::string(isError ? "error: " : "") + diagnostic.str() +
              "\n";
    return success();
  });

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, kName),
                             SMLoc());
  const char *start = sources.getMemoryBuffer(1)->getBufferStart();
  Block block;
  AsmParserState state;
  if (failed(
          parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return {};
  Operation *op = operationAt(state, start + offset);
  if (!op || !op->getParentOfType<KernelOp>())
    return {};
  place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  OwningOpRef<ModuleOp> module = toModule(block, &context);

  CompileOptions options;
  if (!(*module)->hasAttr(kTargetAttrName))
    options.arch = arch;
  options.remarks = true;
  std::string result;
  llvm::raw_string_ostream os(result);
  if (succeeded(inferLayouts(*module, options)))
    describeLayouts(*module, place, os);
  os << said;
  if (result.empty())
    return {};
  StringRef target =
      options.arch.empty()
          ? (*module)->getAttrOfType<TargetAttr>(kTargetAttrName).getArch()
          : StringRef(options.arch);
  return ("**Decided for " + target + "**\n\n" + result).str();
}
