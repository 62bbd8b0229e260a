#include "scdcf/ops/cuda/streamed.h"

#include "scdcf/ops/cuda/hopper_products.cuh"
#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {
namespace {

#ifdef SCDCF_HOPPER_CODE

/// Shared memory: the ring of pieces, two buffers of the first pass, and their barriers.
template <class Tile>
struct Shared {
  char* memory;
  Barrier* barriers;

  __device__ Shared() {
    char* begin = shared_memory();
    memory = begin + (1024 - shared_address(begin) % 1024) % 1024;
    barriers = reinterpret_cast<Barrier*>(memory + Tile::barriers_at);
  }
  __device__ char* piece(int slot) const { return memory + slot * Tile::piece_bytes; }
  __device__ char* buffer(int turn) const { return memory + Tile::buffers_at + turn % 2 * Tile::buffer_bytes; }
  __device__ Barrier* buffer_full(int turn) const { return barriers + turn % 2; }
  __device__ Barrier* buffer_empty(int turn) const { return barriers + 2 + turn % 2; }
  __device__ Barrier* piece_full(int slot) const { return barriers + 4 + slot; }
  __device__ Barrier* piece_empty(int slot) const { return barriers + 4 + Tile::slots + slot; }

  __device__ void init(int cluster) const {
    for (int i = threadIdx.x; i < 2 * Tile::buffer_bytes / 16;
         i += Tile::threads)  // what nobody writes must be numbers
      reinterpret_cast<uint4*>(buffer(0))[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
      for (int i = 0; i < 2; ++i) {
        init_barrier(buffer_full(i), Tile::producer_warps);
        init_barrier(buffer_empty(i), Tile::consumers * 4);
      }
      for (int i = 0; i < Tile::slots; ++i) {
        init_barrier(piece_full(i), 1);
        init_barrier(piece_empty(i), Tile::consumers * 4 * cluster);
      }
      fence_barriers();
    }
    fence_products();
  }
};

/// One tile of pixels of one plane. The blocks of a cluster share plane and wide.
struct Item {
  int plane, wide, image0, images, p_tile;
  bool exists;
};

__device__ inline Item item_of(const StreamedPlan& f, int index, int rank) {
  Item t;
  const int tiles = f.groups * f.first.tiles;
  int tile = index % f.tile_groups * f.cluster + rank;
  index /= f.tile_groups;
  t.wide = index % f.wides;
  t.plane = f.order[index / f.wides];
  t.exists = tile < tiles;
  tile = min(tile, tiles - 1);
  t.p_tile = tile % f.first.tiles;
  t.image0 = tile / f.first.tiles * f.images;
  t.images = min(f.images, f.batch - t.image0);
  return t;
}

__device__ inline int item_count(const StreamedPlan& f) { return f.target_planes * f.wides * f.tile_groups; }

/// Walks over the lines of a tile, `step` at a time.
struct LineCursor {
  int image, line;
  __device__ void advance(int step, int lines) {
    line += step;
    while (line >= lines) line -= lines, ++image;
  }
};

// ---- producers: the first pass, from global memory into the buffers -------------------------------------------------

/// Stores eight neighbouring channels of pixel n: the two 16-byte pieces in the order that meets no bank conflict.
__device__ inline void store_pixel(char* rows, int n, int g, int t, const float (&d)[4][4], int r) {
  const float4 low = make_float4(operand<false>(d[0][r]), operand<false>(d[1][r]), operand<false>(d[2][r]),
                                 operand<false>(d[3][r])),
               high = make_float4(operand<false>(d[0][r + 1]), operand<false>(d[1][r + 1]), operand<false>(d[2][r + 1]),
                                  operand<false>(d[3][r + 1]));
  const bool swap = (g ^ n) & 1;
  const int first = (2 * t + swap) ^ (n & 7);
  char* row = rows + n * 128;
  *reinterpret_cast<float4*>(row + first * 16) = swap ? high : low;
  *reinterpret_cast<float4*>(row + (first ^ 1) * 16) = swap ? low : high;
}

template <class Tile>
struct LineLoader {
  static constexpr int depth = Tile::depth;
  const float* source;  // of this lane's channels
  int64_t image_step;
  int line_step, position_step, last, images, lines;
  float4 x[depth][2];
  bool exists;

