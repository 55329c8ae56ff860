// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does racecheck see what orders accesses of the shared memory of another block?
//   nvcc -arch=sm_90a -o exchange racecheck_dsmem.cu; compute-sanitizer --tool racecheck ./exchange 0|1|2
// Seen with CUDA 13.0 on an H200: 0 clean, 1 reported (it is no race), 2 reported (it is one).
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdint>
namespace cg = cooperative_groups;
// 0: barrier.cluster; 1: an mbarrier that all blocks arrive on (release.cluster, acquire.cluster); 2: nothing (a race).
template <int kind> __global__ void __cluster_dims__(2,1,1) exchange(float *out) {
  __shared__ float data[128];
  __shared__ alignas(8) uint64_t bar[2];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), peer = rank ^ 1;
  uint32_t b = (uint32_t)__cvta_generic_to_shared(bar);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b + 8*i), "r"(2*128));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster.sync();
  auto meet = [&](int i) {
    if (kind == 0) cluster.sync();
    if (kind == 1) {
      for (uint32_t r = 0; r < 2; ++r)
        asm volatile("{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" :: "r"(b + 8*i), "r"(r) : "memory");
      asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0; @!done bra again; }" :: "r"(b + 8*i) : "memory");
    }
  };
  data[threadIdx.x] = threadIdx.x + rank * 1000.0f;
  meet(0);
  float got = cluster.map_shared_rank(data, peer)[threadIdx.x];
  meet(1);
  out[(blockIdx.x) * 128 + threadIdx.x] = got;
}
int main(int argc, char **argv) {
  float *out; cudaMalloc(&out, 4*128*64);
  switch (argc > 1 ? argv[1][0] : '0') {
  case '0': exchange<0><<<64,128>>>(out); break;
  case '1': exchange<1><<<64,128>>>(out); break;
  default: exchange<2><<<64,128>>>(out);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
