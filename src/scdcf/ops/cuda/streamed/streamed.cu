#include "scdcf/ops/cuda/streamed/streamed.h"

#include "scdcf/ops/cuda/streamed/streamed_consumer.cuh"
#include "scdcf/ops/cuda/streamed/streamed_producer.cuh"

namespace scdcf::ops::cuda {
namespace {

template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_kernel(const __grid_constant__ StreamedPlan f, int forward, const T* source, const uint4* first,
                    const char* second, const char* packed, const Magnitudes* magnitudes, T* target) {
#ifdef SCDCF_HOPPER_CODE
  const Shared<Tile> shared;
  const int rank = cluster_rank();
  shared.init(f.cluster);
  sync_cluster();
  const Scales scales = scales_of(forward, f.border_bits, magnitudes, f.mixing_exponent);
  if (threadIdx.x < Tile::consumer_threads) {
    more_registers<Tile::consumer_registers>();
    const float unscale = 1.0f / scales.source / scales.first / scales.second / scales.mixing;
    consume<Tile>(f, second, packed, unscale, target, shared, rank);
  } else {
    fewer_registers<Tile::producer_registers>();
    produce<Tile>(f, source, first, scales.source, shared, rank);
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

void run_streamed(const StreamedPlan& f, bool forward, const void* source, const StreamedOperands& operands,
                  void* target, const Magnitudes* magnitudes, DataType type, cudaStream_t stream) {
  visit_tile(f, [&](auto tile) {
    visit_maps(type, [&](auto map) {
      using T = decltype(map);
      using Tile = typename decltype(tile)::template Of<sizeof(T)>;
      launch_clusters(streamed_kernel<Tile, T>, f.clusters * f.cluster, f.cluster, Tile::threads, Tile::shared_bytes,
                      stream, f, int(forward), static_cast<const T*>(source), operands.first, operands.second,
                      operands.packed, type == DataType::float32 ? magnitudes : nullptr, static_cast<T*>(target));
    });
  });
}

}  // namespace scdcf::ops::cuda
