// What both chained kernels begin with (chained.h): the factors in shared memory, the first pass, and Z.
#pragma once

#include "scdcf/ops/cuda/chained/chained.h"
#include "scdcf/ops/cuda/machine/number_format.cuh"

namespace scdcf::ops::cuda {

__device__ inline TileLines* tile_lines(const ChainedTiles& f) {
  return reinterpret_cast<TileLines*>(shared_memory() + f.tile_lines_at);
}

/// The factors of a block's tiles and what lines they multiply.
__device__ inline void copy_factors(const ChainedTiles& f, const uint4* bank, int64_t first_total, int scale,
                                    int p_tile, int q_tile0) {
  auto* to = reinterpret_cast<uint4*>(shared_memory());
  const uint4* from = bank + f.first_bank(scale, p_tile);
  for (int i = threadIdx.x; i < f.first_fragments() * 32; i += blockDim.x) to[i] = from[i];
  to = reinterpret_cast<uint4*>(shared_memory() + f.second_at);
  from = bank + first_total + f.second_bank(scale, q_tile0);
  const int tiles = f.tiles_of_run(q_tile0);
  for (int i = threadIdx.x; i < tiles * f.second_fragments() * 32; i += blockDim.x) to[i] = from[i];
  if (static_cast<int>(threadIdx.x) < tiles) {
    const LineSpan lines = f.second.reach(f.radius[scale], q_tile0 + threadIdx.x);
    tile_lines(f)[threadIdx.x] = {lines.begin - f.second.reach(f.radius[scale], q_tile0).begin, lines.count};
  }
}

/// Lines of so many numbers, and how far they are apart, on their way to the L2 cache; by all threads.
template <class T>
__device__ void fetch_lines(const T* from, int lines, int numbers, int step) {
  const int pieces = (numbers * static_cast<int>(sizeof(T)) + 127) / 128;
  for (int i = threadIdx.x; i < lines * pieces; i += blockDim.x) {
    const int line = i / pieces;
    fetch_ahead(reinterpret_cast<const char*>(from + int64_t(line) * step) + (i - line * pieces) * 128);
  }
}

/// Two channels of one position as they are in memory: neighbours, or one and another so many numbers on.
template <class T>
struct ChannelPair;
template <>
struct ChannelPair<bf16> {
  uint32_t word = 0;
  __device__ void load(const bf16* at) { word = *reinterpret_cast<const uint32_t*>(at); }
  __device__ void load(const bf16* at, int next) {
    const auto* numbers = reinterpret_cast<const uint16_t*>(at);
    word = numbers[0] | uint32_t(numbers[next]) << 16;
  }
};
template <>
struct ChannelPair<float> {
  float2 numbers = {0, 0};
  __device__ void load(const float* at) { numbers = *reinterpret_cast<const float2*>(at); }
  __device__ void load(const float* at, int next) { numbers = make_float2(at[0], at[next]); }
};

/// Words of right operands from the pairs of two neighbouring positions: of the even channel and of the odd one.
template <int parts>
__device__ inline void make_words(const ChannelPair<bf16>& x, const ChannelPair<bf16>& y, float,
                                  uint32_t (&even)[parts], uint32_t (&odd)[parts]) {
  even[0] = (x.word & 0xffffu) | y.word << 16;
  odd[0] = x.word >> 16 | (y.word & 0xffff0000u);
}
template <int parts>
__device__ inline void make_words(const ChannelPair<float>& x, const ChannelPair<float>& y, float scale,
                                  uint32_t (&even)[parts], uint32_t (&odd)[parts]) {
  split_operands<float, parts>(x.numbers.x * scale, y.numbers.x * scale, even);
  split_operands<float, parts>(x.numbers.y * scale, y.numbers.y * scale, odd);
}

/// Where the first pass of a tile finds what it reads: one plane.
template <class T>
struct LineSource {
  const T* at = nullptr;  // first line and position that the tile reads, of the first image
  int positions = 1, lines = 0;

