// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does ptxas keep the negation in a maximum of three? (lib/Target/AssemblerFaults.h)
//   nvcc -arch=sm_90 -o max3 ptxas_max3_neg.cu && ./max3; nvcc -arch=sm_90 -Xptxas -O0 -o max3 ptxas_max3_neg.cu && ./max3
// Prints how many of 4096 maxima are wrong, and the first. ptxas 13.0 makes `VIMNMX3 R9, R9, R10, R8` of them, without the minus.
#include <cstdint>
#include <cstdio>

__global__ void most(int32_t *out, const int4 *in) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 x = in[i];
  int32_t result;
  asm("{\n"
      " .reg .b32 negated, inner;\n"
      " neg.s32 negated, %3;\n"
      " max.s32 inner, %2, negated;\n"
      " max.s32 %0, %1, inner;\n"
      "}"
      : "=r"(result)
      : "r"(x.x), "r"(x.y), "r"(x.z));
  out[i] = result;
}

int main() {
  constexpr uint32_t count = 4096;
  int4 *in;
  int32_t *out;
  cudaMallocManaged(&in, sizeof(int4) * count);
  cudaMallocManaged(&out, sizeof(int32_t) * count);
  for (uint32_t i = 0; i < count; ++i)
    in[i] = int4{-5, -7, -int32_t(i) - 1, 0}; // i + 1
  most<<<count / 256, 256>>>(out, in);
  cudaDeviceSynchronize();
  uint32_t wrong = 0, first = 0;
  for (uint32_t i = count; i-- > 0;)
    if (out[i] != int32_t(i) + 1) {
      ++wrong;
      first = i;
    }
  printf("%u of %u wrong\n", wrong, count);
  if (wrong)
    printf("the first: max(-5, -7, -(%d)) = %d\n", in[first].z, out[first]);
  return wrong != 0;
}
