/*===- Dialect.h - the tile dialect for users of MLIR's C API ---*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Registers what the compiler knows with contexts that a program makes by    *|
|* MLIR's C API, and compiles modules of theirs. Exported where the library   *|
|* is built with MLIR's C API inside of it: that of the Python package.       *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_DIALECT_H
#define TILE_C_DIALECT_H

#include "mlir-c/IR.h"
#include "tile-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tile dialect by itself (mlirDialectHandleInsertDialect, ...). */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

/* The tile dialect, those that kernels are written in beside it (arith, math,
   scf, affine, memref, vector, func) and those that lowering produces. */
void tileRegisterDialects(MlirDialectRegistry registry);

/* The compiler's passes and pipelines, and upstream's general ones, by name for
   mlirParsePassPipeline. Calls after the first do nothing. */
void tileRegisterPasses(void);

/* tileCompile for a module: it is copied into a context of the compiler's own
   and stays as it is. Diagnostics go to `diagnostics` as text, not to the
   handlers of the module's context. Takes no lock of the caller's; the module
   must not change meanwhile. */
int32_t tileCompileModule(MlirModule module, const TileCompileOptions *options,
                          TileCompileResult **result, char **diagnostics);

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_DIALECT_H */