  __device__ void start(const ChainedTiles& f, const T* source, int plane, const LineSpan& us, const LineSpan& vs) {
    at = source + (int64_t(plane) * f.source_pixels + int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step) *
                      f.source_channels;
    positions = us.count, lines = vs.count;
  }
  __device__ static int64_t image_step(const ChainedTiles& f) {
    return int64_t(f.source_planes) * f.source_pixels * f.source_channels;
  }
  /// Has what the tile reads of one image come nearer, all channels.
  __device__ void fetch(const ChainedTiles& f, int image) const {
    const bool along_u = f.u_step == 1;
    fetch_lines(at + image * image_step(f), along_u ? lines : positions,
                (along_u ? positions : lines) * f.source_channels, (along_u ? f.v_step : f.u_step) * f.source_channels);
  }
};

/// A first pass: some images of a tile, 16 channels. By value, so that it can be a call of its own: what the kernel has
/// in registers waits on the stack meanwhile, instead of in the way.
template <class T>
struct FirstPass {
  const T* at;  // first image, line, position and channel
  int positions, lines, last_image, channels;
  int position_step, line_step, image_step;
  int row_tiles, row_slots, bits, factors, factor_steps, lines_at, pitch, plane;
  float scale;

  __device__ FirstPass(const ChainedTiles& f, const LineSource<T>& source, int image0, int images, int chunk,
                       float scale_)
      : at(source.at + image0 * source.image_step(f) + chunk * kChannels),
        positions(source.positions),
        lines(source.lines),
        last_image(images - 1),
        channels(f.source_channels - chunk * kChannels),
        position_step(f.u_step * f.source_channels),
        line_step(f.v_step * f.source_channels),
        image_step(static_cast<int>(source.image_step(f))),
        row_tiles(f.row_tiles),
        row_slots(f.row_slots()),
        bits(f.first_bits),
        factors(f.first.modes),
        factor_steps(f.first_steps),
        lines_at(f.lines_at),
        pitch(f.pitch),
        plane(f.plane),
        scale(scale_) {}
  /// Whether channels can be read two at a time.
  __device__ bool in_pairs() const {
    return position_step % 2 == 0 && line_step % 2 == 0 && reinterpret_cast<uintptr_t>(at) % (2 * sizeof(T)) == 0;
  }
  /// Where position k of a row tile is, in bytes from the tile's first; several images share a tile where `shared`.
  /// Beyond the last position it is the last one, whose factor is zero there.
  template <bool shared>
  __device__ uint32_t offset(int tile, int k) const {
    uint32_t numbers;
    if (!shared || bits == 0) {
      numbers = min(k, positions - 1) * position_step;
    } else {
      const int rest = 4 - bits, first = tile << bits;
      numbers = uint32_t(min(first + (k >> rest), last_image) - min(first, last_image)) * image_step +
                min(k & ((1 << rest) - 1), positions - 1) * position_step;
    }
    return numbers * sizeof(T);
  }
  /// Line v of a row tile's first image.
  __device__ const T* line(int v, int tile) const {
    return at + int64_t(min(tile << bits, last_image)) * image_step + int64_t(v) * line_step;
  }
};

/// Four channels of 16 positions as right operands, [even, odd][part][half of the positions].
template <int parts>
using PositionWords = uint32_t[2][parts][2];

/// A lane's pairs of channels of 16 positions become operands.
template <class T, int parts>
__device__ inline void make_operands(const ChannelPair<T> (&pairs)[4], float scale, PositionWords<parts>& words) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    uint32_t even[parts], odd[parts];
    make_words<parts>(pairs[2 * half], pairs[2 * half + 1], scale, even, odd);
#pragma unroll
    for (int part = 0; part < parts; ++part) words[0][part][half] = even[part], words[1][part][half] = odd[part];
  }
}

template <int parts>
__device__ inline void load_factor(const uint4* from, uint32_t (&a)[parts][4]) {
#pragma unroll
  for (int part = 0; part < parts; ++part) {
    const uint4 w = from[part * 32];
    a[part][0] = w.x, a[part][1] = w.y, a[part][2] = w.z, a[part][3] = w.w;
  }
}