  __device__ void fetch(const LineCursor& c) {
    exists = c.image < images && c.line < lines;
    if (!exists) return;
    const float* at = source + c.image * image_step + int64_t(c.line) * line_step;
    const int t = threadIdx.x % 4;
#  pragma unroll
    for (int s = 0; s < depth; ++s)
#  pragma unroll
      for (int h = 0; h < 2; ++h)
        x[s][h] = *reinterpret_cast<const float4*>(at + min(s * 8 + h * 4 + t, last) * position_step);
  }
};

template <class Tile>
__device__ void produce(const StreamedPlan& f, const float* source, const float4* factors, const Shared<Tile>& shared,
                        int rank) {
  constexpr int depth = Tile::depth, bank_tiles = Tile::bank_tiles;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32 - Tile::consumers * 4;
  const int items = item_count(f);
  int row_at[bank_tiles][2];  // where this lane's rows (first mode, p) go: bytes of the mode, then pixels; or -1
#  pragma unroll
  for (int i = 0; i < bank_tiles * 2; ++i) {
    const int row = i * 8 + g, mode = row / f.first.tile;
    row_at[i / 2][i % 2] =
        mode < f.first.modes ? mode * Tile::line_bytes + (row - mode * f.first.tile) * Tile::pitch : -1;
  }
  int turn = 0;
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
#  pragma unroll 1
    for (int s = f.stage_begin[item.plane]; s < f.stage_begin[item.plane + 1]; ++s) {
      const Stage stage = f.stages[s];
      const int radius = f.radius[stage.scale], channels = f.source_channels;
      const Span us = f.first.reach(radius, item.p_tile), vs = f.second.reach(radius, 0);
      const int steps = (us.count + 7) / 8;
      const float4* factor = factors + f.first.at(stage.scale, item.p_tile, 0) + lane;
      uint32_t w[bank_tiles][depth][4];
#  pragma unroll
      for (int i = 0; i < bank_tiles; ++i)
#  pragma unroll
        for (int k = 0; k < depth; ++k) {
          float4 v = make_float4(0, 0, 0, 0);
          if (i < f.first.row_tiles() && k < f.first.depth) v = factor[(i * f.first.depth + k) * 32];
          w[i][k][0] = float_to_bits(v.x), w[i][k][1] = float_to_bits(v.y), w[i][k][2] = float_to_bits(v.z),
          w[i][k][3] = float_to_bits(v.w);
        }
#  pragma unroll 1
      for (int chunk = 0; chunk < f.chunks; ++chunk, ++turn) {
        LineLoader<Tile> loader;
        loader.image_step = int64_t(f.source_planes) * f.source_pixels * channels;
        loader.line_step = f.v_step * channels, loader.position_step = f.u_step * channels;
        loader.last = us.count - 1, loader.images = item.images, loader.lines = vs.count;
        const int64_t pixel =
            int64_t(stage.source_plane) * f.source_pixels + int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step;
        const int channel = chunk * 32 + g * 4;  // lanes beyond the channels read the first ones: the mix ignores them
        loader.source =
            source + item.image0 * loader.image_step + pixel * channels + (channel < channels ? channel : 0);
        LineCursor next{0, 0};
        next.advance(warp, f.lines);
        loader.fetch(next);
        wait(shared.buffer_empty(turn), (turn / 2 + 1) % 2);
        char* buffer = shared.buffer(turn);
#  pragma unroll 1
        while (next.image < f.images) {
          const LineCursor now = next;
          const bool exists = loader.exists;
          uint32_t x[depth][2][4];
#  pragma unroll
          for (int k = 0; k < depth * 2; ++k) {
            const float4 v = loader.x[k / 2][k % 2];
            x[k / 2][k % 2][0] = round_tf32(v.x), x[k / 2][k % 2][1] = round_tf32(v.y),
                         x[k / 2][k % 2][2] = round_tf32(v.z), x[k / 2][k % 2][3] = round_tf32(v.w);
          }
          next.advance(Tile::producer_warps, f.lines);
          loader.fetch(next);
          const int n = now.image * f.first.tile * Tile::pitch + now.line;
#  pragma unroll
          for (int i = 0; i < bank_tiles; ++i) {
            float d[4][4] = {};
            if (exists) {
#  pragma unroll
              for (int k = 0; k < depth; ++k)
                if (k < steps)
#  pragma unroll
                  for (int j = 0; j < 4; ++j) mma_tf32(d[j], w[i][k], x[k][0][j], x[k][1][j]);
            }
#  pragma unroll
            for (int h = 0; h < 2; ++h) {
              const int at = row_at[i][h];
              if (at < 0) continue;
              const int mode_bytes = at / Tile::line_bytes * Tile::line_bytes;
              store_pixel(buffer + mode_bytes, n + at - mode_bytes, g, t, d, h * 2);
            }
          }
        }
        fence_products();
        sync_warp();
        if (lane == 0) arrive(shared.buffer_full(turn));
      }
    }
  }
}

