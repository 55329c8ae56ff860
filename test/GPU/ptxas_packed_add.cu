// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does ptxas add right where only the upper one of two sums is used? (lib/Target/AssemblerFaults.h)
//   nvcc -arch=sm_90 -o packed ptxas_packed_add.cu && ./packed; nvcc -arch=sm_90 -Xptxas -O0 -o packed ptxas_packed_add.cu && ./packed
// Prints how many of 4096 sums are wrong, and the first.
#include <cstdint>
#include <cstdio>

__global__ void add(uint16_t *out, const uint16_t *in) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint16_t sum;
  asm("{\n"
      " .reg .b32 pair, constant, sums;\n"
      " mov.b32 pair, {%1, %1};\n"
      " mov.b32 constant, 0x00fb0000;\n" // 251 to the upper half, nothing to the lower
      " add.s16x2 sums, pair, constant;\n"
      " mov.b32 {_, %0}, sums;\n"
      "}"
      : "=h"(sum)
      : "h"(in[i]));
  out[i] = sum;
}

int main() {
  constexpr uint32_t count = 4096;
  uint16_t *in, *out;
  cudaMallocManaged(&in, sizeof(uint16_t) * count);
  cudaMallocManaged(&out, sizeof(uint16_t) * count);
  for (uint32_t i = 0; i < count; ++i)
    in[i] = uint16_t(i);
  add<<<count / 128, 128>>>(out, in);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 2;
  int wrong = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t want = uint16_t(i + 251);
    if (out[i] != want && !wrong++)
      printf("first wrong: i = %u: expected %u, got %u\n", i, want, out[i]);
  }
  printf("%d of %u wrong\n", wrong, count);
  return wrong != 0;
}
