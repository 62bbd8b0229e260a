// The streamed kernel's shared memory and its walk over the tiles.
#pragma once

#include "scdcf/ops/cuda/machine/hopper_products.cuh"
#include "scdcf/ops/cuda/machine/number_format.cuh"
#include "scdcf/ops/cuda/streamed/streamed.h"

#ifdef SCDCF_HOPPER_CODE
namespace scdcf::ops::cuda {

/// Shared memory: the ring of pieces, two buffers of the first pass, results, and barriers.
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
  __device__ float* results() const { return reinterpret_cast<float*>(memory + Tile::results_at); }
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

}  // namespace scdcf::ops::cuda
#endif