/// Sums of a row factor, to shared memory as operands. rows: of the lane's two, those that there is room for.
template <class T, int parts>
__device__ inline void store_lines(char* to, int plane, const float (&d)[2][4], int rows) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    if (row >= rows) break;
    uint32_t low[parts], high[parts];
    split_operands<T, parts>(d[0][row * 2], d[1][row * 2], low);
    split_operands<T, parts>(d[0][row * 2 + 1], d[1][row * 2 + 1], high);
#pragma unroll
    for (int part = 0; part < parts; ++part)
      *reinterpret_cast<uint2*>(to + part * plane + row * 8 * kSlot) = make_uint2(low[part], high[part]);
  }
}

/// lines[b][v][position][channel] = sum over u of factor b. Columns of the product are channels, the even ones first,
/// so that a lane reads two neighbouring channels and writes four. While one line is multiplied the next is on its way.
/// in_pairs: channels can be read two at a time. Lanes whose channels do not exist read the last, which the matrices
/// multiply by zero. count: steps of 16 positions, 0: any number. at_once: row factors.
template <class T, int parts, bool in_pairs, int count, int at_once>
__device__ __noinline__ void first_pass(const FirstPass<T> p) {
  constexpr int kept = count > 0 ? count : 1;
  const int lane = threadIdx.x % 32, g = lane / 4, j = lane % 4, warps = blockDim.x / 32, units = p.lines * p.row_tiles;
  const int steps = count > 0 ? count : (p.positions + 15) / 16, rows = (p.row_slots - g + 7) / 8;
  const int factor_step = p.factor_steps * parts * 32;
  const auto* factors = reinterpret_cast<const uint4*>(shared_memory()) + lane;
  constexpr bool shared = count <= 1;  // more images than one in a row tile have one step of positions
  uint32_t offsets[kept][4];
  const auto find = [&](int tile, int step0) {
#pragma unroll
    for (int i = 0; i < kept * 4; ++i)
      offsets[i / 4][i % 4] = p.template offset<shared>(tile, (step0 + i / 4) * 16 + i / 2 % 2 * 8 + 2 * j + i % 2);
  };
  if constexpr (count > 0) find(0, 0);
  ChannelPair<T> pairs[kept][4];
  const int channel = min(2 * g, p.channels - (in_pairs ? 2 : 1)), next = min(2 * g + 1, p.channels - 1) - channel;
  const auto read = [&](int unit, int step0) {
    const int v = p.row_tiles == 1 ? unit : unit / p.row_tiles, tile = unit - v * p.row_tiles;
    const char* line = reinterpret_cast<const char*>(p.line(v, tile) + channel);
    if (count == 0 || (shared && p.bits > 0)) find(tile, step0);  // the last tile may lack images
#pragma unroll
    for (int i = 0; i < kept * 4; ++i) {
      const auto* from = reinterpret_cast<const T*>(line + offsets[i / 4][i % 4]);
      if constexpr (in_pairs)
        pairs[i / 4][i % 4].load(from);
      else
        pairs[i / 4][i % 4].load(from, next);
    }
  };
  int unit = threadIdx.x / 32;
  if (count > 0 && unit < units) read(unit, 0);
#pragma unroll 1
  for (; unit < units; unit += warps) {
    const int v = p.row_tiles == 1 ? unit : unit / p.row_tiles, tile = unit - v * p.row_tiles;
    char* to = shared_memory() + p.lines_at + v * p.pitch + tile * 16 * kSlot + g * kSlot + j * 8;
    PositionWords<parts> words[kept];
    if constexpr (count > 0) {
#pragma unroll
      for (int step = 0; step < kept; ++step) make_operands<T, parts>(pairs[step], p.scale, words[step]);
      if (unit + warps < units) read(unit + warps, 0);
    }
#pragma unroll 1
    for (int b0 = 0; b0 < p.factors; b0 += at_once) {
      float d[at_once][2][4] = {};
      const uint4* from[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) from[i] = factors + min(b0 + i, p.factors - 1) * factor_step;
      const auto multiply = [&](int step, const PositionWords<parts>& by) {
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          uint32_t a[parts][4];
          load_factor<parts>(from[i] + step * parts * 32, a);
          multiply_operands<T, parts>(d[i][0], a, by[0]);
          multiply_operands<T, parts>(d[i][1], a, by[1]);
        }
      };
      if constexpr (count > 0) {
#pragma unroll
        for (int step = 0; step < kept; ++step) multiply(step, words[step]);
      } else {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
          read(unit, step);
          make_operands<T, parts>(pairs[0], p.scale, words[0]);
          multiply(step, words[0]);
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (b0 + i < p.factors) store_lines<T, parts>(to + (b0 + i) * parts * p.plane, p.plane, d[i], rows);
    }
  }
}