// ---- consumers: the mix and the second pass -------------------------------------------------------------------------

/// Fetches the pieces of the mixing matrices in the order of their use; one thread of the block runs it.
template <class Tile>
struct PieceFetcher {
  int index, stage, end, chunk, mode, wide, count;  // the next piece; count: pieces so far

  __device__ PieceFetcher(const StreamedPlan& f) : index(blockIdx.x / f.cluster), count(0) { start_item(f); }
  __device__ void start_item(const StreamedPlan& f) {
    if (index >= item_count(f)) return;
    const Item item = item_of(f, index, 0);
    stage = f.stage_begin[item.plane], end = f.stage_begin[item.plane + 1], wide = item.wide, chunk = mode = 0;
  }
  /// Waits until the slot of the next piece is free in all blocks of the cluster.
  __device__ void fetch(const StreamedPlan& f, const char* packed, const Shared<Tile>& shared, int rank) {
    if (index >= item_count(f)) return;
    const int slot = count % Tile::slots, part = Tile::piece_bytes / f.cluster;
    if (count >= Tile::slots) wait(shared.piece_empty(slot), (count / Tile::slots + 1) % 2);
    arrive_expecting(shared.piece_full(slot), Tile::piece_bytes);
    const int64_t piece =
        ((int64_t(f.stages[stage].mixing) * f.wides + wide) * f.chunks + chunk) * f.first.modes + mode;
    copy_bulk(shared.piece(slot) + rank * part, packed + piece * Tile::piece_bytes + rank * part, part,
              shared.piece_full(slot), (1u << f.cluster) - 1);
    ++count;
    if (++mode < f.first.modes) return;
    mode = 0;
    if (++chunk < f.chunks) return;
    chunk = 0;
    if (++stage < end) return;
    index += f.clusters;
    start_item(f);
  }
};

/// d += second factors * sums of one column. `factors` are those of this warp's first mode and this lane.
template <class Tile, int column>
__device__ inline void column_pass(float (&d)[Tile::line_tiles][4],
                                   const float (&acc)[Tile::row_tiles][Tile::width / 2], const float4* factors,
                                   int modes) {
  constexpr int tiles = Tile::line_tiles, shift = column * Tile::pitch % 8, first = column * Tile::pitch / 8,
                steps = (shift + Tile::pitch + 7) / 8;
#  pragma unroll
  for (int i = 0; i < Tile::row_tiles; ++i) {
    if (i >= modes) break;  // padding
    float4 pair;
    const float4* from = factors + i * Tile::mode_fragments + shift / Tile::shift_step * (Tile::steps * tiles * 16);
#  pragma unroll
    for (int k = 0; k < steps; ++k) {
      const float* sum = &acc[i][(first + k) * 4];
      const uint32_t a[4] = {round_tf32(sum[0]), round_tf32(sum[2]), round_tf32(sum[1]), round_tf32(sum[3])};
#  pragma unroll
      for (int j = 0; j < tiles; ++j) {
        if ((k * tiles + j) % 2 == 0) pair = from[(k * tiles + j) / 2 * 32];
        if ((k * tiles + j) % 2 == 0)
          mma_tf32(d[j], a, float_to_bits(pair.x), float_to_bits(pair.y));
        else
          mma_tf32(d[j], a, float_to_bits(pair.z), float_to_bits(pair.w));
      }
    }
  }
}

template <class Tile, int column = 0>
__device__ inline void add_columns(float (&d)[Tile::columns][Tile::line_tiles][4],
                                   const float (&acc)[Tile::row_tiles][Tile::width / 2], const float4* factors,
                                   int modes) {
  column_pass<Tile, column>(d[column], acc, factors, modes);
  if constexpr (column + 1 < Tile::columns) add_columns<Tile, column + 1>(d, acc, factors, modes);
}

/// Results of a round of columns in shared memory: [partial][column of the round][q][channel]; channels are XORed so
/// that the lanes of a warp store to different banks.
template <class Tile>
__device__ inline float* result_at(char* scratch, int partial, int column, int q, int q_size, int channel) {
  return reinterpret_cast<float*>(scratch) + ((partial * Tile::round + column) * q_size + q) * Tile::wide +
         (channel ^ q / 2 % 4 * 8);
}

