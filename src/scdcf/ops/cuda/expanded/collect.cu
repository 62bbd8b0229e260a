#include "scdcf/ops/cuda/expanded/expand.h"
#include "scdcf/ops/cuda/expanded/slide.cuh"

namespace scdcf::ops::cuda {
namespace {

/// A tile of input pixels of one plane of one image.
struct CollectBlock {
  int plane, j0, js, i0, is, channel0, channels;
};

__device__ CollectBlock block_of(const DeviceProblem& p, const ExpandTile& t, int plane, int rest) {
  CollectBlock b;
  b.plane = plane;
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.j0 = take_digit(rest, t.column_tiles) * t.columns, b.js = min(t.columns, p.in_width - b.j0);
  b.i0 = rest * t.lines, b.is = min(t.lines, p.in_height - b.i0);
  return b;
}

template <class F>
struct OneTap {
  F of[1];
};

/// Results that a line was read for: outputs [begin, begin + count) of the axis.
struct Results {
  int begin, count;
};

/// N inputs of the axis, first, first + stride, ..., as sums over the results that read them; `line` is result `begin`.
template <int N, class T, class F>
__device__ void adjoint_pass(F (&acc)[1][N], const T* line, int pitch, const Results& results, const F* weights,
                             int radius, const LineAxis& axis, int first) {
  const int stride = axis.stride, reach = first + radius - axis.origin;  // the tap through which result 0 reads first
  const int begin = max(ceil_by(reach - 2 * radius, stride), results.begin - (N - 1)),
            end = min(floor_by(reach, stride) + 1, results.begin + results.count);
  const auto value = [&](int y) {
    const int at = y - results.begin;
    return static_cast<unsigned>(at) < static_cast<unsigned>(results.count) ? F(widen(line[at * pitch])) : F(0);
  };
  slide<N, 1>(
      acc, begin, end, [&](int m) { return OneTap<F>{{weights[reach - stride * m]}}; }, value);
  if (!axis.replicate) return;
  if (first == 0) {  // what was read before the first pixel
    F sum = 0;
    for (int tap = 0, y = floor_by(radius - 1, stride); y >= 0; --y) {
      for (; tap < radius - y * stride; ++tap) sum += weights[tap];
      if (y < axis.out) acc[0][0] += sum * value(y);
    }
  }
#pragma unroll
  for (int t = 0; t < N; ++t) {
    const int last = axis.in - 1;
    if (first + t * stride != last) continue;
    F sum = 0;  // what was read behind the last pixel
    int tap = 2 * radius + 1;
    for (int y = max(0, floor_by(last - radius, stride) + 1); y < axis.out; ++y) {
      for (; tap > max(0, last + radius - y * stride + 1); --tap) sum += weights[tap - 1];
      acc[0][t] += sum * value(y);
    }
  }
}

/// Item number `item` of a line of `size` targets: N of them, stride apart. Returns the first.
template <int N>
__device__ int first_target(int item, int stride) {
  return stride == 1 ? item * N : (item / 2 * N * 2) + item % 2;
}
template <int N>
__device__ int line_items(int size, int stride) {
  return (size + N * stride - 1) / (N * stride) * stride;
}

template <class T, int N>
__global__ void __launch_bounds__(kExpandThreads, 2)
    collect_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModeRuns runs,
                   const __grid_constant__ ExpandTile t, const __grid_constant__ ExpandedPlaces places,
                   const T* expanded, const Arithmetic<T>* factors, T* grad_in, int first_image) {
  using F = Arithmetic<T>;
  int64_t rest = blockIdx.x;
  const int tiles = t.line_tiles * t.column_tiles * t.slabs, tile = take_digit(rest, tiles),
            plane = take_digit(rest, p.planes), image = static_cast<int>(rest);
  const CollectBlock b = block_of(p, t, plane, tile);
  char* shared = shared_memory();
  T* stage = reinterpret_cast<T*>(shared + t.first);   // [mode][y][x][c]
  F* lines = reinterpret_cast<F*>(shared + t.second);  // [i][x][c]
  const int slab = t.channels, stage_size = t.source_lines * t.source_columns * slab;
  F* sums = lines + t.lines * t.source_columns * slab;  // [i][j][c], each number one thread's
  const SlabLane lane(slab, b.channels);
  const int i_items = line_items<N>(b.is, p.stride), j_items = line_items<N>(b.js, p.stride);
  if (lane.active)
    for (int pixel = lane.first; pixel < t.lines * t.columns; pixel += lane.step) sums[pixel * slab + lane.channel] = 0;
  sync_block();
  int turn = 0;
  for (int s = 0; s < p.scale_count; ++s) {
    const ScaleEntry scale = p.scales[s];
    const int taps = 2 * scale.radius + 1;
    int y0, y1, x0, x1;
    LineOperator{p.y_axis(), scale.radius}.outputs_of(b.i0, b.i0 + b.is, y0, y1);
    LineOperator{p.x_axis(), scale.radius}.outputs_of(b.j0, b.j0 + b.js, x0, x1);
    const int ys = y1 - y0, xs = x1 - x0;
    const ScalePlace place = places.scale[s];
    for (int e = scale.source_begin; e < scale.source_end; ++e) {
      if (p.sources[e].plane != b.plane) continue;
      const T* from = expanded + place.begin + image * place.image_step +
                      (int64_t(y0) * p.out_width + x0) * place.pixel_step +
                      (e - scale.source_begin) * p.mode_count * p.in_channels + b.channel0;
      for (int r = 0; r < runs.count; ++r, ++turn) {
        const ModeRun& run = runs.run[r];
        // [row factor, then column factors][tap]; the other place may still be read
        F* own = reinterpret_cast<F*>(shared + (turn % 2 ? t.second_weights : t.first_weights));
        for (int i = threadIdx.x; i < (run.count + 1) * taps; i += kExpandThreads) {
          const int f = i / taps, tap = i - f * taps;
          own[i] = f == 0 ? factors[scale.row_offset + run.row * taps + tap]
                          : factors[scale.column_offset + run.column[f - 1] * taps + tap];
        }
        if (lane.active) {
          PixelWalk at(lane, xs);
#pragma unroll 2
          for (int pixel = lane.first; pixel < ys * xs; pixel += lane.step, at.next()) {
            const T* number = from + (int64_t(at.y) * p.out_width + at.x) * place.pixel_step + lane.channel;
            T* to = stage + (at.y * t.source_columns + at.x) * slab + lane.channel;
#pragma unroll
            for (int m = 0; m < kMostTogether; ++m)
              if (m < run.count) to[m * stage_size] = number[run.k[m] * p.in_channels];
          }
        }
        sync_block();
        const bool first_of_row = r == 0 || runs.run[r - 1].row != run.row,
                   last_of_row = r + 1 == runs.count || runs.run[r + 1].row != run.row;
        if (lane.active)
          for (int item = lane.first; item < xs * i_items; item += lane.step) {
            const int along = item / xs, x = item - along * xs, i = first_target<N>(along, p.stride);
            F acc[1][N] = {};
            for (int m = 0; m < run.count; ++m)
              adjoint_pass<N>(acc, stage + m * stage_size + x * slab + lane.channel, t.source_columns * slab,
                              Results{y0, ys}, own + (m + 1) * taps, scale.radius, p.y_axis(), b.i0 + i);
#pragma unroll
            for (int n = 0; n < N; ++n)
              if (i + n * p.stride < b.is) {
                F& to = lines[((i + n * p.stride) * t.source_columns + x) * slab + lane.channel];
                to = first_of_row ? acc[0][n] : to + acc[0][n];
              }
          }
        sync_block();
        if (!last_of_row || !lane.active) continue;
        for (int item = lane.first; item < b.is * j_items; item += lane.step) {
          const int i = item / j_items, j = first_target<N>(item - i * j_items, p.stride);
          F acc[1][N] = {};
          adjoint_pass<N>(acc, lines + i * t.source_columns * slab + lane.channel, slab, Results{x0, xs}, own,
                          scale.radius, p.x_axis(), b.j0 + j);
#pragma unroll
          for (int n = 0; n < N; ++n)
            if (j + n * p.stride < b.js) sums[(i * t.columns + j + n * p.stride) * slab + lane.channel] += acc[0][n];
        }
      }
    }
  }
  sync_block();
  T* to = grad_in +
          ((int64_t(first_image + image) * p.planes + b.plane) * p.in_height * p.in_width + int64_t(b.i0) * p.in_width +
           b.j0) *
              p.in_channels +
          b.channel0;
  if (lane.active)
    for (int pixel = lane.first; pixel < b.is * b.js; pixel += lane.step) {
      const int i = pixel / b.js, j = pixel - i * b.js;
      narrow(sums[(i * t.columns + j) * slab + lane.channel],
             to[(int64_t(i) * p.in_width + j) * p.in_channels + lane.channel]);
    }
}

template <class T>
void run_collect(const DeviceProblem& p, const ExpandTile& t, const ExpandedPlaces& places, const void* expanded,
                 const void* factors, void* grad_in, int first_image, int images, cudaStream_t stream) {
  const int64_t blocks = t.blocks_of_map() * p.planes * images;
  const auto go = [&](auto kernel) {
    launch(kernel, blocks, kExpandThreads, t.shared_bytes, stream, p, make_mode_runs(p, t.together), t, places,
           static_cast<const T*>(expanded), static_cast<const Arithmetic<T>*>(factors), static_cast<T*>(grad_in),
           first_image);
  };
  if (t.per_thread == 4)
    go(collect_kernel<T, 4>);
  else if (t.per_thread == 7)
    go(collect_kernel<T, 7>);
  else
    go(collect_kernel<T, 14>);
}

}  // namespace

void collect(const DeviceProblem& p, const ExpandTile& t, const ExpandedPlaces& places, const void* expanded,
             const void* factors, void* grad_in, int first_image, int images, DataType type, cudaStream_t stream) {
  if (type == DataType::float64)
    run_collect<double>(p, t, places, expanded, factors, grad_in, first_image, images, stream);
  else
    run_collect<float>(p, t, places, expanded, factors, grad_in, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
