// A CUDA driver without a device, for the tests of --target=cuda: device memory
// is the host's, and a kernel does what its name says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char name[64];
} Function;

static int context;
static Function functions[8];
static int numFunctions;
/// What every call answers once a kernel has faulted, as a real driver does.
static int lost;
#ifndef CAPABILITY
#define CAPABILITY 90
#endif
#ifndef NAME
#define NAME "Fake"
#endif
#ifndef DEVICES
#define DEVICES 1
#endif

int cuInit(unsigned flags) { return DEVICES ? 0 : 100; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuGetErrorName(int error, const char **text) {
  return *text = "CUDA_ERROR_ILLEGAL_ADDRESS", 0;
}
int cuGetErrorString(int error, const char **text) {
  return *text = "an illegal memory access was encountered", 0;
}
int cuDeviceGetCount(int *count) { return *count = DEVICES, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int size, int device) {
  return strncpy(name, NAME, size), 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return *bytes = 1 << 30, 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 75:
    return *value = CAPABILITY / 10, 0;
  case 76:
    return *value = CAPABILITY % 10, 0;
  case 97:
    return *value = 232448, 0;
  default:
    return *value = 65535, 0;
  }
}
int cuDevicePrimaryCtxRetain(void **result, int device) {
  return *result = &context, 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxGetCurrent(void **result) { return *result = &context, 0; }
int cuCtxPushCurrent_v2(void *pushed) { return 0; }
int cuCtxPopCurrent_v2(void **popped) { return *popped = &context, 0; }
int cuCtxSynchronize(void) { return lost; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  return *module = &context, lost;
}
int cuModuleUnload(void *module) { return lost; }
int cuModuleGetFunction(void **result, void *module, const char *name) {
  Function *function = &functions[numFunctions++ % 8];
  strncpy(function->name, name, sizeof(function->name) - 1);
  return *result = function, lost;
}
int cuFuncGetAttribute(int *value, int attribute, void *which) {
  return *value = attribute == 0 ? 1024 : attribute == 4 ? 40 : 0, 0;
}
int cuFuncSetAttribute(void *which, int attribute, int value) { return 0; }

/// scale(X: memref<?x?xf32>, Y: memref<?x?xf32>, s: f32), that of
/// examples/scale.mlir.
static int scale(void **params) {
  const float *x = *(float **)params[0];
  int64_t count = *(int64_t *)params[1] * *(int64_t *)params[2];
  float *y = *(float **)params[3];
  float s = *(float *)params[6];
  for (int64_t i = 0; i < count; ++i)
    y[i] = (x[i] > 0 ? x[i] : 0) * s;
  return lost;
}

/// kernel(A: memref<?xf32>, C: memref<?x?xf32, strided<[?, 1]>>), C[i, j] =
/// 2 * A[j]
int cuLaunchKernel(void *which, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ,
                   unsigned shared, void *stream, void **params, void **extra) {
  char name[64];
  strcpy(name, ((Function *)which)->name);
#ifdef SHOW_LAUNCHES
  fprintf(stderr, "launch %s\n", name);
#endif
#ifdef IDLE
  return lost;
#endif
  // A version does what its kernel does.
  char *suffix = strstr(name, "__aligned");
  if (suffix)
    *suffix = 0;
  if (!strcmp(name, "scale"))
    return scale(params);
  float *a = *(float **)params[0];
  float *c = *(float **)params[2];
  int64_t rows = *(int64_t *)params[3];
  int64_t columns = *(int64_t *)params[4];
  int64_t stride = *(int64_t *)params[5];
  if (lost)
    return lost;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c[i * stride + j] = 2 * a[j];
  if (!strcmp(name, "wrong"))
    c[stride + 2] += 1;
  if (!strcmp(name, "nothing"))
    memset(c, 0xff, 4);
  if (!strcmp(name, "beyond"))
    c[(rows - 1) * stride + columns] = 0;
  if (!strcmp(name, "before"))
    c[-2] = 0;
  if (!strcmp(name, "between"))
    c[columns] = 0;
  if (!strcmp(name, "input"))
    a[0] += 1;
  if (!strcmp(name, "fault"))
    lost = 700;
  if (!strcmp(name, "abort"))
    _exit(42);
  if (!strcmp(name, "hang"))
    sleep(100);
  return 0;
}

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  return *pointer = (uint64_t)aligned_alloc(256, (bytes + 255) / 256 * 256),
         lost;
}
int cuMemFree_v2(uint64_t pointer) { return free((void *)pointer), lost; }
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  return *available = *total = 1 << 30, 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return memcpy((void *)to, from, bytes), lost;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return memcpy(to, (void *)from, bytes), lost;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  return memcpy((void *)to, (void *)from, bytes), lost;
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count) {
  return memset((void *)to, value, count), lost;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count,
                    void *stream) {
  return memset((void *)to, value, count), lost;
}
int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer) {
  return *(int *)data = 0, 0;
}
int cuStreamCreate(void **stream, unsigned flags) {
  return *stream = &context, 0;
}
int cuStreamDestroy_v2(void *stream) { return 0; }
int cuStreamSynchronize(void *stream) { return lost; }
int cuEventCreate(void **event, unsigned flags) { return *event = &context, 0; }
int cuEventDestroy_v2(void *event) { return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuEventSynchronize(void *event) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return *milliseconds = 2.0f, 0;
}
#ifdef IDLE
int cuLaunchKernelEx(const void *config, void *which, void **params,
                     void **extra) {
  return lost;
}
int cuOccupancyMaxActiveClusters(int *count, void *which, const void *config) {
  return *count = 1, 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count) {
  return *count = 1, 0;
}
/// Both fill the map with 128 zeros.
int cuTensorMapEncodeIm2col(void *map) { return memset(map, 0, 128), 0; }
int cuTensorMapEncodeTiled(void *map) { return memset(map, 0, 128), 0; }
#endif