template <class Tile>
__device__ inline void store_column(char* scratch, int column, int q_size, const float (&d)[Tile::line_tiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, partial = warp / Tile::blocks,
            channel = warp % Tile::blocks * 16 + lane / 4;
#  pragma unroll
  for (int j = 0; j < Tile::line_tiles; ++j)
#  pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int q = j * 8 + lane % 4 * 2 + r % 2;
      if (q < q_size) *result_at<Tile>(scratch, partial, column, q, q_size, channel + r / 2 * 8) = d[j][r];
    }
}

/// Adds the partial results of a round and writes them to the target.
template <class Tile>
__device__ inline void write_round(const StreamedPlan& f, const Item& item, char* scratch, int begin, int end,
                                   float* target) {
  constexpr int pieces = Tile::wide / 4;
  const int q_size = f.second.tile, channels = f.target_channels;
  const Span ps = f.first.targets_of(item.p_tile);
  if (!item.exists) return;
#  pragma unroll 1
  for (int column = begin; column < end; ++column) {
    const int image = column / f.first.tile, p = column - image * f.first.tile;
    if (image >= item.images || p >= ps.count) continue;
    const int64_t pixel = (int64_t(item.image0 + image) * f.target_planes + item.plane) * f.target_pixels +
                          int64_t(ps.begin + p) * f.p_step;
#  pragma unroll 2
    for (int i = threadIdx.x; i < q_size * pieces; i += Tile::consumer_threads) {
      const int q = i / pieces, channel = i % pieces * 4, to = item.wide * Tile::wide + channel;
      float4 sum = *reinterpret_cast<float4*>(result_at<Tile>(scratch, 0, column - begin, q, q_size, channel));
#  pragma unroll
      for (int k = 1; k < Tile::partials; ++k) {
        const float4 v = *reinterpret_cast<float4*>(result_at<Tile>(scratch, k, column - begin, q, q_size, channel));
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      if (to < channels) *reinterpret_cast<float4*>(target + (pixel + int64_t(q) * f.q_step) * channels + to) = sum;
    }
  }
}

/// Rounds of columns: second pass (or its sums so far) to shared memory, then to the target.
template <class Tile, bool each, int column = 0>
__device__ inline void write_columns(const StreamedPlan& f, const Item& item,
                                     float (&sums)[each ? Tile::columns : 1][Tile::line_tiles][4],
                                     const float (&acc)[Tile::row_tiles][Tile::width / 2], const float4* factors,
                                     int modes, char* scratch, float* target) {
  if constexpr (each) {
    store_column<Tile>(scratch, column % Tile::round, f.second.tile, sums[column]);
  } else {
    float d[Tile::line_tiles][4] = {};
    column_pass<Tile, column>(d, acc, factors, modes);
    store_column<Tile>(scratch, column % Tile::round, f.second.tile, d);
  }
  constexpr bool last = column + 1 == Tile::columns;
  if constexpr (last || (column + 1) % Tile::round == 0) {
    sync_some<Tile::consumer_threads>();
    write_round<Tile>(f, item, scratch, column / Tile::round * Tile::round, column + 1, target);
    if constexpr (!last) sync_some<Tile::consumer_threads>();
  }
  if constexpr (!last) write_columns<Tile, each, column + 1>(f, item, sums, acc, factors, modes, scratch, target);
}

template <class Tile, bool each>
__device__ void consume(const StreamedPlan& f, const float4* second, const char* packed, float* target,
                        const Shared<Tile>& shared, int rank) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, items = item_count(f);
  const int mode = warp / Tile::blocks * Tile::row_tiles, modes = f.second.modes - mode;
  const uint32_t row_offset = threadIdx.x / 128 * Tile::row_tiles * 64 * 128;
  float acc[Tile::row_tiles][Tile::width / 2];
  PieceFetcher<Tile> fetcher(f);
  if (threadIdx.x == 0)
    for (int i = 0; i < Tile::slots; ++i) fetcher.fetch(f, packed, shared, rank);
  sync_warp();
  int turn = 0, slot = 0, phase = 0;
  int held = -1;  // the piece that products still read
  const auto release_piece = [&] {
    if (held < 0) return;
    if (lane < f.cluster) arrive_at(shared.piece_empty(held), lane);
    if (threadIdx.x == 0) fetcher.fetch(f, packed, shared, rank);
    sync_warp();
    held = -1;
  };
  const auto release_buffer = [&](int of) {
    if (lane == 0) arrive(shared.buffer_empty(of));
  };
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
    const int begin = f.stage_begin[item.plane], end = f.stage_begin[item.plane + 1];
    float sums[each ? Tile::columns : 1][Tile::line_tiles][4];
    if constexpr (each) {
#  pragma unroll
      for (int i = 0; i < Tile::columns * Tile::line_tiles * 4; ++i)
        sums[i / (Tile::line_tiles * 4)][i / 4 % Tile::line_tiles][i % 4] = 0;
    }
    // A run ends with the second pass: a stage if every stage has its own factors, else the whole tile.
    const int runs = each ? end - begin : 1, run_chunks = each ? f.chunks : f.chunks * (end - begin);
#  pragma unroll 1
    for (int run = 0; run < runs; ++run) {
#  pragma unroll 1
      for (int chunk = 0; chunk < run_chunks; ++chunk, ++turn) {
        wait(shared.buffer_full(turn), turn / 2 % 2);
        uint64_t right = operand_at(shared.buffer(turn));
#  pragma unroll 1
        for (int b = 0; b < f.first.modes; ++b, right += Tile::line_bytes / 16) {
          wait(shared.piece_full(slot), phase);
          const uint64_t left = operand_at(shared.piece(slot) + row_offset);
          const bool fresh = b == 0 && chunk == 0;
          begin_products();
#  pragma unroll
          for (int k = 0; k < 4; ++k)
#  pragma unroll
            for (int i = 0; i < Tile::row_tiles; ++i)
              multiply_rows(acc[i], left + k * 2 + i * (64 * 128 / 16), right + k * 2, k > 0 || !fresh);
          commit_products();
          wait_products<1>();
          release_piece();
          if (b == 0 && chunk > 0) release_buffer(turn + 1);
          held = slot;
          if (++slot == Tile::slots) slot = 0, phase ^= 1;
        }
      }
      wait_products<0>();
      release_piece();
      const bool last = run + 1 == runs;
      if (!last) release_buffer(turn + 1);
      const float4* factors =
          second + (int64_t(f.stages[begin + run].scale) * f.second.modes + mode) * Tile::mode_fragments + lane;
      if constexpr (each) add_columns<Tile>(sums, acc, factors, modes);
      if (!last) continue;
      // The last buffer of the tile serves the results before the producers get it back.
      write_columns<Tile, each>(f, item, sums, acc, factors, modes, shared.buffer(turn + 1), target);
      release_buffer(turn + 1);
    }
  }
}

