#include "scdcf/ops/cuda/expanded/expand.h"

#include "scdcf/ops/cuda/expanded/slide.cuh"

namespace scdcf::ops::cuda {
namespace {

/// What one block works on.
struct ExpandBlock {
  ScaleEntry scale;
  int scale_index, x0, xs, y0, ys, channel0, channels;
  int u0, us, v0, vs;  // input columns and lines that the tile reads
};

__device__ ExpandBlock block_of(const DeviceProblem& p, const ExpandTile& t, int entry, int64_t rest) {
  ExpandBlock b;
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.x0 = take_digit(rest, t.column_tiles) * t.columns, b.xs = min(t.columns, p.out_width - b.x0);
  b.y0 = static_cast<int>(rest) * t.lines, b.ys = min(t.lines, p.out_height - b.y0);
  int s = 0;
  while (p.scales[s].source_end <= entry) ++s;
  b.scale = p.scales[s], b.scale_index = s;
  int end;
  LineOperator{p.x_axis(), b.scale.radius}.inputs_of(b.x0, b.x0 + b.xs, b.u0, end);
  b.us = end - b.u0;
  LineOperator{p.y_axis(), b.scale.radius}.inputs_of(b.y0, b.y0 + b.ys, b.v0, end);
  b.vs = end - b.v0;
  return b;
}

/// The input of one axis as the pass sees it: position `at` of the map, padding included.
struct Padded {
  int begin, count, replicate;  // what is there

