/*===- Execution.h - C interface of execution on the CPU --------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Runs kernels on this machine's CPU, on memory of the host: by the meaning  *|
|* of the dialect, compiled for the CPU and run on all cores, or as the code  *|
|* that a GPU would be given, thread by thread, with checks for races and     *|
|* misuse (docs/Lowered.md). Arguments are those of tile-c/Runtime.h, with    *|
|* addresses of the host; its functions that make them (`tileArgMemRef` and   *|
|* others) are in libtile_runtime. Kernels are compiled in this process.      *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_EXECUTION_H
#define TILE_C_EXECUTION_H

#include "tile-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTNEXTLINE(performance-enum-size): C enumerations are ints. */
typedef enum TileProgramKind {
  TILE_PROGRAM_CPU = 0,    /* the dialect's meaning, as fast as the CPU is */
  TILE_PROGRAM_LOWERED = 1 /* a GPU's code, checked, much slower */
} TileProgramKind;

/* Strings are read before the call returns; NULL and "" are the default. */
typedef struct TileProgramOptions {
  size_t structSize;      /* sizeof(TileProgramOptions), by the initializer */
  int32_t kind;           /* TileProgramKind */
  int32_t remarks;        /* decisions and their reasons in the diagnostics */
  const char *arch;       /* "sm_90a"; default: the module's, else sm_80 */
  const char *device;     /* the GPU that tunables are chosen for */
  const char *sourceName; /* named by diagnostics; default: "source" */
  const char *shapeHints; /* sizes to choose tunables for: "A=8192x4096,s=4" */
  const char *tunables;   /* values of tunables: "bm=128,stages=4" */
  /* TILE_PROGRAM_CPU */
  int32_t checkAssumptions; /* tile.assume fails where it is wrong: 1 */
  int32_t checkAccesses;    /* indices outside a buffer fail */
  int32_t poison;           /* NaNs are where nothing has been written */
  int32_t lazyAsync;        /* asynchronous operations happen when awaited */
  int64_t blocks; /* launched of a kernel with block ranges; 0: the grid */
  /* TILE_PROGRAM_LOWERED */
  int32_t optimize;  /* LLVM's -O3 before execution: 1 */
  int32_t versions;  /* a second version for aligned arguments: 1 */
  int32_t fastMath;  /* approximate math functions, as on a GPU */
  const char *roles; /* "auto" (default), "on" or "off" */
  uint64_t seed;     /* decides the order of threads: 1 */
  /* TILE_PROGRAM_CPU: kernels may use any memory of this process, by its
     address (tile.from_address); for programs that are trusted as the caller
     is. */
  int32_t allowAddresses;
} TileProgramOptions;

/* Defaults: those named above, 0 otherwise. `structSize` is
   sizeof(TileProgramOptions) of the caller. */
void tileProgramOptionsInit(TileProgramOptions *options, size_t structSize);

typedef struct TileProgram TileProgram;

/* Compiles all kernels of `length` bytes of tile IR: MLIR text or bytecode.
   `options` may be NULL. Returns 0 and a program, or non-zero and none.
   `diagnostics`, where it is not NULL, receives errors, warnings and remarks as
   text, as of tileCompile. */
int32_t tileProgramCreate(const char *source, size_t length,
                          const TileProgramOptions *options,
                          TileProgram **program, char **diagnostics);
/* Not while one of its kernels runs. */
void tileProgramDestroy(TileProgram *program);

size_t tileProgramNumKernels(const TileProgram *program);
/* The kernel's name and its arguments: the manifest of this kernel alone as
   JSON (docs/Artifact.md), whose entry for code means nothing. Valid until the
   program goes; NULL where there is no such kernel. */
const char *tileProgramKernelName(const TileProgram *program, size_t kernel);
const char *tileProgramManifest(const TileProgram *program, size_t kernel);

/* NOLINTNEXTLINE(performance-enum-size): C enumerations are ints. */
typedef enum TileRunResult {
  TILE_RUN_DONE = 0,
  TILE_RUN_REFUSED = 1, /* the arguments do not fit; nothing was run */
  TILE_RUN_FAILED = 2   /* an assertion, a check, or memory ran out */
} TileRunResult;

/* Checks the arguments as a launch does and runs the kernel on memory of the
   host, in place; returns a TileRunResult when it has ended. `workers` is the
   number of threads of TILE_PROGRAM_CPU (0: one for each core; of more than 64
   and more than two for each core so many run). `output`, where it is not NULL,
   receives what the kernel prints; `error` one sentence where the result is not
   0, NULL otherwise. The caller destroys both (tileDiagnosticsDestroy). Several
   threads may run kernels at once; those of lowered programs take turns. */
int32_t tileProgramRun(TileProgram *program, size_t kernel, const TileArg *args,
                       size_t numArgs, uint32_t workers, char **output,
                       char **error);

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_EXECUTION_H */
