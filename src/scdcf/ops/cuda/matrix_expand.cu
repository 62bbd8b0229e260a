#include "scdcf/ops/cuda/matrix_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

/// What one block works on.
struct ExpandBlock {
  int scale, entry, image, x_tile, y_tile, channel0, channels;
  LineSpan xs, ys, us, vs;  // targets, and what they read

  __device__ ExpandBlock(const DeviceProblem& p, const MatrixTile& t) {
    int64_t rest = blockIdx.x;
    channel0 = take_digit(rest, t.slabs) * t.channels;
    channels = min(t.channels, p.in_channels - channel0);
    x_tile = take_digit(rest, t.column_tiles), y_tile = take_digit(rest, t.line_tiles);
    entry = take_digit(rest, p.source_count), image = static_cast<int>(rest);
    scale = 0;
    while (p.scales[scale].source_end <= entry) ++scale;
    const int radius = p.scales[scale].radius;
    xs = t.row.targets_of(radius, x_tile), us = t.row.sources_of(radius, x_tile);
    ys = t.column.targets_of(radius, y_tile), vs = t.column.sources_of(radius, y_tile);
  }
};

/// Shared memory: the steps of the row tiles of both passes, the input [u][v,c], and lines [v][x,c] of some row
/// factors.
template <class T>
struct ExpandShared {
  Steps *row_steps, *column_steps;
  T *input, *lines;
  int lines_size;
  __device__ explicit ExpandShared(const MatrixTile& t)
      : row_steps(reinterpret_cast<Steps*>(shared_memory())),
        column_steps(row_steps + t.row.row_tiles),
        input(reinterpret_cast<T*>(shared_memory() + t.first)),
        lines(reinterpret_cast<T*>(shared_memory() + t.lines_at)),
        lines_size(t.lines_size / static_cast<int>(sizeof(T))) {}
};

/// Rows from `count` up to a whole step, of which weights are zero, must be numbers.
template <class Kind, class T = typename Kind::Number>
__device__ void clear_rows(T* tile, int count, int pitch) {
  const int end = round_up(count, Operand<Kind>::kStep) * pitch;
  for (int i = count * pitch + threadIdx.x; i < end; i += kMatrixThreads) Operand<Kind>::put(tile + i, 0.0f);
}

template <class Kind, bool wide, class T = typename Kind::Number>
__device__ void load_input(const DeviceProblem& p, const MatrixTile& t, const ExpandBlock& b, const T* plane,
                           T* input) {
  constexpr int kV = wide ? Operand<Kind>::kVector : 1;
  const int slab = t.channels, lane = threadIdx.x % 32;
  const T* from = plane + (int64_t(b.vs.begin) * p.in_width + b.us.begin) * p.in_channels + b.channel0;
  for (int v = threadIdx.x / 32; v < b.vs.count; v += kMatrixThreads / 32) {
    const T* line = from + int64_t(v) * p.in_width * p.in_channels;
#pragma unroll 4
    for (int i = lane * kV; i < b.us.count * slab; i += 32 * kV) {
      const Place at(i, t);
      T* to = input + at.position * t.first_pitch + Operand<Kind>::place(v * slab + at.channel);
      const bool there = at.channel < b.channels;
      const T* number = line + at.position * p.in_channels + at.channel;
      if constexpr (wide && sizeof(T) == 4) {
        const float4 x = there ? *reinterpret_cast<const float4*>(number) : make_float4(0, 0, 0, 0);
        Operand<Kind>::put(to, x.x, x.y, x.z, x.w);
      } else if constexpr (wide) {
        const uint4 x = there ? *reinterpret_cast<const uint4*>(number) : make_uint4(0, 0, 0, 0);
        auto* words = reinterpret_cast<uint32_t*>(to);
        words[0] = x.x, words[4] = x.y, words[8] = x.z, words[12] = x.w;
      } else {
        Operand<Kind>::put(to, there ? to_float(*number) : 0.0f);
      }
    }
  }
  clear_rows<Kind>(input, b.us.count, t.first_pitch);
}

