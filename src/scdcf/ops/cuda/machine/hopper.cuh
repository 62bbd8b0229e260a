// Hopper's own machine operations (sm_90a): barriers in shared memory, bulk copies, products of a warpgroup, clusters.
//
// A barrier completes a phase when all its arrivals and announced bytes have come; wait() takes the parity of the
// phase. The products of a warpgroup (128 threads) run beside the code: a group of them is closed by commit_products()
// and waited for with wait_products<newer>(). Operands lie in shared memory as rows of 128 bytes along the summed
// index, the 16-byte pieces of row r XORed with r % 8 (the 128-byte swizzle), eight rows after each other.
#pragma once

#include "scdcf/ops/cuda/machine/primitives.cuh"

// Other architectures get empty kernels, which nobody launches (has_wgmma).
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || !defined(__CUDA_ARCH__)
#  define SCDCF_HOPPER_CODE
#endif

namespace scdcf::ops::cuda {

using Barrier = uint64_t;

__device__ inline uint32_t shared_address(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

#ifdef SCDCF_HOPPER_CODE

__device__ inline void init_barrier(Barrier* b, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
/// Makes initialised barriers visible to the cluster and to the copies.
__device__ inline void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive(Barrier* b) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/// Arrives at the barrier of the same place in another block of the cluster. Orders nothing that this block has
/// written.
__device__ inline void arrive_at(Barrier* b, int block) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; mbarrier.arrive.shared::cluster.b64 _, [remote]; "
      "}" ::"r"(shared_address(b)),
      "r"(block)
      : "memory");
}
__device__ inline void arrive_expecting(Barrier* b, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ inline void wait(Barrier* b, uint32_t parity) {
  uint32_t done;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(b)), "r"(parity)
                 : "memory");
  while (!done);
}

/// Copies to the same place of every block in `blocks` (a bit each) and tells the barrier there.
__device__ inline void copy_bulk(void* to, const void* from, uint32_t bytes, Barrier* b, uint32_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(b)), "h"(static_cast<uint16_t>(blocks))
      : "memory");
}

/// Ordinary stores of this thread become visible to the products.
__device__ inline void fence_products() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int newer>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(newer) : "memory");
}

/// Where an operand is (its rows are as said above); operands of 16 numbers further along are 2 more.
__device__ inline uint64_t operand_at(const void* rows) {
  return uint64_t((shared_address(rows) & 0x3ffff) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 |
         uint64_t(1) << 62;
}

template <int count>
__device__ inline void more_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ inline void fewer_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}

__device__ inline void sync_warp() { __syncwarp(); }
template <int threads>
__device__ inline void sync_some() {
  asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}
/// The threads of this thread's warpgroup.
__device__ inline void sync_group() { asm volatile("bar.sync %0, 128;" ::"r"(2 + int(threadIdx.x) / 128) : "memory"); }
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline int cluster_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

#endif

/// `probe` has static shared memory where SCDCF_HOPPER_CODE is defined, and only there.
inline bool built_for_hopper(void (*probe)(int*)) {
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) != 9) return false;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, probe), "kernel attributes");
  return attributes.sharedSizeBytes > 0;
}

template <class... Params, class... Args>
void launch_clusters(void (*kernel)(Params...), int blocks, int cluster, int threads, size_t shared,
                     cudaStream_t stream, Args... args) {
  // All there is, as in launch(): other threads may launch it with other tiles.
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory_limit()),
        "shared memory");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), "launch");
}

}  // namespace scdcf::ops::cuda
