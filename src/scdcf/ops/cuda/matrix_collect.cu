#include <type_traits>

#include "scdcf/ops/cuda/collect_operands.cuh"

namespace scdcf::ops::cuda {
namespace {

constexpr int kRowTiles = 2;  // of the second pass, that one load of columns serves
constexpr int kAhead = 4;     // steps of Z that a warp has asked for before it needs them

/// What one block works on: lines of one plane of one image.
struct CollectBlock {
  int plane, image, i_tile, channel0, channels;
  LineSpan is;
};

__device__ CollectBlock block_of(const DeviceProblem& p, const MatrixTile& t) {
  CollectBlock b;
  int64_t rest = blockIdx.x;
  b.channel0 = take_digit(rest, t.slabs) * t.channels;
  b.channels = min(t.channels, p.in_channels - b.channel0);
  b.i_tile = take_digit(rest, t.line_tiles);
  b.plane = take_digit(rest, p.planes), b.image = static_cast<int>(rest);
  b.is = t.column.tile_span(b.i_tile);
  return b;
}

/// Four neighbouring columns of Z for the sources that a lane has in one step, as they come from memory.
template <class T>
struct Numbers {
  static constexpr int kLoads = 2;
  float4 of[2];  // sources q and q + 4
  __device__ static int source(int q, int i) { return q + i * 4; }
  __device__ static uint32_t bits(float x) { return float_to_bits(operand<false>(x)); }
  __device__ void load(int i, const float* at) { of[i] = *reinterpret_cast<const float4*>(at); }
  __device__ void drop(const bool (&missing)[2]) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (missing[i]) of[i] = make_float4(0, 0, 0, 0);
  }
  __device__ void load_one(int i, int j, float x) { reinterpret_cast<float*>(&of[i])[j] = x; }
  __device__ void operands(uint32_t (&b)[4][2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      b[0][i] = bits(of[i].x), b[1][i] = bits(of[i].y), b[2][i] = bits(of[i].z), b[3][i] = bits(of[i].w);
  }
};
template <>
struct Numbers<bf16> {
  static constexpr int kLoads = 4;
  uint2 of[4];  // sources 2 q, 2 q + 1, 2 q + 8, 2 q + 9
  __device__ static int source(int q, int i) { return q * 2 + i % 2 + i / 2 * 8; }
  __device__ void load(int i, const bf16* at) { of[i] = *reinterpret_cast<const uint2*>(at); }
  __device__ void drop(const bool (&missing)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (missing[i]) of[i] = make_uint2(0, 0);
  }
  __device__ void load_one(int i, int j, bf16 x) { reinterpret_cast<bf16*>(&of[i])[j] = x; }
  __device__ void operands(uint32_t (&b)[4][2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint2 low = of[i * 2], high = of[i * 2 + 1];
      b[0][i] = (low.x & 0xffffu) | high.x << 16, b[1][i] = low.x >> 16 | (high.x & 0xffff0000u);
      b[2][i] = (low.y & 0xffffu) | high.y << 16, b[3][i] = low.y >> 16 | (high.y & 0xffff0000u);
    }
  }
};

/// A step through Z: the same for all lanes, found once for a scale and kept in shared memory.
struct alignas(16) ZStep {
  int64_t offset;  // of its first line and mode, in numbers
  int fragment;    // of its mode and step
  int16_t active;  // row tiles whose band it is in, as bits
  int16_t last;    // whether lines may be missing
};

/// All steps, by mode.
__device__ void find_z_steps(ZStep* list, const DeviceProblem& p, const ModesByRow& modes, const MatrixTile& t,
                             int lines, int line_step, const Steps* band) {
  const int steps = (lines + t.column.step - 1) / t.column.step;
  for (int i = threadIdx.x; i < p.mode_count * steps; i += kMatrixThreads) {
    const int mode = i / steps, step = i - mode * steps;
    ZStep z{modes.k[mode] * p.in_channels + int64_t(step) * t.column.step * line_step,
            modes.column[mode] * t.column.fragments() + step * 32, 0, static_cast<int16_t>(step + 1 == steps)};
    for (int tile = 0; tile < t.column.row_tiles; ++tile)
      if (step >= band[tile].begin && step < band[tile].end) z.active |= 1 << tile;
    list[i] = z;
  }
}

/// Z of a tile of columns x, of one entry: where it begins, and how it goes on.
template <class T>
struct Expanded {
  const T* at;  // first column of the tile, first line that is read, first channel of the slab
  int line_step, pixel_step;
  LineSpan xs, ys;
};

/// lines [x][i,c] of one row factor, whose steps are begin to end - 1, for the unit of columns n: column 4 c + j of the
/// unit is column c of product j. Z is asked for kAhead steps before it is needed, fragments one step before.
template <class T, int row_tiles, bool wide>
__device__ void column_products(const MatrixTile& t, const CollectBlock& b, const Expanded<T>& z, int n,
                                const ZStep* begin, const ZStep* end, const uint4* bank, T* lines) {
  constexpr int kLoads = Numbers<T>::kLoads, kColumns = wide ? 1 : 4;
  const int lane = threadIdx.x % 32;
  const T* column[kColumns];
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    const Place at(n + lane / 4 * 4 + j, t);
    const bool there = at.position < z.xs.count && at.channel < b.channels;  // else: columns nobody needs
    column[j] = z.at + (there ? at.position * z.pixel_step + at.channel : 0);
  }
  int line[kLoads], last_line[kLoads];  // of a lane's sources, in numbers; in the last step those that are there
  bool missing[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int source = Numbers<T>::source(lane % 4, i), left = (z.ys.count - 1) % Operand<T>::kStep;
    line[i] = source * z.line_step, missing[i] = source > left;
    last_line[i] = min(source, left) * z.line_step;
  }
  const ZStep* next = begin;
  const auto load = [&](Numbers<T>& to) {
    const int64_t offset = next->offset;
    const bool last = next->last;
    ++next;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int at = last ? last_line[i] : line[i];
      if constexpr (wide)
        to.load(i, column[0] + offset + at);
      else
#pragma unroll
        for (int j = 0; j < 4; ++j) to.load_one(i, j, column[j][offset + at]);
    }
  };
  const auto ask = [&](uint4(&to)[row_tiles], const ZStep& step) {
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
      if (step.active >> tile & 1) to[tile] = bank[step.fragment + t.column.fragments_of(tile)];
  };
  float d[row_tiles][4][4] = {};
  uint4 w[2][row_tiles];
  Numbers<T> ahead[kAhead];
#pragma unroll
  for (int a = 0; a < kAhead; ++a)
    if (next < end) load(ahead[a]);
  ask(w[0], *begin);
#pragma unroll 1
  for (const ZStep* step = begin; step < end;) {
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      if (step + 1 < end) ask(w[(a + 1) % 2], step[1]);
      const int active = step->active;
      uint32_t right[4][2];
      if (step->last) ahead[a].drop(missing);
      ahead[a].operands(right);
      if (next < end) load(ahead[a]);
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile)
        if (row_tiles == 1 || active >> tile & 1) multiply_step<T>(d[tile], w[a % 2][tile], right);
      if (++step == end) break;
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {  // this lane has columns 8 q to 8 q + 7
    const int first = n + lane % 4 * 8 + half * 4;
#pragma unroll
    for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int i = tile * 16 + lane / 4 + r * 8;
        if (i >= b.is.count) continue;
        if constexpr (wide) {
          const Place at(first, t);
          if (at.position >= z.xs.count) continue;
          T* to = lines + at.position * t.lines_pitch;
          const int place = i * t.channels + at.channel;
          Operand<T>::put(to + Operand<T>::place(place), d[tile][0][r * 2 + half], d[tile][1][r * 2 + half],
                          d[tile][2][r * 2 + half], d[tile][3][r * 2 + half]);
        } else {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const Place at(first + j, t);
            if (at.position < z.xs.count)
              Operand<T>::put(lines + at.position * t.lines_pitch + Operand<T>::place(i * t.channels + at.channel),
                              d[tile][j][r * 2 + half]);
          }
        }
      }
  }
}