/// lines of `count` row factors, whose fragments follow each other from `bank[0]` on.
template <class Kind, bool wide, int count, class T = typename Kind::Number>
__device__ void row_pass(const MatrixTile& t, const ExpandBlock& b, const ExpandShared<T>& shared,
                         const uint4* const (&bank)[count]) {
  constexpr int kV = Operand<Kind>::kVector;
  const int lane = threadIdx.x % 32, slab = t.channels;
  const int units = (b.vs.count * slab + kUnit - 1) / kUnit, row_tiles = (b.xs.count + 15) / 16;
#pragma unroll 1
  for (ItemWalk item(units, row_tiles, 0); item.group == 0; item.next()) {
    const int tile = item.tile, n = item.unit * kUnit;
    float d[count][4][4] = {};
    const uint4* own[count];
#pragma unroll
    for (int i = 0; i < count; ++i) own[i] = bank[i] + t.row.fragments_of(tile);
    multiply_tiles<Kind>(d, shared.input + n, t.first_pitch, own, shared.row_steps[tile]);
#pragma unroll
    for (int h = 0; h < 8 / kV; ++h) {
      const int column = n + h * 4 * kV + lane % 4 * kV;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int x = tile * 16 + lane / 4 + r * 8;
        if (x >= b.xs.count) continue;
        if constexpr (wide) {
          const Place at(column, t);
          if (at.position >= b.vs.count) continue;
          T* to = shared.lines + at.position * t.lines_pitch + Operand<Kind>::place(x * slab + at.channel);
#pragma unroll
          for (int i = 0; i < count; ++i)
#pragma unroll
            for (int e = 0; e < kV / 4; ++e) {
              const auto& low = d[i][h * kV / 2 + e * 2];
              const auto& high = d[i][h * kV / 2 + e * 2 + 1];
              Operand<Kind>::put(to + i * shared.lines_size + e * 16, low[r * 2], low[r * 2 + 1], high[r * 2],
                                 high[r * 2 + 1]);
            }
        } else {
#pragma unroll
          for (int e = 0; e < kV; ++e) {
            const Place at(column + e, t);
            if (at.position >= b.vs.count) continue;
            T* to = shared.lines + at.position * t.lines_pitch + Operand<Kind>::place(x * slab + at.channel);
#pragma unroll
            for (int i = 0; i < count; ++i)
              Operand<Kind>::put(to + i * shared.lines_size, d[i][(h * kV + e) / 2][r * 2 + e % 2]);
          }
        }
      }
    }
  }
}

/// Sixteen bytes of Z.
template <class Kind>
__device__ inline void store_numbers(typename Kind::Number* to, const float (&d)[4][4], int h, int r) {
  if constexpr (sizeof(*to) == 2)
    store_16(to, make_uint4(pack_bf16(d[0][r * 2], d[0][r * 2 + 1]), pack_bf16(d[1][r * 2], d[1][r * 2 + 1]),
                            pack_bf16(d[2][r * 2], d[2][r * 2 + 1]), pack_bf16(d[3][r * 2], d[3][r * 2 + 1])));
  else  // the product rounds by itself
    store_16(to, make_uint4(float_to_bits(d[h * 2][r * 2]), float_to_bits(d[h * 2][r * 2 + 1]),
                            float_to_bits(d[h * 2 + 1][r * 2]), float_to_bits(d[h * 2 + 1][r * 2 + 1])));
}

/// Z of the modes from `mode` on, for the unit of columns n and a row tile. to: the tile's first pixel, the slab's
/// first channel.
template <class Kind, bool wide, int count, class T = typename Kind::Number>
__device__ void column_products(const DeviceProblem& p, const ModesByRow& modes, int mode, const MatrixTile& t,
                                const ExpandBlock& b, const T* lines, int n, int tile, const Steps& steps,
                                const uint4* bank, T* to, int pixel_step) {
  constexpr int kV = Operand<Kind>::kVector, kPieces = wide ? 8 / kV : 8;
  const int lane = threadIdx.x % 32;
  float d[count][4][4] = {};
  const uint4* own[count];
#pragma unroll
  for (int i = 0; i < count; ++i)
    own[i] = bank + modes.column[mode + i] * t.column.fragments() + t.column.fragments_of(tile);
  multiply_tiles<Kind>(d, lines + n, t.lines_pitch, own, steps);
  const int y = tile * 16 + lane / 4;
  const int64_t line_step = int64_t(p.out_width) * pixel_step;
  T* line = to + y * line_step;
#pragma unroll
  for (int h = 0; h < kPieces; ++h) {
    const Place at(wide ? n + h * 4 * kV + lane % 4 * kV : n + h / kV * 4 * kV + lane % 4 * kV + h % kV, t);
    if (at.position >= b.xs.count || at.channel >= b.channels) continue;
    T* pixel = line + int64_t(at.position) * pixel_step + at.channel;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      if (y + r * 8 >= b.ys.count) continue;
#pragma unroll
      for (int i = 0; i < count; ++i) {
        T* number = pixel + r * 8 * line_step + modes.k[mode + i] * p.in_channels;
        if constexpr (wide)
          store_numbers<Kind>(number, d[i], h, r);
        else
          Operand<Kind>::put(number, d[i][h / 2][r * 2 + h % 2]);
      }
    }
  }
}

