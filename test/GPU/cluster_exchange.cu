//===- cluster_exchange.cu - what an exchange of accumulators costs -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster add up what each of them holds in registers, in several
// ways; docs/Rationale/SplitReduction.md has the cycles of an H200. Where there
// is a GPU:
//
//   nvcc -O3 -std=c++17 -arch=sm_90a -o cluster_exchange cluster_exchange.cu
//   ./cluster_exchange
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
#define DEV __device__ __forceinline__
DEV uint32_t sptr(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
DEV uint32_t mapa(uint32_t a, uint32_t r) {
  uint32_t o;
  asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(o) : "r"(a), "r"(r));
  return o;
}
DEV uint32_t rank() {
  uint32_t r;
  asm volatile("mov.u32 %0,%%cluster_ctarank;" : "=r"(r));
  return r;
}
template <int S> DEV void meet(uint32_t bar, uint32_t phase) {
  __syncwarp();
  int lane = threadIdx.x % 32;
  if (lane < S)
    asm volatile(
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%0];" ::"r"(
            mapa(bar, lane))
        : "memory");
  asm volatile("{.reg .pred d;\nL%=: "
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
               "d,[%0],%1;\n@!d bra L%=;}" ::"r"(bar),
               "r"(phase)
               : "memory");
}
DEV float4 ldr(uint32_t a) {
  float4 v;
  asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3},[%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(a)
               : "memory");
  return v;
}
DEV float4 ldl(uint32_t a) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(a)
               : "memory");
  return v;
}
DEV void str(uint32_t a, float4 v) {
  asm volatile("st.shared::cluster.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(a),
               "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}
DEV void stl(uint32_t a, float4 v) {
  asm volatile("st.shared.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(a), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}
DEV float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
DEV void stasync(uint32_t a, float4 v, uint32_t bar) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4."
               "b32 [%0],{%1,%2,%3,%4},[%5];" ::"r"(a),
               "r"(__float_as_uint(v.x)), "r"(__float_as_uint(v.y)),
               "r"(__float_as_uint(v.z)), "r"(__float_as_uint(v.w)), "r"(bar)
               : "memory");
}
extern __shared__ __align__(128) uint8_t smem[];
// G groups of four floats a thread. MODE: 0 shares, then all to the last block;
// 1 the same, loads in batches; 3 everything to the last block; parts: 4 by
// st.shared::cluster, 5 by st.async, 6 read from the other blocks, 7 by bulk
// copies, 8 through global memory; 9 all to the last block through global
// memory.
template <int S, int G, int MODE>
__global__ void __launch_bounds__(256)
    kern(float *out, long long *cycles, float4 *ws, unsigned *flags,
         int iters) {
  int T = blockDim.x, t = threadIdx.x;
  uint32_t r = rank();
  uint64_t *bars = (uint64_t *)smem;
  uint32_t b0 = sptr(bars), b1 = sptr(bars + 1), b2 = sptr(bars + 2);
  uint32_t base = sptr(smem + 128) + t * 16;
  if (t == 0) {
    for (uint32_t b : {b0, b1})
      asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(b),
                   "r"(S * T / 32));
    asm volatile("mbarrier.init.shared::cta.b64 [%0],1;" ::"r"(b2));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cg::this_cluster().sync();
  float4 v[G];
  for (int i = 0; i < G; ++i)
    v[i] = make_float4(t + i, r, i, 1);
  constexpr int P = G / S;
  const int GB = T * 16;
  long long total = 0;
  for (int it = 0; it < iters; ++it) {
    uint32_t ph = it & 1;
    cg::this_cluster().sync();
    long long t0 = clock64();
    if constexpr (MODE == 0 || MODE == 1) {
#pragma unroll
      for (int i = 0; i < G; ++i)
        stl(base + i * GB, v[i]);
      meet<S>(b0, ph);
      uint32_t share = base + r * P * GB;
      uint32_t sh[S];
#pragma unroll
      for (int p = 0; p < S; ++p)
        sh[p] = mapa(share, p);
      if constexpr (MODE == 0) {
#pragma unroll
        for (int g = 0; g < P; ++g) {
          float4 s = ldr(sh[0] + g * GB);
#pragma unroll
          for (int p = 1; p < S; ++p)
            s = add(s, ldr(sh[p] + g * GB));
          str(sh[S - 1] + g * GB, s);
        }
      } else {
        constexpr int B = P < 8 ? P : 8;
#pragma unroll
        for (int g0 = 0; g0 < P; g0 += B) {
          float4 x[B];
#pragma unroll
          for (int g = 0; g < B; ++g)
            x[g] = ldr(sh[0] + (g0 + g) * GB);
#pragma unroll
          for (int p = 1; p < S; ++p) {
            float4 y[B];
#pragma unroll
            for (int g = 0; g < B; ++g)
              y[g] = ldr(sh[p] + (g0 + g) * GB);
#pragma unroll
            for (int g = 0; g < B; ++g)
              x[g] = add(x[g], y[g]);
          }
#pragma unroll
          for (int g = 0; g < B; ++g)
            str(sh[S - 1] + (g0 + g) * GB, x[g]);
        }
      }
      meet<S>(b1, ph);
      if (r == S - 1) {
#pragma unroll
        for (int i = 0; i < G; ++i)
          v[i] = ldl(base + i * GB);
      }
    } else if constexpr (MODE == 3) { // all but the last push everything to the
                                      // last's memory at [rank]
      if (r != S - 1) {
        uint32_t to = mapa(base + r * G * GB, S - 1);
#pragma unroll
        for (int i = 0; i < G; ++i)
          str(to + i * GB, v[i]);
      }
      meet<S>(b0, ph);
      if (r == S - 1) {
#pragma unroll
        for (int p = 0; p < S - 1; ++p)
#pragma unroll
          for (int i = 0; i < G; ++i)
            v[i] = add(v[i], ldl(base + (p * G + i) * GB));
      }
    } else if constexpr (MODE == 4) { // reduce-scatter by push
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p != r) {
          uint32_t to = mapa(base + r * P * GB, p);
#pragma unroll
          for (int g = 0; g < P; ++g)
            str(to + g * GB, v[p * P + g]);
        }
      meet<S>(b0, ph);
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p == r) {
#pragma unroll
          for (int q = 0; q < S; ++q)
            if (q != p) {
#pragma unroll
              for (int g = 0; g < P; ++g)
                v[p * P + g] = add(v[p * P + g], ldl(base + (q * P + g) * GB));
            }
        }
    } else if constexpr (MODE == 5) {
      if (t == 0)
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(b2),
            "r"((S - 1) * P * GB)
            : "memory");
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p != r) {
          uint32_t to = mapa(base + r * P * GB, p), rb = mapa(b2, p);
#pragma unroll
          for (int g = 0; g < P; ++g)
            stasync(to + g * GB, v[p * P + g], rb);
        }
      asm volatile("{.reg .pred d;\nL%=: "
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                   "d,[%0],%1;\n@!d bra L%=;}" ::"r"(b2),
                   "r"(ph)
                   : "memory");
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p == r) {
#pragma unroll
          for (int q = 0; q < S; ++q)
            if (q != p) {
#pragma unroll
              for (int g = 0; g < P; ++g)
                v[p * P + g] = add(v[p * P + g], ldl(base + (q * P + g) * GB));
            }
        }
    } else if constexpr (MODE == 6) { // store others' shares locally, pull
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p != r) {
#pragma unroll
          for (int g = 0; g < P; ++g)
            stl(base + (p * P + g) * GB, v[p * P + g]);
        }
      meet<S>(b0, ph);
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p == r) {
#pragma unroll
          for (int q = 0; q < S; ++q)
            if (q != p) {
              uint32_t from = mapa(base + p * P * GB, q);
              float4 x[P];
#pragma unroll
              for (int g = 0; g < P; ++g)
                x[g] = ldr(from + g * GB);
#pragma unroll
              for (int g = 0; g < P; ++g)
                v[p * P + g] = add(v[p * P + g], x[g]);
            }
        }
      meet<S>(b1, ph);
    } else if constexpr (MODE == 7) { // local stores, bulk copies to the peer
      if (t == 0)
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(b2),
            "r"((S - 1) * P * GB)
            : "memory");
      uint32_t stage = base + G * GB;
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p != r) {
#pragma unroll
          for (int g = 0; g < P; ++g)
            stl(stage + (p * P + g) * GB, v[p * P + g]);
        }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (t % 32 == 0) {
        for (int p = 0; p < S; ++p)
          if (p != r) {
            uint32_t to = mapa(base + r * P * GB, p), rb = mapa(b2, p);
            for (int g = 0; g < P; ++g)
              asm volatile(
                  "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                  "complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(to + g * GB),
                  "r"(stage + (p * P + g) * GB), "r"(512), "r"(rb)
                  : "memory");
          }
      }
      asm volatile("{.reg .pred d;\nL%=: "
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                   "d,[%0],%1;\n@!d bra L%=;}" ::"r"(b2),
                   "r"(ph)
                   : "memory");