/// The window of sums [j][i,c]: columns from `begin` on, the first of them in row `slot`.
struct Window {
  float* sums;
  int pitch, size, begin, slot;
  __device__ float* row(int j) const {
    const int at = slot + j - begin;
    return sums + (at >= size ? at - size : at) * pitch;
  }
};

/// Adds to `count` row tiles of columns of the window, from js.begin + 16 * first on, what the lines of some row
/// factors have for them. bank: this lane's fragments for row factor 0.
template <class T, int count>
__device__ void row_products(const MatrixTile& t, const ModesByRow& modes, int factor, int factors, const LineSpan& js,
                             int first, int n, const T* lines, const uint4* bank, const Steps* band,
                             const Window& window) {
  const int lane = threadIdx.x % 32;
  Steps steps = band[first];  // of all of them
#pragma unroll
  for (int i = 1; i < count; ++i)
    steps.begin = min(steps.begin, band[first + i].begin), steps.end = max(steps.end, band[first + i].end);
  float d[count][4][4] = {};
#pragma unroll 1
  for (int f = 0; f < factors; ++f) {
    const uint4* own[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
      own[i] = bank + modes.row[factor + f] * t.row.fragments() + t.row.fragments_of(first + i);
    multiply_tiles<T>(d, lines + f * (t.lines_size / int(sizeof(T))) + n, t.lines_pitch, own, steps);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int j = (first + i) * 16 + lane / 4 + r * 8;
      if (j >= js.count) continue;
      float* row = window.row(js.begin + j) + n;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int at = Operand<T>::kVector == 4 ? h * 16 + lane % 4 * 4 : lane % 4 * 8 + h * 4;
        float4& sum = *reinterpret_cast<float4*>(row + at);
        float4 s = sum;
        s.x += d[i][h * 2][r * 2], s.y += d[i][h * 2][r * 2 + 1];
        s.z += d[i][h * 2 + 1][r * 2], s.w += d[i][h * 2 + 1][r * 2 + 1];
        sum = s;
      }
    }
}

