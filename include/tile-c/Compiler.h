/*===- Compiler.h - C interface of the compiler -----------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* One entry: tile IR in, an artifact (or PTX, LLVM IR, machine code) out.    *|
|* Everything happens in this process but for ptxas, where that is what the   *|
|* machine has, which is killed where the calling thread or the process ends  *|
|* before it. Where the process ignores SIGCHLD, or another part of it waits  *|
|* for all children, the exit status of ptxas is lost; what it has written    *|
|* tells then whether it has succeeded. Calls are independent of each other   *|
|* and may run on several threads at once. tile-c/Runtime.h launches          *|
|* artifacts.                                                                 *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_COMPILER_H
#define TILE_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TileOutput {
  TILE_OUTPUT_ARTIFACT = 0, /* code and manifest, for the launcher */
  TILE_OUTPUT_PTX = 1,
  TILE_OUTPUT_CUBIN = 2, /* machine code of one GPU: an ELF file */
  TILE_OUTPUT_LLVM_IR = 3,
  TILE_OUTPUT_NVVM = 4 /* MLIR text in the LLVM and NVVM dialects */
} TileOutput;

/* Strings are read before the call returns; NULL and "" are the default. */
typedef struct TileCompileOptions {
  size_t structSize; /* sizeof(TileCompileOptions), set by the initializer */
  const char *arch;  /* "sm_90a"; default: the module's, else the device's */
  int32_t output;    /* TileOutput */
  int32_t optimize;  /* LLVM's -O3 */
  int32_t lineInfo;  /* line tables from the source locations */
  int32_t remarks;   /* decisions and their reasons among the diagnostics */
  const char *ptxas; /* path; default: ptxas on PATH, else nvJitLink */
  const char *sourceName; /* named by diagnostics; default: "source" */
  /* Artifacts hold a second version, for aligned arguments, of kernels that do
     not promise alignment: 1 by default. */
  int32_t versions;
  /* Math functions by approximate instructions that flush denormals:
     docs/Rationale/Math.md has the bounds. */
  int32_t fastMath;
  const char *shapeHints; /* sizes to choose tunables for: "A=8192x4096,s=4" */
  const char *tunables;   /* values of tunables: "bm=128,stages=4" */
  /* Whether warps are divided into roles, in kernels that do not say so
     themselves (`specialize`): "auto", where it pays, by default; "on", or an
     error; "off", never. */
  const char *roles;
  /* The GPU that choices are made for: "H100-PCIe"; default: what the module
     says, else the architecture's (docs/Rationale/Devices.md). */
  const char *device;
  /* Elements of tiles in shared memory whose indices may lie outside read as
     zero there and are not written: 1 by default. With 0 the program promises
     that no index does. */
  int32_t guards;
} TileCompileOptions;

/* An artifact with optimization, for the module's own target. `structSize` is
   sizeof(TileCompileOptions) of the caller: a library that knows more options
   leaves them at their default. */
void tileCompileOptionsInit(TileCompileOptions *options, size_t structSize);

typedef struct TileCompileResult TileCompileResult;

/* Compiles `length` bytes of tile IR: MLIR text or bytecode. `options` may be
   NULL. Returns 0 and a result, or non-zero and no result.
   `diagnostics`, where it is not NULL, receives errors, warnings and remarks as
   text, one or more lines each (`source:3:7: error: ...`), "" for none.
   The caller destroys both. */
int32_t tileCompile(const char *source, size_t length,
                    const TileCompileOptions *options,
                    TileCompileResult **result, char **diagnostics);

/* The bytes of what was asked for, followed by a 0 that is not counted. Valid
   until the result is destroyed. */
const char *tileCompileResultData(const TileCompileResult *result,
                                  size_t *size);
void tileCompileResultDestroy(TileCompileResult *result);
void tileDiagnosticsDestroy(char *diagnostics);

/* What a GPU's own figures mean to the compiler: the newest architecture that
   it knows and the GPU runs ("sm_90a"; NULL where there is none), and the name
   for `device` by the driver's name of the GPU and its number of
   multiprocessors ("" where nothing more is known of it). */
const char *tileArchOfCapability(int32_t major, int32_t minor);
const char *tileDeviceOfName(const char *name, int32_t major, int32_t minor,
                             int32_t multiprocessors);

/* "mlir-tile 0.1.0 (LLVM 22.1.8)": part of every cache key. */
const char *tileCompilerVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_COMPILER_H */
