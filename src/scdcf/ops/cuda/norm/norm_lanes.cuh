// How threads share maps with channels innermost: neighbouring threads take neighbouring vectors of channels of a
// pixel, and as many pixels side by side as a block has room for; a thread keeps its channels and walks over pixels.
#pragma once

#include "scdcf/ops/cuda/machine/arithmetic.cuh"
#include "scdcf/ops/cuda/norm/norm_launch.h"

namespace scdcf::ops::cuda {

constexpr int kNormThreads = 256;

/// V numbers that move together, in loads of at most 16 bytes.
template <class T, int V>
struct alignas(sizeof(T) * V < 16 ? sizeof(T) * V : 16) Pack {
  T v[V];
};

template <int V, class T, class F>
__device__ void load_pack(const T* from, F (&to)[V]) {
  const Pack<T, V> pack = *reinterpret_cast<const Pack<T, V>*>(from);
#pragma unroll
  for (int i = 0; i < V; ++i) to[i] = widen(pack.v[i]);
}

template <int V, class T, class F>
__device__ void store_pack(const F (&from)[V], T* to) {
  Pack<T, V> pack;
#pragma unroll
  for (int i = 0; i < V; ++i) narrow(from[i], pack.v[i]);
  *reinterpret_cast<Pack<T, V>*>(to) = pack;
}

/// n / divisor for 0 <= n < 2^31 by a multiplication and a shift: q = (n + floor(n m / 2^32)) >> s with s the logarithm
/// of the divisor rounded up and m = floor(2^32 (2^s - divisor) / divisor) + 1.
struct Divisor {
  uint32_t divisor, multiplier, shift;

  explicit Divisor(int64_t by) : divisor(static_cast<uint32_t>(by)), multiplier(0), shift(0) {
    while ((uint64_t{1} << shift) < divisor) ++shift;
    multiplier = static_cast<uint32_t>((((uint64_t{1} << shift) - divisor) << 32) / divisor + 1);
  }
  __device__ uint32_t divide(uint32_t n) const {
    return (static_cast<uint32_t>((uint64_t{n} * multiplier) >> 32) + n) >> shift;
  }
  /// Divides in place and returns the remainder.
  __device__ int take(uint32_t& n) const {
    const uint32_t quotient = divide(n), rest = n - quotient * divisor;
    n = quotient;
    return static_cast<int>(rest);
  }
};

/// Which channels and pixels ("items") a thread works on.
struct Lanes {
  int channels, vectors, rows, tiles;  // vectors of channels in a block, pixels side by side, blocks along the channels
  int items, chunk;                    // in all, and per block

  /// `blocks` is how many chunks to cut the items into at most.
  Lanes(const NormPoolProblem& p, int width, int64_t items_, int64_t blocks) : channels(static_cast<int>(p.channels)) {
    const int total = channels / width;
    vectors = total < kNormThreads ? total : kNormThreads;
    rows = kNormThreads / vectors;
    tiles = (total + vectors - 1) / vectors;
    items = static_cast<int>(items_);
    const int64_t steps = (items_ + rows - 1) / rows, per_block = blocks > 0 ? (steps + blocks - 1) / blocks : steps;
    chunk = static_cast<int>(per_block * rows < items_ ? per_block * rows : items_);
  }
  int chunks() const { return chunk == 0 ? 0 : static_cast<int>((int64_t{items} + chunk - 1) / chunk); }
  int64_t blocks() const { return int64_t{chunks()} * tiles; }
};

/// The place of one thread in its block.
template <int V>
struct Lane {
  int row, column, chunk, channel, begin, end;
  bool active;

  __device__ explicit Lane(const Lanes& lanes) {
    const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
    row = thread / lanes.vectors;
    column = thread % lanes.vectors;
    chunk = block / lanes.tiles;
    channel = (block % lanes.tiles * lanes.vectors + column) * V;
    active = row < lanes.rows && channel < lanes.channels;
    begin = chunk * lanes.chunk + row;
    end = lanes.items - chunk * lanes.chunk < lanes.chunk ? lanes.items : (chunk + 1) * lanes.chunk;
  }
};

/// Calls body(T{}, V, W): the element type, how many channels move together (one where the channels or an address do
/// not allow more) and the window where it is 1 or 2 without overlap or padding, else 0.
template <int value>
struct Constant {
  static constexpr int kValue = value;
};

template <class T, int V, class Body>
void with_window(const NormPoolProblem& p, Body body) {
  const bool tiled = p.stride == p.window && p.padding == 0;
  if (tiled && p.window == 1)
    body(T{}, Constant<V>{}, Constant<1>{});
  else if (tiled && p.window == 2)
    body(T{}, Constant<V>{}, Constant<2>{});
  else
    body(T{}, Constant<V>{}, Constant<0>{});
}

template <class T, class Body>
void with_width(const NormPoolProblem& p, bool aligned, Body body) {
  constexpr int kWide = 16 / sizeof(T);
  if (aligned && p.channels % kWide == 0)
    with_window<T, kWide>(p, body);
  else
    with_window<T, 1>(p, body);
}

inline bool is_aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

template <class Body>
void dispatch_norm(const NormPoolProblem& p, DataType type, bool aligned, Body body) {
  if (type == DataType::float64)
    with_width<double>(p, aligned, body);
  else if (type == DataType::float32)
    with_width<float>(p, aligned, body);
  else
    with_width<bf16>(p, aligned, body);
}

}  // namespace scdcf::ops::cuda
