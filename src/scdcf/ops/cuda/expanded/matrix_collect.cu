#include <type_traits>

#include "scdcf/ops/cuda/expanded/collect_rows.cuh"

namespace scdcf::ops::cuda {
namespace {

using namespace collecting;

template <class T, int row_tiles, bool wide>
__global__ void __launch_bounds__(kMatrixThreads, 2)
    collect_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModesByRow modes,
                   const __grid_constant__ MatrixTile t, const __grid_constant__ ExpandedPlaces places,
                   const T* expanded, const uint4* row, const uint4* column, T* grad_in, int first_image) {
  const CollectBlock b = block_of(p, t);
  Window window{reinterpret_cast<float*>(shared_memory() + t.first), t.first_pitch, t.window, 0, 0};
  auto* row_steps = reinterpret_cast<Steps*>(shared_memory());
  T* lines = reinterpret_cast<T*>(shared_memory() + t.lines_at);
  const int lines_size = t.lines_size / static_cast<int>(sizeof(T)), lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < t.window * t.first_pitch; i += kMatrixThreads) window.sums[i] = 0;
  for (int i = threadIdx.x; i < t.together * lines_size; i += kMatrixThreads)  // steps are whole
    lines[i] = Operand<T>::number(0.0f);
  sync_block();
  grad_in += (int64_t(first_image + b.image) * p.planes + b.plane) * p.in_height * p.in_width * p.in_channels;
  for (int x_tile = 0; x_tile < t.column_tiles; ++x_tile) {
    const LineSpan xs = t.row.tile_span(x_tile);
    if (xs.count < t.columns) {  // what the tile before has left there is no zero
      const int rows = t.row.steps * t.row.step - xs.count;
      for (int i = threadIdx.x; i < rows * t.lines_pitch; i += kMatrixThreads)
        for (int f = 0; f < t.together; ++f)
          lines[f * lines_size + xs.count * t.lines_pitch + i] = Operand<T>::number(0.0f);
    }
    for (int s = 0; s < p.scale_count; ++s) {
      const ScaleEntry& scale = p.scales[s];
      const LineSpan ys = t.column.sources_of(scale.radius, b.i_tile), js = t.row.targets_of(scale.radius, x_tile);
      bool first_of_scale = true;
      for (int e = scale.source_begin; e < scale.source_end; ++e) {
        if (p.sources[e].plane != b.plane) continue;
        if (first_of_scale) {
          find_steps(row_steps, t.row, js, xs, scale.radius);
          sync_block();
          first_of_scale = false;
        }
        const ScalePlace place = places.scale[s];
        const Expanded<T> z{expanded + place.begin + b.image * place.image_step +
                                (int64_t(ys.begin) * p.out_width + xs.begin) * place.pixel_step +
                                (e - scale.source_begin) * p.mode_count * p.in_channels + b.channel0,
                            p.out_width * place.pixel_step,
                            place.pixel_step,
                            p.in_channels,
                            xs,
                            ys};
        for (int factor = 0; factor < modes.count; factor += t.together) {
          const int factors = min(t.together, modes.count - factor);
          int units = (xs.count * t.channels + kUnit - 1) / kUnit;
#pragma unroll 1
          for (int item = threadIdx.x / 32; item < units * factors; item += kMatrixThreads / 32) {
            const int f = item / units, n = (item - f * units) * kUnit;
            column_products<T, row_tiles, wide>(t, modes, modes.begin[factor + f], modes.begin[factor + f + 1], b, z, n,
                                                column + t.column.at(s, b.i_tile, 0) + lane, lines + f * lines_size);
          }
          sync_block();
          const int tiles = (js.count + 15) / 16, groups = (tiles + kRowTiles - 1) / kRowTiles;
          units = (b.is.count * t.channels + kUnit - 1) / kUnit;
#pragma unroll 1
          for (int item = threadIdx.x / 32; item < units * groups; item += kMatrixThreads / 32) {
            const int group = item / units, n = (item - group * units) * kUnit, first = group * tiles / groups;
            const auto products = [&](auto c) {
              row_products<T, decltype(c)::value>(t, modes, factor, factors, js, first, n, lines,
                                                  row + t.row.at(s, x_tile, 0) + lane, row_steps, window);
            };
            if ((group + 1) * tiles / groups - first == 1)
              products(std::integral_constant<int, 1>{});
            else
              products(std::integral_constant<int, 2>{});
          }
          sync_block();
        }
      }
    }
    int done = p.in_width;  // columns that no later x reaches
    if (x_tile + 1 < t.column_tiles) done = t.row.targets_of(t.most_radius, x_tile + 1).begin;
    flush(p, t, b, window, done, grad_in);
  }
}

template <class T>
void run(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* expanded,
         const uint4* row, const uint4* column, void* grad_in, int first_image, int images, cudaStream_t stream) {
  const int64_t blocks = t.blocks_of_map() * p.planes * images;
  const auto go = [&](auto kernel) {
    launch(kernel, blocks, kMatrixThreads, t.shared_bytes, stream, p, modes_by_row(p), t, places,
           static_cast<const T*>(expanded), row, column, static_cast<T*>(grad_in), first_image);
  };
  if (t.column.row_tiles == 1)
    go(t.wide ? collect_kernel<T, 1, true> : collect_kernel<T, 1, false>);
  else
    go(t.wide ? collect_kernel<T, kMostRowTiles, true> : collect_kernel<T, kMostRowTiles, false>);
}

}  // namespace

void matrix_collect(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* expanded,
                    const uint4* row, const uint4* column, void* grad_in, int first_image, int images, DataType type,
                    cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<bf16>(p, t, places, expanded, row, column, grad_in, first_image, images, stream);
  else
    run<float>(p, t, places, expanded, row, column, grad_in, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
