/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Launches the kernel of examples/scale.mlir from its artifact through the C
 * interface of the launcher, in a program that uses nothing else of CUDA, and
 * compares its result: y = max(x, 0) * s. */
#include "tile-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

static void check(TileError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tileErrorMessage(error));
  tileErrorDestroy(error);
  exit(1);
}

enum { ROWS = 100, COLUMNS = 130 };

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s ARTIFACT\n", argv[0]);
    return 1;
  }
  TileDevice *device;
  TileLoadedArtifact *artifact;
  check(tileDeviceOpen(NULL, 0, &device));
  check(tileArtifactLoadFile(device, argv[1], &artifact));
  const TileKernel *kernel = tileArtifactFindKernel(artifact, "scale");
  if (!kernel) {
    fprintf(stderr, "expected a kernel 'scale' in %s\n", argv[1]);
    return 1;
  }

  static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    x[i] = (float)(i % 17 - 8);
  uint64_t onDevice[2];
  for (int i = 0; i < 2; ++i)
    check(tileDeviceAllocate(device, sizeof(x), &onDevice[i]));
  check(tileDeviceCopyToDevice(device, onDevice[0], x, sizeof(x)));
  int64_t shape[2] = {ROWS, COLUMNS};
  TileArg args[3] = {tileArgMemRef(onDevice[0], TILE_TYPE_F32, 2, shape, NULL),
                     tileArgMemRef(onDevice[1], TILE_TYPE_F32, 2, shape, NULL),
                     tileArgF32(2.5f)};
  check(tileKernelLaunch(kernel, args, 3, NULL, 0));
  check(tileDeviceSynchronize(device));
  check(tileDeviceCopyToHost(device, y, onDevice[1], sizeof(y)));
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    float expected = (x[i] > 0 ? x[i] : 0) * 2.5f;
    if (y[i] != expected) {
      fprintf(stderr, "element %d: expected %g, got %g\n", i, expected, y[i]);
      return 1;
    }
  }
  for (int i = 0; i < 2; ++i)
    check(tileDeviceFree(device, onDevice[i]));
  printf("PASS, by the code for %s\n", tileKernelArch(kernel));
  tileArtifactUnload(artifact);
  tileDeviceClose(device);
  return 0;
}
