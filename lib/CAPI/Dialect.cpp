//===- Dialect.cpp - the tile dialect for users of MLIR's C API -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile-c/Dialect.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "tile/Pipelines/Register.h"
#include <mutex>

using namespace mlir;
using namespace mlir::tile;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, mlir::tile::TileDialect)

void tileRegisterDialects(MlirDialectRegistry registry) {
  registerTileDialects(*unwrap(registry));
  // MLIR's bindings have it; no kernel holds any of it.
  unwrap(registry)->insert<index::IndexDialect>();
}

void tileRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, registerTilePasses);
}

int32_t tileCompileModule(MlirModule module, const TileCompileOptions *options,
                          TileCompileResult **result, char **diagnostics) {
  // Bytecode keeps locations, and is read several times faster than text.
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(unwrap(module), stream))) {
    *result = nullptr;
    if (diagnostics)
      *diagnostics = ::strdup("error: the module cannot be written\n");
    return 1;
  }
  return tileCompile(bytes.data(), bytes.size(), options, result, diagnostics);
}
