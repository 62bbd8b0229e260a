#include <type_traits>

#include "scdcf/ops/cuda/expanded/expand_input.cuh"

namespace scdcf::ops::cuda {
namespace {

using namespace expanding;

constexpr int kWarps = kMatrixThreads / 32;

/// Quotients by a number that many threads divide by: a multiplication each. Exact below 2^31 / divisor.
struct Quotient {
  uint32_t by;
  __device__ explicit Quotient(int divisor) : by((1u << 31) / static_cast<uint32_t>(divisor) + 1) {}
  __device__ int of(int x) const { return static_cast<int>(uint64_t(static_cast<uint32_t>(x)) * by >> 31); }
};

/// Calls body(first, count, unit) for the warp's share of `units` units of columns times `matrices` matrices, `most` at
/// a time (1 or 2). Neighbouring warps take the matrices of one unit.
template <class Body>
__device__ void for_items(int units, int matrices, const Body& body) {
  const int groups = (matrices + 1) / 2;
  const Quotient quotient(groups);
#pragma unroll 1
  for (int item = threadIdx.x / 32; item < units * groups; item += kWarps) {
    const int unit = quotient.of(item), first = (item - unit * groups) * 2;
    if (first + 1 < matrices)
      body(first, std::integral_constant<int, 2>{}, unit * kUnit);
    else
      body(first, std::integral_constant<int, 1>{}, unit * kUnit);
  }
}

/// lines [v][x,c] of one row factor. bank: its fragments for this lane.
template <class T, bool wide>
__device__ void row_pass(const MatrixTile& t, const ExpandBlock& b, const T* input, const uint4* bank,
                         const Steps* band, T* lines) {
  const int lane = threadIdx.x % 32;
  for_items((b.vs.count * t.channels + kUnit - 1) / kUnit, (b.xs.count + 15) / 16, [&](int first, auto count, int n) {
    constexpr int kTiles = decltype(count)::value;
    float d[kTiles][4][4] = {};
    const uint4* own[kTiles];
#pragma unroll
    for (int i = 0; i < kTiles; ++i) own[i] = bank + t.row.fragments_of(first + i);
    multiply_tiles<T>(d, input + n, t.first_pitch, own, steps_together<kTiles>(band, first));
#pragma unroll
    for (int h = 0; h < Operand<T>::kPieces; ++h) {
      const int column = n + Operand<T>::column(h);
      const Place at(column, t);
#pragma unroll
      for (int i = 0; i < kTiles * 2; ++i) {
        const int x = first * 16 + lane / 4 + i * 8;
        if (x >= b.xs.count) continue;
        if constexpr (wide) {
          if (at.position < b.vs.count)
            Operand<T>::keep(lines + at.position * t.lines_pitch + Operand<T>::place(x * t.channels + at.channel),
                             Operand<T>::words(d[i / 2], i % 2, h));
        } else {
#pragma unroll
          for (int e = 0; e < Operand<T>::kVector; ++e) {
            const Place one(column + e, t);
            if (one.position < b.vs.count)
              lines[one.position * t.lines_pitch + Operand<T>::place(x * t.channels + one.channel)] =
                  Operand<T>::number(Operand<T>::result(d[i / 2], i % 2, h, e));
          }
        }
      }
    }
  });
}

/// Where Z of a tile goes: from its first pixel, the slab's first channel, in bytes.
struct Target {
  char* at;
  uint32_t line, pixel, mode;
};

/// Z of the modes from `begin` to `end`, which share a row factor. bank: the column factors' fragments for this lane.
template <class T, bool wide>
__device__ void column_pass(const ModesByRow& modes, int begin, int end, const MatrixTile& t, const ExpandBlock& b,
                            const T* lines, const uint4* bank, const Steps* band, const Target& target) {
  const int lane = threadIdx.x % 32, row_tiles = (b.ys.count + 15) / 16;
  const Quotient by_rows(row_tiles);
  const int units = (b.xs.count * t.channels + kUnit - 1) / kUnit;
  const uint64_t eight_lines = uint64_t(8) * target.line;
  for_items(units, (end - begin) * row_tiles, [&](int first, auto count, int n) {
    constexpr int kTiles = decltype(count)::value;
    float d[kTiles][4][4] = {};
    int tile[kTiles];
    uint32_t plane[kTiles];
    const uint4* own[kTiles];
    Steps steps{};
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      const int m = by_rows.of(first + i), mode = begin + m;
      tile[i] = first + i - m * row_tiles, plane[i] = modes.k[mode] * target.mode;
      own[i] = bank + modes.column[mode] * t.column.fragments() + t.column.fragments_of(tile[i]);
      const Steps s = band[tile[i]];
      steps = i == 0 ? s : Steps{min(steps.begin, s.begin), max(steps.end, s.end)};
    }
    multiply_tiles<T>(d, lines + n, t.lines_pitch, own, steps);
    char* to[kTiles];
#pragma unroll
    for (int i = 0; i < kTiles; ++i)
      to[i] = target.at + uint64_t(static_cast<uint32_t>(tile[i] * 16 + lane / 4)) * target.line + plane[i];
#pragma unroll
    for (int h = 0; h < Operand<T>::kPieces; ++h) {
      const int column = n + Operand<T>::column(h);
      const Place at(column, t);
      [[maybe_unused]] const uint32_t offset = at.position * target.pixel + at.channel * uint32_t(sizeof(T));
      if (wide && (at.position >= b.xs.count || at.channel >= b.channels)) continue;
#pragma unroll
      for (int i = 0; i < kTiles * 2; ++i) {
        const int r = i % 2;
        if (tile[i / 2] * 16 + lane / 4 + r * 8 >= b.ys.count) continue;
        char* line = to[i / 2] + (r == 0 ? 0 : eight_lines);
        if constexpr (wide) {
          const auto w = Operand<T>::words(d[i / 2], r, h);
          store_16(line + offset, w.word[0], w.word[1], w.word[2], w.word[3]);
        } else {
#pragma unroll
          for (int e = 0; e < Operand<T>::kVector; ++e) {
            const Place one(column + e, t);
            if (one.position < b.xs.count && one.channel < b.channels)
              reinterpret_cast<T*>(line + one.position * target.pixel)[one.channel] =
                  Operand<T>::number(Operand<T>::result(d[i / 2], r, h, e));
          }
        }
      }
    }
  });
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
    lines(0)[i] = lines(1)[i] = Operand<T>::number(0.0f);
  auto* row_steps = reinterpret_cast<Steps*>(shared_memory());
  Steps* column_steps = row_steps + t.row.row_tiles;
  find_steps(row_steps, t.row, b.xs, b.us, b.radius);
  find_steps(column_steps, t.column, b.ys, b.vs, b.radius);
  sync_block();

  T* to = expanded + place.begin + b.image * place.image_step +
          (int64_t(b.ys.begin) * p.out_width + b.xs.begin) * place.pixel_step +
          (b.entry - p.scales[b.scale].source_begin) * p.mode_count * p.in_channels + b.channel0;
  const int lane = threadIdx.x % 32;
  const uint4* row_bank = row + t.row.at(b.scale, b.x_tile, 0) + lane;
  const uint4* column_bank = column + t.column.at(b.scale, b.y_tile, 0) + lane;
  const uint32_t size = sizeof(T), pixel = place.pixel_step * size;
  const Target target{reinterpret_cast<char*>(to), p.out_width * pixel, pixel, p.in_channels * size};
  for (int turn = 0; turn < modes.count; ++turn) {
    row_pass<T, wide>(t, b, input, row_bank + modes.row[turn] * t.row.fragments(), row_steps, lines(turn));
    sync_block();  // whoever is here has done with the other tile of lines
    column_pass<T, wide>(modes, modes.begin[turn], modes.begin[turn + 1], t, b, lines(turn), column_bank, column_steps,
                         target);
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
