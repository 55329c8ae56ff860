// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does ptxas subtract right from the upper half of a product? (lib/Target/AssemblerFaults.h)
//   nvcc -arch=sm_90 -o mulhi ptxas_mulhi.cu && ./mulhi; nvcc -arch=sm_90 -Xptxas -O0 -o mulhi ptxas_mulhi.cu && ./mulhi
// Prints how many of 4096 differences are wrong, and the first.
#include <cstdint>
#include <cstdio>

__global__ void subtract(uint64_t *out, uint32_t factor, uint32_t mask) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = uint64_t(__umulhi(i * 7, factor)) - uint64_t(i & mask);
}

int main() {
  constexpr uint32_t factor = 1431655766, mask = 15, count = 4096; // the quotient by 3 of small numbers
  uint64_t *out;
  cudaMallocManaged(&out, sizeof(uint64_t) * count);
  subtract<<<count / 128, 128>>>(out, factor, mask);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 2;
  int wrong = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t want = (uint64_t(i * 7) * factor >> 32) - uint64_t(i & mask);
    if (out[i] != want && !wrong++)
      printf("first wrong: i = %u: expected %lld, got %lld\n", i, (long long)want, (long long)out[i]);
  }
  printf("%d of %u wrong\n", wrong, count);
  return wrong != 0;
}
