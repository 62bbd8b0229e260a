#include "scdcf/ops/cuda/streamed/streamed_gradient.h"

#include "scdcf/ops/cuda/machine/operand_fragments.cuh"
#include "scdcf/ops/cuda/streamed/gradient_slices.cuh"
#include "scdcf/ops/cuda/streamed/streamed_gradient_consumer.cuh"
#include "scdcf/ops/cuda/streamed/streamed_gradient_producer.cuh"

namespace scdcf::ops::cuda {
namespace {

template <class Tile, class T>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_gradient_kernel(const __grid_constant__ StreamedGradientPlan g, const T* in, const uint4* rows,
                             const uint4* columns, const T* grad_out, const Magnitudes* magnitudes, float* partial) {
#ifdef SCDCF_HOPPER_CODE
  const GradientRing<Tile> ring;
  const GradientTask task = task_of(g.mixing, blockIdx.x, g.wide);
  ring.init();
  sync_block();
  const Scales scales = scales_of(true, g.border_bits, magnitudes);
  if (threadIdx.x < Tile::consumers * 128) {
    more_registers<Tile::consumer_registers>();
    consume<Tile>(g, task, columns, grad_out, scales.grad, partial, ring);
  } else {
    fewer_registers<Tile::producer_registers>();
    produce<Tile>(g, task, in, rows, scales.source, ring);
  }
#endif
}

struct BankParams {
  LineBank rows, columns;
  FactorPlaces row_places, column_places;
  int border_bits;
  int row_words, count;  // of four bytes
};

/// The fragments of both banks.
template <class T>
__global__ void gradient_banks_kernel(const __grid_constant__ BankParams p, const float* factors, uint32_t* rows,
                                      uint32_t* columns, const Magnitudes* magnitudes) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= p.count) return;
  const Scales scales = scales_of(true, p.border_bits, magnitudes);
  if (index < p.row_words)
    rows[index] = bank_word<T>(p.rows, p.row_places, factors, scales.first, index);
  else
    columns[index - p.row_words] =
        bank_word<T>(p.columns, p.column_places, factors, scales.second, index - p.row_words);
}

}  // namespace

void run_streamed_gradient(const DeviceProblem& p, const StreamedGradientPlan& g, const void* in, const float* factors,
                           const void* grad_out, uint4* rows, uint4* columns, float* partial, float* grad_mixing,
                           const Magnitudes* magnitudes, DataType type, cudaStream_t stream) {
  const MixingPlan& m = g.mixing;
  const Magnitudes* sizes = type == DataType::float32 ? magnitudes : nullptr;
  BankParams banks{m.rows, m.columns, factor_places(p, true), factor_places(p, false), g.border_bits, 0, 0};
  banks.row_words = static_cast<int>(m.rows.bytes(p.scale_count) / 4);
  banks.count = banks.row_words + static_cast<int>(m.columns.bytes(p.scale_count) / 4);
  visit_maps(type, [&](auto map) {
    using T = decltype(map);
    launch(gradient_banks_kernel<T>, divide_up(banks.count, 128), 128, 0, stream, banks, factors,
           reinterpret_cast<uint32_t*>(rows), reinterpret_cast<uint32_t*>(columns), sizes);
    visit_tile(g, [&](auto tile) {
      using Tile = decltype(tile);
      launch(streamed_gradient_kernel<Tile, T>, int64_t(m.slices) * m.tiles(), Tile::threads, Tile::shared_bytes,
             stream, g, static_cast<const T*>(in), rows, columns, static_cast<const T*>(grad_out), sizes, partial);
    });
  });
  add_slices(p, g, sizes, partial, grad_mixing, stream);
}

}  // namespace scdcf::ops::cuda
