/*===- Analysis.h - what targets have, what kernels cost --------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Limits of architectures, figures of GPUs, and the estimate by which tiles  *|
|* are chosen (docs/Rationale/TileChoice.md), for those who explain kernels.  *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_ANALYSIS_H
#define TILE_C_ANALYSIS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of an architecture, and of the GPU that choices are made for. Names live as
   long as the process. */
typedef struct TileTargetFigures {
  MlirStringRef arch;
  int32_t capability;     /* 90 */
  int64_t sharedPerBlock; /* bytes */
  int64_t sharedPerSm;    /* bytes */
  int64_t registersPerSm; /* of 32 bits */
  int64_t registersPerThread;
  int64_t threadsPerSm;
  int64_t blocksPerSm;
  MlirStringRef device; /* "H200" */
  int64_t multiprocessors;
  double maxGHz, sustainedGHz;
  double dramBytesPerSecond;
  double l2Bytes; /* capacity */
  /* Per multiprocessor and cycle: multiply-adds of 16-bit operands in tensor
     cores, of f32 outside of them, bytes read from shared memory, from L2. */
  double tensorMultiplyAdds, multiplyAdds, sharedBytesPerCycle, l2BytesPerCycle;
} TileTargetFigures;

/* The figures of an architecture and a device ("": the architecture's default).
   False, with the reason to `error`, for names that are not known. */
bool tileTargetGetFigures(MlirStringRef arch, MlirStringRef device,
                          TileTargetFigures *figures, MlirStringCallback error,
                          void *userData);
/* Architectures that there is code for, by number; an empty name behind the
   last. */
MlirStringRef tileTargetGetArch(intptr_t index);

typedef struct TileKernelEstimate {
  double microseconds;
  int64_t blocks;      /* of the grid */
  int64_t threads;     /* of a block */
  int64_t registers;   /* of a thread, by estimate */
  int64_t sharedBytes; /* of a block */
  int64_t rounds;      /* blocks that the busiest multiprocessor works off */
  int64_t resident;    /* blocks at a time on it */
  double tensorPart;   /* of the time that tensor cores multiply */
  double gigahertz;
  double dramBytes, l2Bytes;
  double tensorCycles; /* of all blocks, at the rate of the instruction used */
  double threadCycles; /* of all blocks: arithmetic by threads */
} TileKernelEstimate;

/* Estimates a `tile.kernel` without tunables, as written (before pipelining),
   for the sizes in its `tile.shape_hint`s and in `hints`
   ("A=8192x4096,s=4"). What limits it goes to `limit`, in words. False, with
   the reason to `limit`, where it cannot run or cannot be estimated. */
bool tileKernelGetEstimate(MlirOperation kernel, MlirStringRef arch,
                           MlirStringRef device, MlirStringRef hints,
                           TileKernelEstimate *estimate,
                           MlirStringCallback limit, void *userData);

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_ANALYSIS_H */