#endif

template <class Tile, bool each>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_kernel(const __grid_constant__ StreamedPlan f, const float* source, const float4* first,
                    const float4* second, const char* packed, float* target) {
#ifdef SCDCF_HOPPER_CODE
  const Shared<Tile> shared;
  const int rank = cluster_rank();
  shared.init(f.cluster);
  sync_cluster();
  if (threadIdx.x < Tile::consumer_threads) {
    more_registers<Tile::consumer_registers>();
    consume<Tile, each>(f, second, packed, target, shared, rank);
  } else {
    fewer_registers<Tile::producer_registers>();
    produce<Tile>(f, source, first, shared, rank);
  }
  sync_cluster();  // nobody leaves while others may still send to it
#endif
}

/// Has static shared memory only where the code above exists.
__global__ void probe_kernel(int* out) {
#ifdef SCDCF_HOPPER_CODE
  __shared__ int mark[32];
  mark[threadIdx.x % 32] = int(threadIdx.x);
  sync_block();
  out[threadIdx.x] = mark[(threadIdx.x + 1) % 32];
#endif
}

}  // namespace

bool has_wgmma() { return built_for_hopper(probe_kernel); }

void run_streamed(const StreamedPlan& f, const float* source, const float4* first, const float4* second,
                  const void* packed, float* target, cudaStream_t stream) {
  visit_tile(f, [&](auto tile) {
    using Tile = decltype(tile);
    const auto start = [&](auto kernel) {
      launch_clusters(kernel, f.clusters * f.cluster, f.cluster, Tile::threads, Tile::shared_bytes, stream, f, source,
                      first, second, static_cast<const char*>(packed), target);
    };
    if (f.flush_each)
      start(streamed_kernel<Tile, true>);
    else
      start(streamed_kernel<Tile, false>);
  });
}

}  // namespace scdcf::ops::cuda
