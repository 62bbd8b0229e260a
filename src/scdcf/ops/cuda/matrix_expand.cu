#include "scdcf/ops/cuda/expand_input.cuh"

namespace scdcf::ops::cuda {
namespace {

using namespace expanding;

template <class T, bool wide>
__device__ void row_pass(const MatrixTile& t, const ExpandBlock& b, const T* input, const uint4* bank,
                         const uint32_t* bands, T* lines) {
  constexpr int kV = Operand<T>::kVector;
  const int lane = threadIdx.x % 32, slab = t.channels, columns = b.vs.count * slab;
  for (int first = 0; first * 16 < b.xs.count; first += kRowTiles)
#pragma unroll 1
    for (int n = threadIdx.x / 32 * kUnit; n < columns; n += kMatrixThreads) {
      float d[kRowTiles][4][4] = {};
      int fragments[kRowTiles];
      uint32_t own[kRowTiles];
#pragma unroll
      for (int i = 0; i < kRowTiles; ++i) {
        fragments[i] = (first + i) * t.row.steps * 32;
        own[i] = (first + i) * 16 < b.xs.count ? bands[first + i] : 0;
      }
      multiply_tiles<T>(d, input + n, t.first_pitch, bank + lane, fragments, own);
#pragma unroll
      for (int h = 0; h < 8 / kV; ++h) {
        const int column = n + h * 4 * kV + lane % 4 * kV;
        const Place at(column, slab);  // wide: of all of them
#pragma unroll
        for (int i = 0; i < kRowTiles * 2; ++i) {
          const int x = first * 16 + lane / 4 + i * 8, r = i % 2;
          if (x >= b.xs.count) continue;
          if constexpr (wide) {
            if (at.position >= b.vs.count) continue;
            T* to = lines + at.position * t.lines_pitch + Operand<T>::place(x * slab + at.channel);
#pragma unroll
            for (int e = 0; e < kV / 2; ++e)
              put(to + e * 8, d[i / 2][h * kV / 2 + e][r * 2], d[i / 2][h * kV / 2 + e][r * 2 + 1]);
          } else {
#pragma unroll
            for (int e = 0; e < kV; ++e) {
              const Place one(column + e, slab);
              if (one.position < b.vs.count)
                put(lines + one.position * t.lines_pitch + Operand<T>::place(x * slab + one.channel),
                    d[i / 2][(h * kV + e) / 2][r * 2 + e % 2]);
            }
          }
        }
      }
    }
}

/// Sixteen bytes of Z.
__device__ inline void store_numbers(float* to, const float (&d)[4][4], int h, int r) {
  *reinterpret_cast<float4*>(to) =
      make_float4(bits_to_float(round_tf32(d[h * 2][r * 2])), bits_to_float(round_tf32(d[h * 2][r * 2 + 1])),
                  bits_to_float(round_tf32(d[h * 2 + 1][r * 2])), bits_to_float(round_tf32(d[h * 2 + 1][r * 2 + 1])));
}
__device__ inline void store_numbers(bf16* to, const float (&d)[4][4], int, int r) {
  *reinterpret_cast<uint4*>(to) =
      make_uint4(pack_bf16(d[0][r * 2], d[0][r * 2 + 1]), pack_bf16(d[1][r * 2], d[1][r * 2 + 1]),
                 pack_bf16(d[2][r * 2], d[2][r * 2 + 1]), pack_bf16(d[3][r * 2], d[3][r * 2 + 1]));
}

/// Z of the modes from `begin` to `end`, which share a row factor. to: the tile's first pixel, the slab's first
/// channel.
template <class T, bool wide>
__device__ void column_pass(const DeviceProblem& p, const ModesByRow& modes, int begin, int end, const MatrixTile& t,
                            const ExpandBlock& b, const T* lines, const uint4* bank, const uint32_t* bands, T* to,
                            int pixel_step) {
  constexpr int kV = Operand<T>::kVector, kPieces = wide ? 8 / kV : 8, kWarps = kMatrixThreads / 32;
  const int lane = threadIdx.x % 32, slab = t.channels, row_tiles = (b.ys.count + 15) / 16;
  const int units = (b.xs.count * slab + kUnit - 1) / kUnit, products = (end - begin) * row_tiles;
  const int groups = (products + kColumnTiles - 1) / kColumnTiles;
  const int64_t line_step = int64_t(p.out_width) * pixel_step;
#pragma unroll 1
  for (int item = threadIdx.x / 32; item < units * groups; item += kWarps) {
    const int group = item / units, n = (item - group * units) * kUnit;
    float d[kColumnTiles][4][4] = {};
    int mode = begin + group * kColumnTiles / row_tiles, tile = group * kColumnTiles % row_tiles;
    int fragments[kColumnTiles], place[kColumnTiles];  // place: mode and row tile, or -1
    uint32_t own[kColumnTiles];
#pragma unroll
    for (int i = 0; i < kColumnTiles; ++i) {
      const bool there = mode < end;
      place[i] = there ? mode * 256 + tile : -1;
      fragments[i] = there ? modes.column[mode] * t.column.fragments() + tile * t.column.steps * 32 : 0;
      own[i] = there ? bands[tile] : 0;
      if (++tile == row_tiles) tile = 0, ++mode;
    }
    multiply_tiles<T>(d, lines + n, t.lines_pitch, bank + lane, fragments, own);
    T* target[kPieces];  // null: not there
#pragma unroll
    for (int h = 0; h < kPieces; ++h) {
      const Place at(wide ? n + h * 4 * kV + lane % 4 * kV : n + h / kV * 4 * kV + lane % 4 * kV + h % kV, slab);
      target[h] = at.position < b.xs.count && at.channel < b.channels
                      ? to + int64_t(at.position) * pixel_step + at.channel
                      : nullptr;
    }
#pragma unroll
    for (int i = 0; i < kColumnTiles; ++i) {
      if (place[i] < 0) continue;
      const int64_t plane = modes.k[place[i] / 256] * p.in_channels;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int y = place[i] % 256 * 16 + lane / 4 + r * 8;
        if (y >= b.ys.count) continue;
        const int64_t offset = plane + y * line_step;
#pragma unroll
        for (int h = 0; h < kPieces; ++h) {
          if (target[h] == nullptr) continue;
          if constexpr (wide)
            store_numbers(target[h] + offset, d[i], h, r);
          else
            put(target[h] + offset, d[i][h / 2][r * 2 + h % 2]);
        }
      }
    }
  }
}

template <class T, bool wide>
__global__ void __launch_bounds__(kMatrixThreads, 2)
    expand_kernel(const __grid_constant__ DeviceProblem p, const __grid_constant__ ModesByRow modes,
                  const __grid_constant__ MatrixTile t, const __grid_constant__ ExpandedPlaces places, const T* in,
                  const uint4* row, const uint4* column, T* expanded, int first_image) {
  const ExpandBlock b = block_of(p, t);
  const ScalePlace place = places.scale[b.scale];
  T* input = reinterpret_cast<T*>(shared_memory() + t.first);
  const int64_t plane =
      (int64_t(first_image + b.image) * p.planes + p.sources[b.entry].plane) * p.in_height * p.in_width;
  load_input<T, wide>(p, t, b, in + plane * p.in_channels, input);
  const auto lines = [&](int turn) {
    return reinterpret_cast<T*>(shared_memory() + t.lines_at + turn % 2 * t.lines_size);
  };
  const int rows = round_up(b.vs.count, Operand<T>::kStep);  // zero up to a whole step
  for (int i = b.vs.count * t.lines_pitch + threadIdx.x; i < rows * t.lines_pitch; i += kMatrixThreads)
    put(lines(0) + i, 0.0f), put(lines(1) + i, 0.0f);
  const Bands bands(t);
  find_bands(bands.row, t.row, b.xs, b.us, b.radius);
  find_bands(bands.column, t.column, b.ys, b.vs, b.radius);
  sync_block();

  T* to = expanded + place.begin + b.image * place.image_step +
          (int64_t(b.ys.begin) * p.out_width + b.xs.begin) * place.pixel_step +
          (b.entry - p.scales[b.scale].source_begin) * p.mode_count * p.in_channels + b.channel0;
  const uint4* column_fragments = column + t.column.at(b.scale, b.y_tile, 0);
  for (int turn = 0; turn < modes.count; ++turn) {
    const int begin = modes.begin[turn], end = modes.begin[turn + 1];
    row_pass<T, wide>(t, b, input, row + t.row.at(b.scale, b.x_tile, modes.row[turn]), bands.row, lines(turn));
    sync_block();  // whoever is here has done with the other tile of lines
    column_pass<T, wide>(p, modes, begin, end, t, b, lines(turn), column_fragments, bands.column, to, place.pixel_step);
  }
}

template <class T>
void run(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* in, const uint4* row,
         const uint4* column, void* expanded, int first_image, int images, cudaStream_t stream) {
  const int64_t blocks = t.blocks_of_map() * p.source_count * images;
  const auto go = [&](auto kernel) {
    launch(kernel, blocks, kMatrixThreads, t.shared_bytes, stream, p, modes_by_row(p), t, places,
           static_cast<const T*>(in), row, column, static_cast<T*>(expanded), first_image);
  };
  if (t.wide)
    go(expand_kernel<T, true>);
  else
    go(expand_kernel<T, false>);
}

}  // namespace

void matrix_expand(const DeviceProblem& p, const MatrixTile& t, const ExpandedPlaces& places, const void* in,
                   const uint4* row, const uint4* column, void* expanded, int first_image, int images, DataType type,
                   cudaStream_t stream) {
  if (type == DataType::float32)
    run<float>(p, t, places, in, row, column, expanded, first_image, images, stream);
  else
    run<bf16>(p, t, places, in, row, column, expanded, first_image, images, stream);
}

}  // namespace scdcf::ops::cuda