/// Writes columns [window.begin, to) of the gradient and makes room for others.
template <class T>
__device__ void flush(const DeviceProblem& p, const MatrixTile& t, const CollectBlock& b, Window& window, int to,
                      T* grad_in) {
  const int numbers = b.is.count * t.channels;
  T* at = grad_in + int64_t(b.is.begin) * p.in_width * p.in_channels + b.channel0;
  for (int j = window.begin; j < to; ++j) {
    float* row = window.row(j);
    for (int n = threadIdx.x; n < numbers; n += kMatrixThreads) {
      const Place place(n, t);
      if (place.channel < b.channels) {
        const float x = row[n];
        T& target = at[(int64_t(place.position) * p.in_width + j) * p.in_channels + place.channel];
        if constexpr (sizeof(T) == 2)
          target = __float2bfloat16(x);
        else
          target = x;
      }
      row[n] = 0;
    }
  }
  window.slot += to - window.begin;
  if (window.slot >= window.size) window.slot -= window.size;
  window.begin = to;
}

template <class T, int row_tiles, bool wide>
__global__ void __launch_bounds__(kMatrixThreads, 2)
    collect_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModesByRow modes,
                   const __grid_constant__ MatrixTile t, const __grid_constant__ ExpandedPlaces places,
                   const T* expanded, const uint4* row, const uint4* column, T* grad_in, int first_image) {
  const CollectBlock b = block_of(p, t);
  Window window{reinterpret_cast<float*>(shared_memory() + t.first), t.first_pitch, t.window, 0, 0};
  auto* row_steps = reinterpret_cast<Steps*>(shared_memory());
  Steps* column_steps = row_steps + t.row.row_tiles;
  auto* z_steps = reinterpret_cast<ZStep*>(shared_memory() + t.steps_at);
  T* lines = reinterpret_cast<T*>(shared_memory() + t.lines_at);
  const int lines_size = t.lines_size / static_cast<int>(sizeof(T)), lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < t.window * t.first_pitch; i += kMatrixThreads) window.sums[i] = 0;
  for (int i = threadIdx.x; i < t.together * lines_size; i += kMatrixThreads)  // steps are whole
    Operand<T>::put(lines + i, 0.0f);
  sync_block();
  grad_in += (int64_t(first_image + b.image) * p.planes + b.plane) * p.in_height * p.in_width * p.in_channels;
  for (int x_tile = 0; x_tile < t.column_tiles; ++x_tile) {
    const LineSpan xs = t.row.tile_span(x_tile);
    if (xs.count < t.columns) {  // what the tile before has left there is no zero
      const int rows = t.row.steps * t.row.step - xs.count;
      for (int i = threadIdx.x; i < rows * t.lines_pitch; i += kMatrixThreads)
        for (int f = 0; f < t.together; ++f)
          Operand<T>::put(lines + f * lines_size + xs.count * t.lines_pitch + i, 0.0f);
    }
    for (int s = 0; s < p.scale_count; ++s) {
      const ScaleEntry& scale = p.scales[s];
      const LineSpan ys = t.column.sources_of(scale.radius, b.i_tile), js = t.row.targets_of(scale.radius, x_tile);
      bool first_of_scale = true;
      for (int e = scale.source_begin; e < scale.source_end; ++e) {
        if (p.sources[e].plane != b.plane) continue;
        if (first_of_scale) {
          find_steps(row_steps, t.row, js, xs, scale.radius);
          find_steps(column_steps, t.column, b.is, ys, scale.radius);
          sync_block();
          find_z_steps(z_steps, p, modes, t, ys.count, p.out_width * places.scale[s].pixel_step, column_steps);
          sync_block();
          first_of_scale = false;
        }
        const ScalePlace place = places.scale[s];
        const Expanded<T> z{expanded + place.begin + b.image * place.image_step +
                                (int64_t(ys.begin) * p.out_width + xs.begin) * place.pixel_step +
                                (e - scale.source_begin) * p.mode_count * p.in_channels + b.channel0,
                            p.out_width * place.pixel_step, place.pixel_step, xs, ys};
        const int steps = (ys.count + t.column.step - 1) / t.column.step;
        for (int factor = 0; factor < modes.count; factor += t.together) {
          const int factors = min(t.together, modes.count - factor);
          int units = (xs.count * t.channels + kUnit - 1) / kUnit;
#pragma unroll 1
          for (int item = threadIdx.x / 32; item < units * factors; item += kMatrixThreads / 32) {
            const int f = item / units, n = (item - f * units) * kUnit;
            column_products<T, row_tiles, wide>(t, b, z, n, z_steps + modes.begin[factor + f] * steps,
                                                z_steps + modes.begin[factor + f + 1] * steps,
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
