// The few machine operations the kernels use, so that the kernels themselves are plain C++ (and can be emulated on a
// CPU).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {

using bf16 = __nv_bfloat16;

__device__ inline char* shared_memory() {
  extern __shared__ __align__(1024) char memory[];
  return memory;
}

__device__ inline void sync_block() { __syncthreads(); }

__device__ inline uint32_t round_tf32(float x) {
  uint32_t r;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));  // one instruction; cvt.rna takes three
#else
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
#endif
  return r;
}

__device__ inline float bits_to_float(uint32_t x) { return __uint_as_float(x); }
__device__ inline uint32_t float_to_bits(float x) { return __float_as_uint(x); }

/// d[16x8] += a[16x8] * b[8x8], tf32 operands.
__device__ inline void mma_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Sixteen bytes to global memory with one instruction, whatever the compiler would make of four numbers.
__device__ inline void store_16(void* to, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
  asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}

// Products of 16-bit operands, bf16 or half precision: d[16x8] += a[16x16] * b[16x8]; the same without d, which spares
// clearing it; and d[16x8] += a[16x8] * b[8x8].
#define SCDCF_PRODUCTS(name, type)                                                                                \
  __device__ inline void mma_##name(float(&d)[4], const uint32_t(&a)[4], uint32_t b0, uint32_t b1) {              \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                                    \
        ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                              \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                          \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                          \
  }                                                                                                               \
  __device__ inline void product_##name(float(&d)[4], const uint32_t(&a)[4], uint32_t b0, uint32_t b1) {          \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                                    \
        ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"                                          \
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                                          \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));                               \
  }                                                                                                               \
  __device__ inline void mma_##name##_8(float(&d)[4], uint32_t a0, uint32_t a1, uint32_t b) {                     \
    asm("mma.sync.aligned.m16n8k8.row.col.f32." type "." type ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                          \
        : "r"(a0), "r"(a1), "r"(b));                                                                              \
  }
SCDCF_PRODUCTS(bf16, "bf16")
SCDCF_PRODUCTS(half, "f16")
#undef SCDCF_PRODUCTS

/// Two sums as operands, rounded where this stands: moved ahead, copies of many sums would need registers of their own.
__device__ inline uint32_t pack_half_here(float low, float high) {
  uint32_t r;
  asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
__device__ inline uint32_t pack_bf16_here(float low, float high) {
  uint32_t r;
  asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}

/// An address in shared memory as the instructions below take it. Opaque, so that it stays in a register.
__device__ inline uint32_t shared_at(const void* at) {
  uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(at));
  asm volatile("" : "+r"(address));
  return address;
}

/// Four 8x8 matrices of 16-bit numbers, transposed: lane l gets rows 2 (l % 4) and + 1 of column l / 4 of each.
__device__ inline void load_transposed(uint32_t (&r)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
}

__device__ inline void load_transposed(uint32_t (&r)[4], const void* row) {
  load_transposed(r, static_cast<uint32_t>(__cvta_generic_to_shared(row)));
}

/// Sixteen bytes to shared memory, on their way while the thread goes on; wait_copies() waits for this thread's.
__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}
__device__ inline void wait_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Has the 128 bytes around an address come to the L2 cache.
__device__ inline void fetch_ahead(const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

/// The largest of what is in memory and of what all lanes of a warp have stays in memory.
__device__ inline void keep_largest(uint32_t* at, uint32_t x) {
  x = __reduce_max_sync(0xffffffffu, x);
  if (threadIdx.x % 32 == 0 && x > 0) atomicMax(at, x);
}

template <class... Params, class... Args>
void launch(void (*kernel)(Params...), int64_t blocks, int threads, size_t shared, cudaStream_t stream, Args... args) {
  if (blocks <= 0) return;
  require(blocks <= 0x7fffffff, "CUDA: launch: got ", blocks, " blocks, expected at most 2^31 - 1");
  // Always all there is: were it what this launch needs, another thread could lower it between here and the launch.
  if (shared > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory_limit()),
          "shared memory");
  kernel<<<static_cast<unsigned>(blocks), threads, shared, stream>>>(args...);
  check(cudaGetLastError(), "launch");
}

}  // namespace scdcf::ops::cuda
