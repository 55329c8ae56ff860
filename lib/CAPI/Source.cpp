//===- Source.cpp - what a caller of the C interface hands over -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Source.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tile/Pipelines/Register.h"
#include "tile/Pipelines/SourceDiagnostics.h"
#include "tile/Pipelines/ToolFiles.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::tile;

std::vector<std::string> capi::split(const char *text) {
  SmallVector<StringRef> parts;
  StringRef(orEmpty(text))
      .split(parts, ',', /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

LogicalResult
capi::withModule(StringRef source, const char *sourceName, bool remarks,
                 llvm::raw_ostream &log,
                 llvm::function_ref<LogicalResult(ModuleOp)> body) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  const char *name = *orEmpty(sourceName) ? sourceName : "source";
  if (!source.data() && !source.empty()) {
    log << "error: expected a source\n";
    return failure();
  }
  if (llvm::Error error = checkNesting(source, name)) {
    log << "error: " << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  // A copy: the parser wants a terminator that the caller need not have.
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source, name), SMLoc());
  SourceDiagnostics diagnostics(*sources, &context, log, remarks);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  return body(*module);
}

char *capi::copyText(StringRef text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}
