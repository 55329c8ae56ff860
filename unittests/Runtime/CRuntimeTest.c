/*===- CRuntimeTest.c - The launcher from C ---------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
\*===--------------------------------------------------------------------===*/

#include "tile-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      return 1;                                                                \
    }                                                                          \
  } while (0)

/* Success, or the message on stderr. */
static int succeeds(TileError *error) {
  if (!error)
    return 1;
  fprintf(stderr, "unexpected error: %s\n", tileErrorMessage(error));
  tileErrorDestroy(error);
  return 0;
}

/* An error whose message holds `part`. */
static int failsWith(TileError *error, const char *part) {
  int found = error && strstr(tileErrorMessage(error), part);
  if (!found)
    fprintf(stderr, "expected '%s', got '%s'\n", part,
            error ? tileErrorMessage(error) : "success");
  if (error)
    tileErrorDestroy(error);
  return found;
}

/* Run by CRuntimeTest.cpp with the mock driver and an artifact's file. */
int testCRuntime(const char *driver, const char *path) {
  TileDevice *device = NULL;
  CHECK(failsWith(tileDeviceOpen("libnosuchcuda.so", 0, &device),
                  "cannot open the CUDA driver"));
  CHECK(device == NULL);
  CHECK(failsWith(tileDeviceOpen(driver, 5, &device), "no device 5"));
  CHECK(succeeds(tileDeviceOpen(driver, 0, &device)));
  CHECK(strcmp(tileDeviceName(device), "Mock") == 0);
  int32_t major = 0, minor = 7;
  tileDeviceComputeCapability(device, &major, &minor);
  CHECK(major == 9 && minor == 0);

  CHECK(tileElementTypeFromName("bf16") == TILE_TYPE_BF16);
  CHECK(tileElementTypeFromName("float") == -1);
  CHECK(tileElementTypeFromName(NULL) == -1);
  CHECK(strcmp(tileElementTypeName(TILE_TYPE_F8E5M2), "f8E5M2") == 0);
  CHECK(tileElementTypeName(99) == NULL);

  TileLoadedArtifact *artifact = NULL;
  CHECK(failsWith(tileArtifactLoadBytes(device, "junk", 4, &artifact),
                  "not a valid artifact"));
  CHECK(artifact == NULL);
  /* Nothing of a file without end is kept. */
  CHECK(failsWith(tileArtifactLoadFile(device, "/dev/zero", &artifact),
                  "not a valid artifact"));
  CHECK(artifact == NULL);
  CHECK(succeeds(tileArtifactLoadFile(device, path, &artifact)));
  CHECK(tileArtifactNumKernels(artifact) == 1);
  CHECK(strstr(tileArtifactManifest(artifact), "\"format_version\": 5"));
  const TileKernel *kernel = tileArtifactFindKernel(artifact, "scale");
  CHECK(kernel && kernel == tileArtifactKernel(artifact, 0));
  CHECK(!tileArtifactKernel(artifact, 1));
  CHECK(!tileArtifactFindKernel(artifact, "none"));
  CHECK(strcmp(tileKernelName(kernel), "scale") == 0);
  CHECK(strcmp(tileKernelArch(kernel), "sm_80") == 0);
  CHECK(tileKernelNumArgs(kernel) == 4);
  CHECK(strcmp(tileKernelArgName(kernel, 1), "C") == 0);
  CHECK(!tileKernelArgName(kernel, 4));
  CHECK(tileKernelFunction(kernel) != NULL);

  uint64_t a = 0, c = 0;
  CHECK(succeeds(tileDeviceAllocate(device, 4 * 64 * 2, &a)));
  CHECK(succeeds(tileDeviceAllocate(device, 4 * 8 * 4, &c)));
  float host[32] = {1.0f, 2.0f}, back[32] = {0};
  CHECK(succeeds(tileDeviceCopyToDevice(device, c, host, sizeof(host))));
  CHECK(succeeds(tileDeviceCopyToHost(device, back, c, sizeof(back))));
  CHECK(memcmp(host, back, sizeof(host)) == 0);

  int64_t shapeA[] = {4, 64}, shapeC[] = {4, 8};
  TileArg args[4];
  args[0] = tileArgMemRef(a, TILE_TYPE_F16, 2, shapeA, NULL);
  args[1] = tileArgMemRef(c, TILE_TYPE_F32, 2, shapeC, NULL);
  args[2] = tileArgF32(0.5f);
  args[3] = tileArgI32(1);
  CHECK(succeeds(tileKernelLaunch(kernel, args, 4, NULL, 0)));
  CHECK(succeeds(tileDeviceSynchronize(device)));
  CHECK(failsWith(tileKernelLaunch(kernel, args, 3, NULL, 0),
                  "expected 4 arguments, got 3"));
  CHECK(failsWith(tileKernelLaunch(kernel, args, 100000, NULL, 0),
                  "expected 4 arguments, got 100000"));
  args[0].type = TILE_TYPE_F32;
  CHECK(failsWith(tileKernelLaunch(kernel, args, 4, NULL, 0),
                  "argument 0 ('A'): expected element type f16, got f32"));
  args[0].type = 77;
  CHECK(failsWith(tileKernelLaunch(kernel, args, 4, NULL, 0),
                  "argument 0: expected a kind, an element type and a rank"));
  args[0].type = TILE_TYPE_F16;
  args[1].data = a;
  CHECK(failsWith(tileKernelLaunch(kernel, args, 4, NULL, 0), "overlaps"));
  CHECK(succeeds(
      tileKernelLaunch(kernel, args, 4, NULL, TILE_LAUNCH_TRUST_OVERLAP)));
  args[1].data = 64;
  CHECK(failsWith(tileKernelLaunch(kernel, args, 4, NULL, 0),
                  "memory that the driver does not know"));
  CHECK(succeeds(
      tileKernelLaunch(kernel, args, 4, NULL, TILE_LAUNCH_TRUST_POINTERS)));

  CHECK(succeeds(tileDeviceFree(device, a)));
  CHECK(succeeds(tileDeviceFree(device, c)));
  CHECK(failsWith(tileDeviceFree(device, c), "cuMemFree failed"));
  tileArtifactUnload(artifact);
  tileDeviceClose(device);
  return 0;
}
