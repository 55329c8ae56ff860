/*===- launch.c - launches a kernel through the C interface -----*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                  *|
|*                                                                          *|
|*   launch ARTIFACT [DRIVER]                                               *|
|*                                                                          *|
|* Runs the kernel of ../scale.mlir, y = max(x, 0) * s, on matrices of      *|
|* 1000 x 777 and compares with the host. There is no compiler in here.     *|
|* DRIVER is a driver library in place of the system's libcuda.             *|
\*===--------------------------------------------------------------------===*/
#include "tile-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 1000, kColumns = 777, kCount = kRows * kColumns };

/* Whether a call failed; says why, and ends the error. */
static int failed(TileError *error) {
  if (!error)
    return 0;
  fprintf(stderr, "error: %s\n", tileErrorMessage(error));
  tileErrorDestroy(error);
  return 1;
}

/* Copies x to the device, launches and copies y back. */
static int launch(TileDevice *device, const TileKernel *kernel, float *x,
                  float *y, float s) {
  const int64_t shape[2] = {kRows, kColumns};
  const size_t bytes = kCount * sizeof(float);
  uint64_t deviceX = 0, deviceY = 0;
  TileArg arguments[3];
  if (failed(tileDeviceAllocate(device, bytes, &deviceX)) ||
      failed(tileDeviceAllocate(device, bytes, &deviceY)) ||
      failed(tileDeviceCopyToDevice(device, deviceX, x, bytes)) ||
      failed(tileDeviceCopyToDevice(device, deviceY, y, bytes)))
    return 1;
  arguments[0] = tileArgMemRef(deviceX, TILE_TYPE_F32, 2, shape, NULL);
  arguments[1] = tileArgMemRef(deviceY, TILE_TYPE_F32, 2, shape, NULL);
  arguments[2] = tileArgF32(s);
  if (failed(tileKernelLaunch(kernel, arguments, 3, NULL, 0)) ||
      failed(tileDeviceSynchronize(device)))
    return 1;
  printf("launched %s (%s) on %s\n", tileKernelName(kernel),
         tileKernelArch(kernel), tileDeviceName(device));
  return failed(tileDeviceCopyToHost(device, y, deviceY, bytes)) ||
         failed(tileDeviceFree(device, deviceX)) ||
         failed(tileDeviceFree(device, deviceY));
}

static int check(const float *x, const float *y, float s) {
  int wrong = 0;
  for (int i = 0; i < kCount; ++i)
    wrong += !(y[i] == (x[i] > 0 ? x[i] : 0) * s);
  printf("%d of %d elements are wrong\n", wrong, kCount);
  return wrong != 0;
}

/* Loads, launches and compares on a device that is open. */
static int run(TileDevice *device, const char *path) {
  TileLoadedArtifact *artifact = NULL;
  const TileKernel *kernel = NULL;
  float *x = malloc(kCount * sizeof(float));
  float *y = malloc(kCount * sizeof(float));
  int status = 1;
  if (x && y && !failed(tileArtifactLoadFile(device, path, &artifact))) {
    kernel = tileArtifactFindKernel(artifact, "scale");
    if (!kernel)
      fprintf(stderr, "error: expected a kernel 'scale' in %s\n", path);
    for (int i = 0; i < kCount; ++i) {
      x[i] = (float)(i % 17 - 8);
      y[i] = -1;
    }
    status = !kernel || launch(device, kernel, x, y, 2.5F) || check(x, y, 2.5F);
    tileArtifactUnload(artifact);
  }
  free(x);
  free(y);
  return status;
}

int main(int argc, char **argv) {
  TileDevice *device = NULL;
  int status = 0;
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s ARTIFACT [DRIVER]\n", argv[0]);
    return 2;
  }
  if (failed(tileDeviceOpen(argc == 3 ? argv[2] : NULL, 0, &device)))
    return 1;
  status = run(device, argv[1]);
  tileDeviceClose(device);
  return status;
}
