#include "scdcf/ops/cuda/matrix_pass.cuh"
#include "scdcf/ops/cuda/matrix_passes.h"

namespace scdcf::ops::cuda {
namespace {

constexpr int kAhead = 4;  // steps of Z that a warp has asked for before it needs them

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
struct Numbers;
template <>
struct Numbers<float> {
  float4 of[2];  // sources q and q + 4
  __device__ static int source(int q, int i) { return q + i * 4; }
  __device__ void load(int i, const float* at) { of[i] = *reinterpret_cast<const float4*>(at); }
  __device__ void load_one(int i, int j, float x) { reinterpret_cast<float*>(&of[i])[j] = x; }
  __device__ void operands(uint32_t (&b)[4][2]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      b[0][i] = round_tf32(of[i].x), b[1][i] = round_tf32(of[i].y), b[2][i] = round_tf32(of[i].z),
      b[3][i] = round_tf32(of[i].w);
  }
};
template <>
struct Numbers<bf16> {
  uint2 of[4];  // sources 2 q, 2 q + 1, 2 q + 8, 2 q + 9
  __device__ static int source(int q, int i) { return q * 2 + i % 2 + i / 2 * 8; }
  __device__ void load(int i, const bf16* at) { of[i] = *reinterpret_cast<const uint2*>(at); }
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

/// Z of a tile of columns x, of one entry: where it begins, and how it goes on.
template <class T>
struct Expanded {
  const T* at;  // first column of the tile, first line that is read, first channel of the slab
  int64_t line_step;
  int pixel_step;
  LineSpan xs, ys;
};

/// lines [x][i,c] of the modes from `begin` to `end`. Here column 4 n + j of a unit is column n of product j.
template <class T, int row_tiles, bool wide>
__device__ void column_pass(const DeviceProblem& p, const ModesByRow& modes, int begin, int end, const MatrixTile& t,
                            const CollectBlock& b, const Expanded<T>& z, const uint4* fragments, const uint32_t* bands,
                            T* lines) {
  constexpr int kLoads = sizeof(T) == 4 ? 2 : 4;
  const int lane = threadIdx.x % 32, slab = t.channels, columns = z.xs.count * slab;
  const int steps = (z.ys.count + t.column.step - 1) / t.column.step, all = (end - begin) * steps;
  uint32_t own[row_tiles];
#pragma unroll
  for (int tile = 0; tile < row_tiles; ++tile) own[tile] = tile < t.column.row_tiles ? bands[tile] : 0;
#pragma unroll 1
  for (int n = threadIdx.x / 32 * kUnit; n < columns; n += kMatrixThreads) {
    int64_t offset[wide ? 1 : 4];
    bool there[wide ? 1 : 4];
#pragma unroll
    for (int j = 0; j < (wide ? 1 : 4); ++j) {
      const int column = n + lane / 4 * 4 + j, x = column / slab, c = column - x * slab;
      there[j] = x < z.xs.count && c < b.channels;
      offset[j] = there[j] ? int64_t(x) * z.pixel_step + c : 0;  // what is not there gives columns nobody needs
    }
    int load_mode = begin, load_at = 0;
    const auto load = [&](Numbers<T>& to) {  // the next step
      const T* from = z.at + modes.k[load_mode] * p.in_channels;
#pragma unroll
      for (int i = 0; i < kLoads; ++i) {
        const int y = min(load_at * t.column.step + Numbers<T>::source(lane % 4, i), z.ys.count - 1);
        const T* line = from + y * z.line_step;
        if constexpr (wide)
          to.load(i, line + offset[0]);
        else
#pragma unroll
          for (int j = 0; j < 4; ++j) to.load_one(i, j, line[offset[j]]);
      }
      if (++load_at == steps) load_at = 0, ++load_mode;
    };
    float d[row_tiles][4][4] = {};
    Numbers<T> ahead[kAhead];
#pragma unroll
    for (int a = 0; a < kAhead; ++a)
      if (a < all) load(ahead[a]);
    int mode = begin, step = 0;
#pragma unroll 1
    for (int i = 0; i < all; i += kAhead) {
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        if (i + a >= all) break;
        uint32_t right[4][2];
        ahead[a].operands(right);
        if (i + a + kAhead < all) load(ahead[a]);
        const uint4* from = fragments + int64_t(modes.column[mode]) * t.column.fragments() + step * 32 + lane;
#pragma unroll
        for (int tile = 0; tile < row_tiles; ++tile)
          if (own[tile] >> step & 1) multiply_step<T>(d[tile], from[tile * t.column.steps * 32], right);
        if (++step == steps) step = 0, ++mode;
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // this lane has columns 8 q to 8 q + 7
      const int column = n + lane % 4 * 8 + half * 4, x = column / slab, c = column - x * slab;
#pragma unroll
      for (int tile = 0; tile < row_tiles; ++tile)
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const int i = tile * 16 + lane / 4 + r * 8;
          if (i >= b.is.count) continue;
          if constexpr (wide) {
            if (x >= z.xs.count) continue;
            T* to = lines + x * t.lines_pitch;
            put(to + Operand<T>::place(i * slab + c), d[tile][0][r * 2 + half], d[tile][1][r * 2 + half]);
            put(to + Operand<T>::place(i * slab + c + 2), d[tile][2][r * 2 + half], d[tile][3][r * 2 + half]);
          } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              const int xj = (column + j) / slab, cj = column + j - xj * slab;
              if (xj < z.xs.count)
                put(lines + xj * t.lines_pitch + Operand<T>::place(i * slab + cj), d[tile][j][r * 2 + half]);
            }
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

constexpr int kTogether = 2;  // row tiles of the second pass that a warp makes at a time

/// Adds to columns js of the window what `lines` have for them.
template <class T>
__device__ void row_pass(const MatrixTile& t, const CollectBlock& b, const LineSpan& js, const T* lines,
                         const uint4* bank, const uint32_t* bands, const Window& window) {
  constexpr int kV = Operand<T>::kVector, kWarps = kMatrixThreads / 32;
  const int lane = threadIdx.x % 32;
  const int units = (b.is.count * t.channels + kUnit - 1) / kUnit,
            groups = (js.count + 16 * kTogether - 1) / (16 * kTogether);
#pragma unroll 1
  for (int item = threadIdx.x / 32; item < units * groups; item += kWarps) {
    const int group = item / units, n = (item - group * units) * kUnit, first = group * kTogether;
    float d[kTogether][4][4] = {};
    int fragments[kTogether];
    uint32_t own[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      fragments[i] = (first + i) * t.row.steps * 32;
      own[i] = (first + i) * 16 < js.count ? bands[first + i] : 0;
    }
    multiply_tiles<T>(d, lines + n, t.lines_pitch, bank + lane, fragments, own);
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int j = (first + i) * 16 + lane / 4 + r * 8;
        if (j >= js.count) continue;
        float* row = window.row(js.begin + j) + n;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int at = kV == 4 ? h * 16 + lane % 4 * 4 : lane % 4 * 8 + h * 4;
          float4& sum = *reinterpret_cast<float4*>(row + at);
          float4 s = sum;
          s.x += d[i][h * 2][r * 2], s.y += d[i][h * 2][r * 2 + 1];
          s.z += d[i][h * 2 + 1][r * 2], s.w += d[i][h * 2 + 1][r * 2 + 1];
          sum = s;
        }
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
      const int i = n / t.channels, c = n - i * t.channels;
      if (c < b.channels) {
        const float x = row[n];
        T& target = at[(int64_t(i) * p.in_width + j) * p.in_channels + c];
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
__global__ void __launch_bounds__(kMatrixThreads, row_tiles <= 2 ? 2 : 1)
    collect_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModesByRow modes,
                   const __grid_constant__ MatrixTile t, const __grid_constant__ ExpandedPlaces places,
                   const T* expanded, const uint4* row, const uint4* column, T* grad_in, int first_image) {
  const CollectBlock b = block_of(p, t);
  Window window{reinterpret_cast<float*>(shared_memory() + t.first), t.first_pitch, t.window, 0, 0};
  const auto lines = [&](int turn) {
    return reinterpret_cast<T*>(shared_memory() + t.lines_at + turn % 2 * t.lines_size);
  };
  auto* row_bands = reinterpret_cast<uint32_t*>(shared_memory());
  uint32_t* column_bands = row_bands + t.row.row_tiles;
  for (int i = threadIdx.x; i < t.window * t.first_pitch; i += kMatrixThreads) window.sums[i] = 0;
  for (int i = threadIdx.x; i < t.lines_size / int(sizeof(T)); i += kMatrixThreads)  // steps are whole
    put(lines(0) + i, 0.0f), put(lines(1) + i, 0.0f);
  sync_block();
  grad_in += (int64_t(first_image + b.image) * p.planes + b.plane) * p.in_height * p.in_width * p.in_channels;
  int turn = 0;
  for (int x_tile = 0; x_tile < t.column_tiles; ++x_tile) {
    const LineSpan xs = t.row.tile_span(x_tile);
    for (int s = 0; s < p.scale_count; ++s) {
      const ScaleEntry& scale = p.scales[s];
      const ScalePlace place = places.scale[s];
      const int radius = scale.radius;
      const LineSpan ys = t.column.sources_of(radius, b.i_tile), js = t.row.targets_of(radius, x_tile);
      bool first_of_scale = true;
      for (int e = scale.source_begin; e < scale.source_end; ++e) {
        if (p.sources[e].plane != b.plane) continue;
        if (first_of_scale) {
          sync_block();  // the last scale's bands may still be read
          find_bands(row_bands, t.row, js, xs, radius);
          find_bands(column_bands, t.column, b.is, ys, radius);
          sync_block();
          first_of_scale = false;
        }
        const Expanded<T> z{expanded + place.begin + b.image * place.image_step +
                                (int64_t(ys.begin) * p.out_width + xs.begin) * place.pixel_step +
                                (e - scale.source_begin) * p.mode_count * p.in_channels + b.channel0,
                            int64_t(p.out_width) * place.pixel_step, place.pixel_step, xs, ys};
        for (int factor = 0; factor < p.row_modes; ++factor) {
          const int begin = modes.begin[factor], end = modes.begin[factor + 1];
          if (begin == end) continue;
          column_pass<T, row_tiles, wide>(p, modes, begin, end, t, b, z, column + t.column.at(s, b.i_tile, 0),
                                          column_bands, lines(turn));
          sync_block();  // whoever is here has done with the other tile of lines
          row_pass<T>(t, b, js, lines(turn), row + t.row.at(s, x_tile, factor), row_bands, window);
          ++turn;
        }
      }
    }
    int done = p.in_width;  // columns that no later x reaches
    if (x_tile + 1 < t.column_tiles) done = t.row.targets_of(t.most_radius, x_tile + 1).begin;
    sync_block();
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
  if (t.column.row_tiles <= 1)
    go(t.wide ? collect_kernel<T, 1, true> : collect_kernel<T, 1, false>);
  else if (t.column.row_tiles <= 2)
    go(t.wide ? collect_kernel<T, 2, true> : collect_kernel<T, 2, false>);
  else
    go(t.wide ? collect_kernel<T, kMostRowTiles, true> : collect_kernel<T, kMostRowTiles, false>);
}

}  // namespace

void matrix_collect(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* expanded,
                    const uint4* row, const uint4* column, void* grad_in, int first_image, int images, DataType type,
                    cudaStream_t stream) {
  if (type == DataType::float32)
    run<float>(p, t, places, expanded, row, column, grad_in, first_image, images, stream);
  else
    run<bf16>(p, t, places, expanded, row, column, grad_in, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