#pragma unroll
      for (int p = 0; p < S; ++p)
        if (p == r) {
#pragma unroll
          for (int q = 0; q < S; ++q)
            if (q != p) {
#pragma unroll
              for (int g = 0; g < P; ++g)
                v[p * P + g] = add(v[p * P + g], ldl(base + (q * P + g) * GB));
            }
        }
    } else if constexpr (MODE == 8 ||
                         MODE == 9) { // through global memory: 8
                                      // reduce-scatter, 9 all to the last
      size_t cl = blockIdx.x / S;
      float4 *mine = ws + (cl * S * (size_t)S * G) * T + t;
      unsigned *fl = flags + cl * 32;
      if constexpr (MODE == 8) {
#pragma unroll
        for (int p = 0; p < S; ++p)
          if (p != r) {
#pragma unroll
            for (int g = 0; g < P; ++g)
              __stcg(mine + (size_t)((p * S + r) * P + g) * T, v[p * P + g]);
          }
      } else if (r != S - 1) {
#pragma unroll
        for (int g = 0; g < G; ++g)
          __stcg(mine + (size_t)(r * G + g) * T, v[g]);
      }
      __syncthreads();
      if (t == 0) {
        __threadfence();
        atomicAdd(fl, 1u);
        unsigned want = (it + 1) * S;
        while (true) {
          unsigned x;
          asm volatile("ld.acquire.gpu.u32 %0,[%1];"
                       : "=r"(x)
                       : "l"(fl)
                       : "memory");
          if (x >= want)
            break;
        }
      }
      __syncthreads();
      if constexpr (MODE == 8) {
#pragma unroll
        for (int p = 0; p < S; ++p)
          if (p == r) {
#pragma unroll
            for (int q = 0; q < S; ++q)
              if (q != p) {
                float4 x[P];
#pragma unroll
                for (int g = 0; g < P; ++g)
                  x[g] = __ldcg(mine + (size_t)((p * S + q) * P + g) * T);
#pragma unroll
                for (int g = 0; g < P; ++g)
                  v[p * P + g] = add(v[p * P + g], x[g]);
              }
          }
      } else if (r == S - 1) {
#pragma unroll
        for (int q = 0; q < S - 1; ++q) {
#pragma unroll
          for (int g = 0; g < G; ++g)
            v[g] = add(v[g], __ldcg(mine + (size_t)(q * G + g) * T));
        }
      }
    }
    long long t1 = clock64();
    total += t1 - t0;
    for (int i = 0; i < G; ++i) {
      v[i].x *= 0.5f;
      v[i].y *= 0.5f;
      v[i].z *= .5f;
      v[i].w *= .5f;
    }
  }
  float s = 0;
  for (int i = 0; i < G; ++i)
    s += v[i].x + v[i].y + v[i].z + v[i].w;
  out[blockIdx.x * T + t] = s;
  if (t == 0)
    cycles[blockIdx.x] = total / iters;
}
template <int S, int G, int MODE> void run(int T, float4 *ws, unsigned *flags) {
  float *out;
  long long *cyc;
  int blocks = S == 3 ? 117 : (132 / S) * S;
  if (S == 4)
    blocks = 120;
  cudaMalloc(&out, blocks * T * 4);
  cudaMalloc(&cyc, blocks * 8);
  cudaMemset(flags, 0, 1 << 20);
  size_t sh =
      128 + (size_t)(MODE == 7 ? 2 : (MODE == 3 ? S - 1 : 1)) * G * 16 * T;
  if (MODE >= 8)
    sh = 1024;
  if (sh > 227 * 1024) {
    printf("  mode %d: too much shared\n", MODE);
    return;
  }
  auto k = kern<S, G, MODE>;
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       (int)std::max<size_t>(sh, 120 * 1024));
  cudaLaunchConfig_t c = {};
  c.gridDim = blocks;
  c.blockDim = T;
  c.dynamicSmemBytes = std::max<size_t>(sh, 120 * 1024);
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = {S, 1, 1};
  c.attrs = a;
  c.numAttrs = 1;
  for (int i = 0; i < 2; ++i) {
    cudaMemset(flags, 0, 1 << 20);
    cudaError_t e = cudaLaunchKernelEx(&c, k, out, cyc, ws, flags, 40);
    if (e != cudaSuccess) {
      printf("launch %s\n", cudaGetErrorString(e));
      return;
    }
    cudaDeviceSynchronize();
  }
  std::vector<long long> h(blocks);
  cudaMemcpy(h.data(), cyc, blocks * 8, cudaMemcpyDeviceToHost);
  std::sort(h.begin(), h.end());
  static const char *names[] = {"shares, then to the last",
                                "the same, in batches",
                                "",
                                "all to the last",
                                "parts, st.shared::cluster",
                                "parts, st.async",
                                "parts, read",
                                "parts, bulk copies",
                                "parts, global memory",
                                "global memory, to the last"};
  double kb = G * 16.0 * T / 1024;
  printf("S %d  %3.0f KB %d threads  %-30s median %6lld max %6lld cycles  %.1f "
         "cycles/KB  %s\n",
         S, kb, T, names[MODE], h[blocks / 2], h.back(), h[blocks / 2] / kb,
         cudaGetErrorString(cudaGetLastError()));
  cudaFree(out);
  cudaFree(cyc);
}
template <int S, int G> void all(int T, float4 *ws, unsigned *f) {
  run<S, G, 0>(T, ws, f);
  run<S, G, 1>(T, ws, f);
  run<S, G, 3>(T, ws, f);
  run<S, G, 4>(T, ws, f);
  run<S, G, 5>(T, ws, f);
  run<S, G, 6>(T, ws, f);
  run<S, G, 7>(T, ws, f);
  run<S, G, 8>(T, ws, f);
  run<S, G, 9>(T, ws, f);
}
int main() {
  float4 *ws;
  unsigned *f;
  cudaMalloc(&ws, 1u << 30);
  cudaMalloc(&f, 1 << 20);
  all<2, 16>(256, ws, f);
  all<2, 24>(256, ws, f);
  all<2, 16>(128, ws, f);
  all<4, 16>(256, ws, f);
  all<3, 24>(128, ws, f);
  all<3, 12>(256, ws, f);
  return 0;
}
