// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is ptxas right about a packed minimum of two packed sums of which one half is used? (lib/Target/AssemblerFaults.h)
//   nvcc -arch=sm_90 -o packed ptxas_packed_min.cu && ./packed; nvcc -arch=sm_90 -Xptxas -O0 -o packed ptxas_packed_min.cu && ./packed
// Prints how many of 65536 minima are wrong where both halves are used, where the upper, and where the lower one is.
#include <cstdint>
#include <cstdio>

constexpr int kCount = 65536, kForms = 3;

__global__ void minima(uint32_t *out, const uint32_t *a, const uint32_t *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t result;
#define FORM(NUMBER, END)                                                      \
  asm("{ .reg .b32 c, p, q, m; .reg .b16 l, h;"                                \
      " mov.b32 c, -131075;" /* -3 and -3 */                                   \
      " add.s16x2 p, %1, c; add.s16x2 q, %2, c; min.s16x2 m, p, q;" END " }"   \
      : "=r"(result)                                                           \
      : "r"(a[i]), "r"(b[i]));                                                 \
  out[NUMBER * kCount + i] = result;
  FORM(0, "mov.b32 %0, m;")
  FORM(1, "mov.b32 {l, h}, m; mov.b32 %0, {h, h};")
  FORM(2, "mov.b32 {l, h}, m; mov.b32 %0, {l, l};")
}

static uint16_t least(uint16_t x, uint16_t y) {
  int16_t p = int16_t(x - 3), q = int16_t(y - 3);
  return uint16_t(p < q ? p : q);
}

int main() {
  uint32_t *a, *b, *out, state = 1;
  cudaMallocManaged(&a, 4 * kCount);
  cudaMallocManaged(&b, 4 * kCount);
  cudaMallocManaged(&out, 4 * kCount * kForms);
  for (int i = 0; i < kCount; ++i)
    for (uint32_t *in : {a, b}) {
      state = state * 1664525 + 1013904223;
      in[i] = (state >> 5) & 0x00070007;
    }
  minima<<<kCount / 256, 256>>>(out, a, b);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return std::puts("the launch failed"), 2;
  const char *names[] = {"both", "the upper", "the lower"};
  for (int form = 0; form < kForms; ++form) {
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) {
      uint32_t low = least(uint16_t(a[i]), uint16_t(b[i]));
      uint32_t high = least(uint16_t(a[i] >> 16), uint16_t(b[i] >> 16));
      uint32_t want = form == 0   ? low | high << 16
                      : form == 1 ? high | high << 16
                                  : low | low << 16;
      wrong += out[form * kCount + i] != want;
    }
    std::printf("%s: %d of %d wrong\n", names[form], wrong, kCount);
  }
}