  template <class T>
  __device__ Arithmetic<T> operator()(const T* line, int at, int pitch) const {
    int i = at - begin;
    if (replicate) i = max(0, min(i, count - 1));
    return static_cast<unsigned>(i) < static_cast<unsigned>(count) ? widen(line[i * pitch]) : Arithmetic<T>(0);
  }
};

/// N neighbouring results of M factors along one axis; the first of them starts at position `start` of the map.
template <int N, int M, class T, class F>
__device__ void pass(F (&acc)[M][N], const T* line, int pitch, const Taps<F>* weights, int taps, int stride, int start,
                     const Padded& padded) {
  for (int phase = 0; phase < stride; ++phase) {
    const int from = start + phase;
    int begin = 0, end = ceil_by(taps - phase, stride);
    if (!padded.replicate) {  // taps that all N results have beyond the border
      begin = max(begin, ceil_by(padded.begin - from, stride) - (N - 1));
      end = min(end, ceil_by(padded.begin + padded.count - from, stride));
    }
    slide<N, M>(
        acc, begin, end, [&](int m) { return weights[phase + stride * m]; },
        [&](int m) { return padded(line, from + stride * m, pitch); });
  }
}

/// lines[b][v][x][c] for M row factors.
template <int N, int M, class T, class F>
__device__ void row_pass(const DeviceProblem& p, const ExpandTile& t, const ExpandBlock& b, const SlabLane& lane,
                         const T* input, const Taps<F>* weights, F* lines) {
  const int groups = (b.xs + N - 1) / N, slab = t.channels, radius = b.scale.radius;
  const Padded padded{b.u0, b.us, p.replicate};
  for (int item = lane.first; item < b.vs * groups; item += lane.step) {
    const int v = item / groups, x = (item - v * groups) * N;
    F acc[M][N] = {};
    pass<N, M>(acc, input + v * t.source_columns * slab + lane.channel, slab, weights, 2 * radius + 1, p.stride,
               (b.x0 + x) * p.stride + p.origin - radius, padded);
#pragma unroll
    for (int a = 0; a < M; ++a)
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (x + i < b.xs) lines[((a * t.source_lines + v) * t.columns + x + i) * slab + lane.channel] = acc[a][i];
  }
}

/// Z of M modes that share the row factor of `lines`; `to` is the first pixel of the tile.
template <int N, int M, class F, class T>
__device__ void column_pass(const DeviceProblem& p, const ExpandTile& t, const ExpandBlock& b, const SlabLane& lane,
                            const F* lines, const Taps<F>* weights, const ModeRun& run, T* to, int pixel_step) {
  const int groups = (b.ys + N - 1) / N, slab = t.channels, radius = b.scale.radius;
  const Padded padded{b.v0, b.vs, p.replicate};
  for (int item = lane.first; item < b.xs * groups; item += lane.step) {
    const int group = item / b.xs, x = item - group * b.xs, y = group * N;
    F acc[M][N] = {};
    pass<N, M>(acc, lines + x * slab + lane.channel, t.columns * slab, weights, 2 * radius + 1, p.stride,
               (b.y0 + y) * p.stride + p.origin - radius, padded);
    T* at = to + (int64_t(y) * p.out_width + x) * pixel_step + lane.channel;
    const int64_t line_step = int64_t(p.out_width) * pixel_step;
#pragma unroll
    for (int i = 0; i < N; ++i, at += line_step)
      if (y + i < b.ys)
#pragma unroll
        for (int a = 0; a < M; ++a) narrow(acc[a][i], at[run.k[a] * p.in_channels]);
  }
}

template <class T, int N>
__global__ void __launch_bounds__(kExpandThreads, sizeof(T) == 8 ? 1 : 2)
    expand_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModeRuns runs,
                  const __grid_constant__ ExpandTile t, const __grid_constant__ ExpandedPlaces places, const T* in,
                  const Arithmetic<T>* factors, T* expanded, int first_image) {
  using F = Arithmetic<T>;
  int64_t rest = blockIdx.x;
  const int tiles = t.line_tiles * t.column_tiles * t.slabs, tile = take_digit(rest, tiles),
            entry = take_digit(rest, p.source_count), image = static_cast<int>(rest);
  const ExpandBlock b = block_of(p, t, entry, tile);
  const ScalePlace place = places.scale[b.scale_index];
  char* shared = shared_memory();
  auto* row_weights = reinterpret_cast<Taps<F>*>(shared + t.first_weights);
  auto* column_weights = reinterpret_cast<Taps<F>*>(shared + t.second_weights);
  T* input = reinterpret_cast<T*>(shared + t.first);
  F* lines = reinterpret_cast<F*>(shared + t.second);
  const int slab = t.channels, taps = 2 * b.scale.radius + 1;
  const SlabLane lane(slab, b.channels);

  const int64_t plane_pixels = int64_t(p.in_height) * p.in_width;
  const T* plane = in +
                   ((int64_t(first_image + image) * p.planes + p.sources[entry].plane) * plane_pixels +
                    int64_t(b.v0) * p.in_width + b.u0) *
                       p.in_channels +
                   b.channel0;
  if (lane.active) {
    PixelWalk at(lane, b.us);
#pragma unroll 4
    for (int pixel = lane.first; pixel < b.vs * b.us; pixel += lane.step, at.next())
      input[(at.y * t.source_columns + at.x) * slab + lane.channel] =
          plane[(int64_t(at.y) * p.in_width + at.x) * p.in_channels + lane.channel];
  }
  const int offset = (entry - b.scale.source_begin) * p.mode_count * p.in_channels + b.channel0;
  T* to = expanded + place.begin + image * place.image_step + (int64_t(b.y0) * p.out_width + b.x0) * place.pixel_step +
          offset;

  for (int row0 = 0, next = 0; next < runs.count;) {
    row0 = runs.run[next].row;  // row factors that no mode has are left out
    const int rows = min(t.together, p.row_modes - row0), begin = next;
    while (next < runs.count && runs.run[next].row < row0 + rows) ++next;
    for (int i = threadIdx.x; i < taps * kMostTogether; i += kExpandThreads) {
      const int a = i % kMostTogether;
      row_weights[i / kMostTogether].of[a] =
          a < rows ? factors[b.scale.row_offset + (row0 + a) * taps + i / kMostTogether] : F(0);
    }
    for (int i = threadIdx.x; i < (next - begin) * taps * kMostTogether; i += kExpandThreads) {
      const int a = i % kMostTogether, tap = i / kMostTogether % taps;
      const ModeRun& run = runs.run[begin + i / kMostTogether / taps];
      column_weights[i / kMostTogether].of[a] =
          a < run.count ? factors[b.scale.column_offset + run.column[a] * taps + tap] : F(0);
    }
    sync_block();
    if (lane.active)
      with_count(rows, [&](auto m) { row_pass<N, decltype(m)::kCount>(p, t, b, lane, input, row_weights, lines); });
    sync_block();
    if (lane.active)
      for (int r = begin; r < next; ++r) {
        const ModeRun run = runs.run[r];
        const F* from = lines + (run.row - row0) * t.source_lines * t.columns * slab;
        const Taps<F>* weights = column_weights + (r - begin) * taps;
        with_count(run.count, [&](auto m) {
          column_pass<N, decltype(m)::kCount>(p, t, b, lane, from, weights, run, to, place.pixel_step);
        });
      }
    sync_block();
  }
}

template <class T>
void run_expand(const DeviceProblem& p, const ExpandTile& t, const ExpandedPlaces& places, const void* in,
                const void* factors, void* expanded, int first_image, int images, cudaStream_t stream) {
  const int64_t blocks = t.blocks_of_map() * p.source_count * images;
  const auto go = [&](auto kernel) {
    launch(kernel, blocks, kExpandThreads, t.shared_bytes, stream, p, make_mode_runs(p, kMostTogether), t, places,
           static_cast<const T*>(in), static_cast<const Arithmetic<T>*>(factors), static_cast<T*>(expanded),
           first_image);
  };
  if (t.per_thread == 4)
    go(expand_kernel<T, 4>);
  else
    go(expand_kernel<T, 7>);
}

}  // namespace

void expand(const DeviceProblem& p, const ExpandTile& t, const ExpandedPlaces& places, const void* in,
            const void* factors, void* expanded, int first_image, int images, DataType type, cudaStream_t stream) {
  if (type == DataType::float64)
    run_expand<double>(p, t, places, in, factors, expanded, first_image, images, stream);
  else
    run_expand<float>(p, t, places, in, factors, expanded, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
