#include "scdcf/ops/cuda/streamed.h"

#include "scdcf/ops/cuda/hopper_products.cuh"
#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {
namespace {

#ifdef SCDCF_HOPPER_CODE

/// Shared memory: the ring of pieces, two buffers of the first pass, and their barriers.
template <class Tile>
struct Shared {
  char* memory = shared_memory();
  Barrier* barriers = reinterpret_cast<Barrier*>(memory + Tile::barriers_at);

  __device__ char* piece(int slot) const { return memory + slot * Tile::piece_bytes; }
  __device__ char* buffer(int turn) const { return memory + Tile::buffers_at + turn % 2 * Tile::buffer_bytes; }
  __device__ Barrier* buffer_full(int turn) const { return barriers + turn % 2; }
  __device__ Barrier* buffer_empty(int turn) const { return barriers + 2 + turn % 2; }
  __device__ Barrier* factors_full() const { return barriers + 4; }
  __device__ Barrier* factors_empty() const { return barriers + 5; }
  __device__ Barrier* piece_full(int slot) const { return barriers + 6 + slot; }
  __device__ Barrier* piece_empty(int slot) const { return barriers + 6 + Tile::slots + slot; }
  __device__ char* factors() const { return memory + Tile::factors_at; }
  __device__ char* scratch() const { return memory + Tile::barriers_at + (6 + 2 * Tile::slots) * 8; }