template <class Kind, bool wide, class T = typename Kind::Number>
__global__ void __launch_bounds__(kMatrixThreads, Kind::kExact ? 1 : 2)
    expand_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModesByRow modes,
                  const __grid_constant__ MatrixTile t, const __grid_constant__ ExpandedPlaces places, const T* in,
                  const uint4* row, const uint4* column, T* expanded, int first_image) {
  const ExpandBlock b(p, t);
  const ExpandShared<T> shared(t);
  const ScalePlace place = places.scale[b.scale];
  const int64_t plane =
      (int64_t(first_image + b.image) * p.planes + p.sources[b.entry].plane) * p.in_height * p.in_width;
  load_input<Kind, wide>(p, t, b, in + plane * p.in_channels, shared.input);
  for (int i = 0; i < t.together; ++i)
    clear_rows<Kind>(shared.lines + i * shared.lines_size, b.vs.count, t.lines_pitch);
  find_steps(shared.row_steps, t.row, b.xs, b.us, p.scales[b.scale].radius);
  find_steps(shared.column_steps, t.column, b.ys, b.vs, p.scales[b.scale].radius);
  sync_block();

  const int lane = threadIdx.x % 32;
  T* to = expanded + place.begin + b.image * place.image_step +
          (int64_t(b.ys.begin) * p.out_width + b.xs.begin) * place.pixel_step +
          (b.entry - p.scales[b.scale].source_begin) * p.mode_count * p.in_channels + b.channel0;
  const uint4* column_bank = column + t.column.at(b.scale, b.y_tile, 0) + lane;
  const int units = (b.xs.count * t.channels + kUnit - 1) / kUnit, row_tiles = (b.ys.count + 15) / 16;
  for (int factor = 0; factor < modes.count; factor += t.together) {
    const int end = min(factor + t.together, modes.count);
    with_count(end - factor, [&](auto c) {
      const uint4* bank[decltype(c)::kCount];
#pragma unroll
      for (int i = 0; i < decltype(c)::kCount; ++i)
        bank[i] = row + t.row.at(b.scale, b.x_tile, modes.row[factor + i]) + lane;
      row_pass<Kind, wide, decltype(c)::kCount>(t, b, shared, bank);
    });
    sync_block();
    const int last = modes.group[end];
#pragma unroll 1
    for (ItemWalk item(units, row_tiles, modes.group[factor]); item.group < last; item.next()) {
      const int mode = modes.group_begin[item.group];
      const T* lines = shared.lines + (modes.group_factor[item.group] - factor) * shared.lines_size;
      with_count(modes.group_begin[item.group + 1] - mode, [&](auto c) {
        column_products<Kind, wide, decltype(c)::kCount>(p, modes, mode, t, b, lines, item.unit * kUnit, item.tile,
                                                         shared.column_steps[item.tile], column_bank, to,
                                                         place.pixel_step);
      });
    }
    if (end < modes.count) sync_block();
  }
}

template <class Kind>
void run(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* in, const uint4* row,
         const uint4* column, void* expanded, int first_image, int images, cudaStream_t stream) {
  using T = typename Kind::Number;
  const int64_t blocks = t.blocks_of_map() * p.source_count * images;
  const auto go = [&](auto kernel) {
    launch(kernel, blocks, kMatrixThreads, t.shared_bytes, stream, p, modes_by_row(p), t, places,
           static_cast<const T*>(in), row, column, static_cast<T*>(expanded), first_image);
  };
  if (t.wide)
    go(expand_kernel<Kind, true>);
  else
    go(expand_kernel<Kind, false>);
}

}  // namespace

void matrix_expand(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* in,
                   const uint4* row, const uint4* column, void* expanded, int first_image, int images, DataType type,
                   cudaStream_t stream) {
  if (type == DataType::bfloat16)
    run<Bfloat16>(p, t, places, in, row, column, expanded, first_image, images, stream);
  else if (t.row.exact)
    run<Float32>(p, t, places, in, row, column, expanded, first_image, images, stream);
  else
    run<Tf32>(p, t, places, in, row, column, expanded, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