/// The first pass of a tile and 16 channels; all of the block's threads.
template <class T, int parts, bool in_pairs, int at_once>
__device__ void make_lines_of(const FirstPass<T>& p) {
  const int steps = p.bits > 0 ? 1 : (p.positions + 15) / 16;
  if (steps == 1) return first_pass<T, parts, in_pairs, 1, at_once>(p);
  if (steps == 2) return first_pass<T, parts, in_pairs, 2, at_once>(p);
  if (steps == 3) return first_pass<T, parts, in_pairs, 3, at_once>(p);
  first_pass<T, parts, in_pairs, 0, 2>(p);
}
template <class T, int parts>
__device__ void make_lines(const FirstPass<T>& p) {
  if (!p.in_pairs()) return make_lines_of<T, parts, false, 2>(p);
  if (p.factors % 3 == 0) return make_lines_of<T, parts, true, 3>(p);
  make_lines_of<T, parts, true, 2>(p);
}

/// Where a position of the tile is: in the lines (bytes), in the target's maps (numbers), and in which image. A
/// position that does not exist is in no image.
struct TilePosition {
  int line, target, image, unused;
};

/// Of row tiles of the second pass, whole pairs of them.
__device__ inline void fill_places(const ChainedTiles& f, int p_tile) {
  auto* places = reinterpret_cast<TilePosition*>(shared_memory() + f.places_at);
  const LineSpan ps = f.first.targets_of(p_tile);
  for (int i = threadIdx.x; i < f.place_count(); i += blockDim.x) {
    const int position = min(i, f.positions() - 1), image = position / f.first.tile,
              p = position - image * f.first.tile;
    const int tile = image >> f.first_bits, in_tile = image - (tile << f.first_bits);
    const bool exists = i < f.positions() && p < ps.count;
    places[i] = {(tile * 16 + (in_tile << (4 - f.first_bits)) + p) * kSlot,
                 (image * f.target_planes * f.target_pixels + (ps.begin + p) * f.p_step) * f.target_channels,
                 exists ? image : 1 << 30, 0};
  }
}

/// Where a lane's rows of the lines begin that a row tile of the second pass reads, in bytes, step after step. Beyond
/// the last line it is the last one, whose factor is zero there.
struct LineRows {
  const TilePosition* places;
  int k, bits, pitch, last, channel;
  uint32_t base;
  /// lines_at: the first line of the tile, in bytes from where the lines of position 0 begin.
  __device__ LineRows(const ChainedTiles& f, int lines, int lines_at) {
    const int lane = threadIdx.x % 32, row = lane / 8 % 2 * 8 + lane % 8;
    bits = f.second_bits, pitch = f.pitch, last = lines - 1, channel = lane / 16 * 16;
    places = reinterpret_cast<const TilePosition*>(shared_memory() + f.places_at) + (row >> (4 - bits));
    k = row & ((16 >> bits) - 1);
    base = shared_at(shared_memory()) + lines_at;
  }
  __device__ uint32_t at(int tile, int step) const {
    return base + places[tile << bits].line + min(step * 16 + k, last) * pitch + channel;
  }
};

/// The right operands of 16 lines by 16 channels (or, transposed, the left one): [8-channel tile][part][line half].
template <int parts>
__device__ inline void load_lines(const ChainedTiles& f, uint32_t row, uint32_t (&r)[parts][4]) {
#pragma unroll
  for (int part = 0; part < parts; ++part) load_transposed(r[part], row + part * f.plane);
}

}  // namespace scdcf::ops::cuda