  __device__ void init(int cluster) const {
    for (int i = threadIdx.x; i < 2 * Tile::buffer_bytes / 16;
         i += Tile::threads)  // what nobody writes must be numbers
      reinterpret_cast<uint4*>(buffer(0))[i] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
      for (int i = 0; i < 2; ++i) {
        init_barrier(buffer_full(i), Tile::producer_warps);
        init_barrier(buffer_empty(i), Tile::consumers * 4);
      }
      init_barrier(factors_full(), 1);
      init_barrier(factors_empty(), Tile::consumer_threads);
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

/// Stores eight neighbouring channels of pixel n (modulo 8): the two 16-byte pieces in the order that meets no bank
/// conflict.
__device__ inline void store_pixel(char* row, int n, int g, int t, const float (&d)[4][4], int r) {
  const float4 low = make_float4(operand<false>(d[0][r]), operand<false>(d[1][r]), operand<false>(d[2][r]),
                                 operand<false>(d[3][r])),
               high = make_float4(operand<false>(d[0][r + 1]), operand<false>(d[1][r + 1]), operand<false>(d[2][r + 1]),
                                  operand<false>(d[3][r + 1]));
  const bool swap = (g ^ n) & 1;
  const int first = (2 * t + swap) ^ (n & 7);
  *reinterpret_cast<float4*>(row + first * 16) = swap ? high : low;
  *reinterpret_cast<float4*>(row + (first ^ 1) * 16) = swap ? low : high;
}

template <class Tile>
__device__ void produce(const StreamedPlan& f, const float* source, const float4* factors, const Shared<Tile>& shared,
                        int rank) {
  constexpr int depth = Tile::depth, bank_tiles = Tile::bank_tiles;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32 - Tile::consumers * 4;
  const int items = item_count(f);
  // Where this lane's rows (first mode, p) go: bytes, and in the low bits the row's place in its eight rows; or -1.
  int row_at[bank_tiles * 2];
#  pragma unroll
  for (int i = 0; i < bank_tiles * 2; ++i) {
    const int row = i * 8 + g, mode = row / f.first.tile, pixel = (row - mode * f.first.tile) * Tile::pitch;
    row_at[i] = mode < f.first.modes ? mode * Tile::line_bytes + pixel * 128 + pixel % 8 : -1;
  }
  const int channels = f.source_channels, image_step = f.source_planes * f.source_pixels * channels,
            line_step = f.v_step * channels;
  int turn = 0;
#  pragma unroll 1
  for (int index = blockIdx.x / f.cluster; index < items; index += f.clusters) {
    const Item item = item_of(f, index, rank);
#  pragma unroll 1
    for (int s = f.stage_begin[item.plane]; s < f.stage_begin[item.plane + 1]; ++s) {
      const Stage stage = f.stages[s];
      const int radius = f.radius[stage.scale];
      const Span us = f.first.reach(radius, item.p_tile), vs = f.second.reach(radius, 0);
      const int steps = (us.count + 7) / 8;
      const float4* factor = factors + f.first.at(stage.scale, item.p_tile, 0) + lane;
      int position[depth][2];  // beyond the line: its last one, whose factor is zero there
#  pragma unroll
      for (int k = 0; k < depth * 2; ++k) position[k / 2][k % 2] = min(k * 4 + t, us.count - 1) * f.u_step * channels;
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
        const int channel = chunk * 32 + g * 4;  // lanes beyond the channels read the first ones: the mix ignores them
        const float* lines =
            source + (channel < channels ? channel : 0) +
            (int64_t(item.image0) * f.source_planes + stage.source_plane) * f.source_pixels * channels +
            (int64_t(us.begin) * f.u_step + int64_t(vs.begin) * f.v_step) * channels;
        float4 x[depth][2];  // a line; each step is fetched anew as soon as it has been used
        const auto fetch = [&](const LineCursor& c, int k) {
          // Lines that are not there must be numbers, which nobody uses: the last one that is there will do.
          const int at = min(c.image, item.images - 1) * image_step + min(c.line, vs.count - 1) * line_step;
          x[k][0] = *reinterpret_cast<const float4*>(lines + (at + position[k][0]));
          x[k][1] = *reinterpret_cast<const float4*>(lines + (at + position[k][1]));
        };
        LineCursor next{0, 0};
        next.advance(warp, f.lines);
#  pragma unroll
        for (int k = 0; k < depth; ++k) fetch(next, k);
        wait(shared.buffer_empty(turn), (turn / 2 + 1) % 2);
        char* buffer = shared.buffer(turn);
#  pragma unroll 1
        while (next.image < f.images) {
          const LineCursor now = next;
          next.advance(Tile::producer_warps, f.lines);
          float d[bank_tiles][4][4];
#  pragma unroll
          for (int k = 0; k < depth; ++k) {
            const uint32_t low[4] = {round_tf32(x[k][0].x), round_tf32(x[k][0].y), round_tf32(x[k][0].z),
                                     round_tf32(x[k][0].w)},
                           high[4] = {round_tf32(x[k][1].x), round_tf32(x[k][1].y), round_tf32(x[k][1].z),
                                      round_tf32(x[k][1].w)};
            fetch(next, k);
            if (k == 0 || k < steps)
#  pragma unroll
              for (int i = 0; i < bank_tiles * 4; ++i) {
                if (k == 0)
                  product_tf32(d[i / 4][i % 4], w[i / 4][k], low[i % 4], high[i % 4]);
                else
                  mma_tf32(d[i / 4][i % 4], w[i / 4][k], low[i % 4], high[i % 4]);
              }
          }
          const int n = now.image * f.first.tile * Tile::pitch + now.line;
#  pragma unroll
          for (int i = 0; i < bank_tiles * 2; ++i)
            if (row_at[i] >= 0)
              store_pixel(buffer + (row_at[i] & ~127) + n * 128, n + (row_at[i] & 7), g, t, d[i / 2], i % 2 * 2);
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

  __device__ void init(const StreamedPlan& f) {
    index = blockIdx.x / f.cluster, count = 0;
    start_item(f);
  }
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

/// Results of a round of columns in shared memory: [partial][column of the round][q][channel]; channels are XORed so
/// that the lanes of a warp store to different banks.
template <class Tile>
__device__ inline float* result_at(char* scratch, int partial, int column, int q, int channel) {
  return reinterpret_cast<float*>(scratch) + ((partial * Tile::round + column) * Tile::pitch + q) * Tile::wide +
         (channel ^ q / 2 % 4 * 8);
}

template <class Tile>
__device__ inline void store_column(char* scratch, int column, int q_size, const float (&d)[Tile::line_tiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, q0 = lane % 4 * 2;
  const int partial = warp / Tile::blocks, channel = warp % Tile::blocks * 16 + lane / 4;
  float* low = result_at<Tile>(scratch, partial, column, q0, channel);
  float* high = result_at<Tile>(scratch, partial, column, q0, channel + 8);
#  pragma unroll
  for (int j = 0; j < Tile::line_tiles; ++j)
#  pragma unroll
    for (int r = 0; r < 2; ++r)
      if (q0 + j * 8 + r < q_size) {
        low[(j * 8 + r) * Tile::wide] = d[j][r];
        high[(j * 8 + r) * Tile::wide] = d[j][r + 2];
      }
}

/// Adds the partial results of a round and writes them to the target.
template <class Tile>
__device__ inline void write_round(const StreamedPlan& f, const Item& item, char* scratch, int begin, int end,
                                   float* target) {
  constexpr int pieces = Tile::wide / 4;
  const Span ps = f.first.targets_of(item.p_tile);
  if (!item.exists) return;
  target += (int64_t(item.image0) * f.target_planes + item.plane) * f.target_pixels * f.target_channels +
            int64_t(ps.begin) * f.p_step * f.target_channels + item.wide * Tile::wide;
  const int left = f.target_channels - item.wide * Tile::wide;
#  pragma unroll 2
  for (int i = threadIdx.x; i < (end - begin) * Tile::pitch * pieces; i += Tile::consumer_threads) {
    const int row = i / pieces, q = row % Tile::pitch, column = row / Tile::pitch, channel = i % pieces * 4;
    int image = 0, p = begin + column;
    while (p >= f.first.tile) p -= f.first.tile, ++image;
    if (q >= f.second.tile || image >= item.images || p >= ps.count || channel >= left) continue;
    float4 sum = *reinterpret_cast<float4*>(result_at<Tile>(scratch, 0, column, q, channel));
#  pragma unroll
    for (int k = 1; k < Tile::partials; ++k) {
      const float4 v = *reinterpret_cast<float4*>(result_at<Tile>(scratch, k, column, q, channel));
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    const int pixel = image * f.target_planes * f.target_pixels + p * f.p_step + q * f.q_step;
    *reinterpret_cast<float4*>(target + pixel * f.target_channels + channel) = sum;
  }
}

/// The second pass of one block of channels. Columns which start at the same place of a step share the factors and are
/// visited together.
template <class Tile, bool each>
struct SecondPass {
  static constexpr int tiles = Tile::line_tiles, columns = Tile::columns;
  static constexpr bool paired = Tile::round == columns;  // else the columns of a round must not mix with others
  static constexpr int visits = paired && Tile::shifts < columns ? Tile::shifts : columns;
  using Sums = float[each ? columns : 2][tiles][4];
  using Products = float[Tile::row_tiles][Tile::width / 2];

  const float* factors;  // of this warp's first mode and of this lane

  /// The left operand: step k of a column's sums.
  template <int column, int k>
  __device__ static void left(uint32_t (&a)[4], const float (&acc)[Tile::width / 2]) {
    const float* sum = &acc[(column * Tile::pitch / 8 + k) * 4];
    a[0] = round_here(sum[0]), a[1] = round_here(sum[2]), a[2] = round_here(sum[1]), a[3] = round_here(sum[3]);
  }
  template <int visit, int mode, int k>
  __device__ void step(Sums& sums, const Products& acc) const {
    constexpr int column = visit, other = paired && column + Tile::shifts < columns ? column + Tile::shifts : -1;
    constexpr int shift = column * Tile::pitch % 8;
    uint32_t a[2][4];
    left<column, k>(a[0], acc[mode]);
    if constexpr (other >= 0) left<other, k>(a[1], acc[mode]);
#  pragma unroll
    for (int j = 0; j < tiles; ++j) {
      const float* at = factors + (mode * Tile::pitch + j * 8) * kFactorPitch + k * 8 - shift;
      float2 w;
      if constexpr (shift % 2 == 0)
        w = *reinterpret_cast<const float2*>(at);
      else
        w = make_float2(at[0], at[1]);
      mma_tf32(sums[each ? column : 0][j], a[0], float_to_bits(w.x), float_to_bits(w.y));
      if constexpr (other >= 0) mma_tf32(sums[each ? other : 1][j], a[1], float_to_bits(w.x), float_to_bits(w.y));
    }
    if constexpr ((k + 1) * 8 < shift + Tile::pitch) step<visit, mode, k + 1>(sums, acc);
  }
  /// sums += second pass of acc; store(column, sums) when a column is complete, write(begin, end) when a round is.
  template <int visit = 0, class Store, class Write>
  __device__ void run(Sums& sums, const Products& acc, const Store& store, const Write& write) const {
    constexpr int other = paired && visit + Tile::shifts < columns ? visit + Tile::shifts : -1;
    if constexpr (!each) {
#  pragma unroll
      for (int i = 0; i < 2 * tiles * 4; ++i) sums[i / (tiles * 4)][i / 4 % tiles][i % 4] = 0;
    }
    step<visit, 0, 0>(sums, acc);
    if constexpr (Tile::row_tiles == 2) step<visit, 1, 0>(sums, acc);
    store(visit, sums[each ? visit : 0]);
    if constexpr (other >= 0) store(other, sums[each ? other : 1]);
    if constexpr (visit + 1 == visits || (!paired && (visit + 1) % Tile::round == 0))
      write(visit / Tile::round * Tile::round, paired ? columns : visit + 1);
    if constexpr (visit + 1 < visits) run<visit + 1>(sums, acc, store, write);
  }
};

template <class Tile, bool each>
__device__ void consume(const StreamedPlan& f, const char* second, const char* packed, float* target,
                        const Shared<Tile>& shared, int rank) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, items = item_count(f);
  const int mode = warp / Tile::blocks * Tile::row_tiles;
  const uint32_t row_offset = threadIdx.x / 128 * Tile::row_tiles * 64 * 128;
  float acc[Tile::row_tiles][Tile::width / 2];
  auto& fetcher = *reinterpret_cast<PieceFetcher<Tile>*>(shared.scratch());  // of thread 0; no registers of the others
  if (threadIdx.x == 0) {
    fetcher.init(f);
    for (int i = 0; i < Tile::slots; ++i) fetcher.fetch(f, packed, shared, rank);
  }
  sync_warp();
  int turn = 0, slot = 0, phase = 0;
  uint32_t runs_done = 0;
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
    typename SecondPass<Tile, each>::Sums sums;
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
          if (b == 0 && chunk == 0 && threadIdx.x == 0) {
            if (runs_done > 0) wait(shared.factors_empty(), (runs_done - 1) % 2);
            arrive_expecting(shared.factors_full(), Tile::factor_bytes);
            copy_bulk(shared.factors(), second + int64_t(f.stages[begin + run].scale) * Tile::factor_bytes,
                      Tile::factor_bytes, shared.factors_full(), 1u << rank);
          }
          held = slot;
          if (++slot == Tile::slots) slot = 0, phase ^= 1;
        }
      }
      wait_products<0>();
      release_piece();
      const bool last = run + 1 == runs;
      if (!last) release_buffer(turn + 1);
      // The last buffer of the tile serves the results before the producers get it back, once all have multiplied it.
      if (last) sync_some<Tile::consumer_threads>();
      char* scratch = shared.buffer(turn + 1);
      wait(shared.factors_full(), runs_done++ % 2);
      const SecondPass<Tile, each> second_pass{reinterpret_cast<const float*>(shared.factors()) +
                                               (mode * Tile::pitch + lane / 4) * kFactorPitch + 8 + lane % 4 * 2};
      const auto store = [&](int column, const float(&d)[Tile::line_tiles][4]) {
        store_column<Tile>(scratch, column % Tile::round, f.second.tile, d);
      };
      const auto write = [&](int from, int to) {
        sync_some<Tile::consumer_threads>();
        write_round<Tile>(f, item, scratch, from, to, target);
        if (to < Tile::columns) sync_some<Tile::consumer_threads>();
      };
      if constexpr (each) {
        second_pass.run(
            sums, acc, [](int, const float(&)[Tile::line_tiles][4]) {}, [](int, int) {});
        arrive(shared.factors_empty());
        if (!last) continue;
#  pragma unroll
        for (int column = 0; column < Tile::columns; ++column) {
          store(column, sums[column]);
          const int end = column + 1;
          if (end % Tile::round == 0 || end == Tile::columns) write(column / Tile::round * Tile::round, end);
        }
      } else {
        second_pass.run(sums, acc, store, write);
        arrive(shared.factors_empty());
      }
      sync_warp();
      release_buffer(turn + 1);
    }
  }
}

#endif

template <class Tile, bool each>
__global__ void __launch_bounds__(Tile::threads, 1)
    streamed_kernel(const __grid_constant__ StreamedPlan f, const float* source, const float4* first,
                    const char* second, const char* packed, float* target) {
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

void run_streamed(const StreamedPlan& f, const float* source, const float4* first, const void* second,
                  const void* packed, float* target, cudaStream_t stream) {
  visit_tile(f, [&](auto tile) {
    using Tile = decltype(tile);
    const auto start = [&](auto kernel) {
      launch_clusters(kernel, f.clusters * f.cluster, f.cluster, Tile::threads, Tile::shared_bytes, stream, f, source,
                      first, static_cast<const char*>(second), static_cast<const char*>(packed), target);
    };
    if (f.flush_each)
      start(streamed_kernel<Tile, true>);
    else
      start(streamed_kernel<Tile, false>);
  });
}

}  // namespace scdcf::ops::cuda
