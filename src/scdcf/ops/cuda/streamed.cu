#include "scdcf/ops/cuda/streamed.h"

#include "scdcf/ops/cuda/streamed_consumer.cuh"
#include "scdcf/ops/cuda/streamed_producer.cuh"

namespace scdcf::ops::cuda {
namespace {

template <class Tile, bool each>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_kernel(const __grid_constant__ StreamedPlan f, const float* source, const float4* first,
                    const char* second, const char* packed, float* target) {
#ifdef SCDCF_HOPPER_CODE
  const Shared<Tile> shared;
  const int rank = cluster_rank();
  shared.init(f.cluster);
  sync_cluster();
  if (threadIdx.x < Tile::consumer_threads) {
    more_registers<Tile::consumer_registers>();
    consume<Tile, each>(f, second, packed, target, shared, rank);
  } else {
    fewer_registers<Tile::producer_registers>();
    produce<Tile>(f, source, first, shared, rank);
  }
  sync_cluster();  // nobody leaves while others may still send to it
#endif
}

/// Has static shared memory only where the code above exists.
__global__ void probe_kernel(int* out) {
#ifdef SCDCF_HOPPER_CODE
  __shared__ int mark[32];
  mark[threadIdx.x % 32] = int(threadIdx.x);
  sync_block();
  out[threadIdx.x] = mark[(threadIdx.x + 1) % 32];
#endif
}

}  // namespace

bool has_wgmma() { return built_for_hopper(probe_kernel); }

void run_streamed(const StreamedPlan& f, const float* source, const float4* first, const void* second,
                  const void* packed, float* target, cudaStream_t stream) {
  visit_tile(f, [&](auto tile) {
    using Tile = decltype(tile);
    const auto start = [&](auto kernel) {
      launch_clusters(kernel, f.clusters * f.cluster, f.cluster, Tile::threads, Tile::shared_bytes, stream, f, source,
                      first, static_cast<const char*>(second), static_cast<const char*>(packed), target);
    };
    if (f.flush_each)
      start(streamed_kernel<Tile, true>);
    else
      start(streamed_kernel<Tile, false>);
  });
}

}  // namespace scdcf::ops::cuda
