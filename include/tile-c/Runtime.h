/*===- Runtime.h - C interface of the launcher ------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Loads artifacts and launches their kernels, with no compiler present. What *|
|* each call checks and does is described in tile/Runtime/Launcher.h.         *|
|*                                                                            *|
|* A call that can fail returns an error, or NULL for success. An error is    *|
|* one sentence; whoever receives it destroys it. Objects may be used from    *|
|* any thread, and are closed by one, after their last use: artifacts before  *|
|* their device.                                                              *|
\*===----------------------------------------------------------------------===*/

#ifndef TILE_C_RUNTIME_H
#define TILE_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(performance-enum-size): C enumerations are ints. */

typedef struct TileError TileError;
typedef struct TileDevice TileDevice;
typedef struct TileLoadedArtifact TileLoadedArtifact;
/* Belongs to its artifact. */
typedef struct TileKernel TileKernel;

/* The sentence, valid until the error is destroyed. */
const char *tileErrorMessage(const TileError *error);
void tileErrorDestroy(TileError *error);

/*===----------------------------------------------------------------------===*\
|* Element types                                                              *|
\*===----------------------------------------------------------------------===*/

typedef enum TileElementType {
  TILE_TYPE_I1 = 0, /* one byte an element */
  TILE_TYPE_I4,     /* two elements a byte */
  TILE_TYPE_I8,
  TILE_TYPE_UI8,
  TILE_TYPE_I16,
  TILE_TYPE_UI16,
  TILE_TYPE_I32,
  TILE_TYPE_UI32,
  TILE_TYPE_I64,
  TILE_TYPE_UI64,
  TILE_TYPE_F4E2M1FN, /* two elements a byte */
  TILE_TYPE_F8E4M3FN,
  TILE_TYPE_F8E5M2,
  TILE_TYPE_F8E8M0FNU,
  TILE_TYPE_F16,
  TILE_TYPE_BF16,
  TILE_TYPE_F32,
  TILE_TYPE_TF32, /* of kernels' arguments; tensors are TILE_TYPE_F32 */
  TILE_TYPE_F64
} TileElementType;

/* MLIR's name of the type; NULL for a number that is none. */
const char *tileElementTypeName(int32_t type);
/* The type of that name, or -1. */
int32_t tileElementTypeFromName(const char *name);

/*===----------------------------------------------------------------------===*\
|* Devices and their memory                                                   *|
\*===----------------------------------------------------------------------===*/

/* Opens the driver library `driver` (NULL: the system's) and its device. */
TileError *tileDeviceOpen(const char *driver, int32_t ordinal,
                          TileDevice **device);
void tileDeviceClose(TileDevice *device);

/* Valid until the device is closed. */
const char *tileDeviceName(const TileDevice *device);
void tileDeviceComputeCapability(const TileDevice *device, int32_t *major,
                                 int32_t *minor);

TileError *tileDeviceAllocate(TileDevice *device, size_t bytes,
                              uint64_t *pointer);
TileError *tileDeviceFree(TileDevice *device, uint64_t pointer);
TileError *tileDeviceCopyToDevice(TileDevice *device, uint64_t to,
                                  const void *from, size_t bytes);
TileError *tileDeviceCopyToHost(TileDevice *device, void *to, uint64_t from,
                                size_t bytes);
/* Waits for all work on the device; a kernel that failed is reported here. */
TileError *tileDeviceSynchronize(TileDevice *device);

/*===----------------------------------------------------------------------===*\
|* Artifacts and kernels                                                      *|
\*===----------------------------------------------------------------------===*/

TileError *tileArtifactLoadFile(TileDevice *device, const char *path,
                                TileLoadedArtifact **artifact);
/* Keeps no reference to `bytes`. */
TileError *tileArtifactLoadBytes(TileDevice *device, const void *bytes,
                                 size_t size, TileLoadedArtifact **artifact);
void tileArtifactUnload(TileLoadedArtifact *artifact);

/* The manifest as JSON (docs/Artifact.md), valid until the artifact goes. */
const char *tileArtifactManifest(const TileLoadedArtifact *artifact);

size_t tileArtifactNumKernels(const TileLoadedArtifact *artifact);
/* NULL where there is no such kernel. */
const TileKernel *tileArtifactKernel(const TileLoadedArtifact *artifact,
                                     size_t index);
const TileKernel *tileArtifactFindKernel(const TileLoadedArtifact *artifact,
                                         const char *name);

/* Names are valid until the artifact goes. */
const char *tileKernelName(const TileKernel *kernel);
/* The architecture of the code that was chosen: "sm_90a". */
const char *tileKernelArch(const TileKernel *kernel);
size_t tileKernelNumArgs(const TileKernel *kernel);
const char *tileKernelArgName(const TileKernel *kernel, size_t index);
/* The driver's CUfunction. */
void *tileKernelFunction(const TileKernel *kernel);

typedef enum TileArgKind {
  TILE_ARG_MEMREF = 0,
  TILE_ARG_SCALAR = 1
} TileArgKind;

/* One argument of a launch; shape and strides are read before it returns. */
typedef struct TileArg {
  int32_t kind;           /* TileArgKind */
  int32_t type;           /* TileElementType */
  int32_t rank;           /* memref */
  uint64_t data;          /* memref: device address of the first element */
  const int64_t *shape;   /* memref: `rank` extents */
  const int64_t *strides; /* memref: in elements; NULL: row-major and dense */
  uint64_t bits;          /* scalar: its bits, in the low bytes */
} TileArg;

TileArg tileArgMemRef(uint64_t data, int32_t type, int32_t rank,
                      const int64_t *shape, const int64_t *strides);
TileArg tileArgScalar(int32_t type, uint64_t bits);
TileArg tileArgI32(int32_t value);
TileArg tileArgI64(int64_t value);
TileArg tileArgF32(float value);
TileArg tileArgF64(double value);

/* Checks that a launch leaves out. */
enum {
  TILE_LAUNCH_TRUST_POINTERS = 1, /* addresses are memory of the device */
  TILE_LAUNCH_TRUST_OVERLAP = 2   /* written arguments overlap no other */
};

/* Checks the arguments and launches on `stream`, a CUstream or NULL. `flags`
   is a sum of the above or 0. */
TileError *tileKernelLaunch(const TileKernel *kernel, const TileArg *args,
                            size_t numArgs, void *stream, uint32_t flags);

/* NOLINTEND(performance-enum-size) */

#ifdef __cplusplus
}
#endif

#endif /* TILE_C_RUNTIME_H */
