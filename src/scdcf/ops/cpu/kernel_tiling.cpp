// How a call is cut into tiles: large enough for the matrix products, small enough for the second-level cache, and
// enough of them to keep every thread busy when the batch is small.
#include <algorithm>

#include "scdcf/ops/cpu/kernel_plan.h"
#include "scdcf/ops/cpu/tiling.h"

namespace scdcf::ops::cpu::detail {

template <class T>
void Plan<T>::push_tiles(int64_t scale, int64_t images, int64_t rows, int64_t columns) {
  const PlanView<T>& v = view_;
  for (int64_t n = 0; n < v.batch; n += images) {
    for (int64_t y = 0; y < v.out_height; y += rows) {
      for (int64_t x = 0; x < v.out_width; x += columns) {
        tasks_.push_back({scale, n, std::min(n + images, v.batch), y, std::min(y + rows, v.out_height), x,
                          std::min(x + columns, v.out_width)});
      }
    }
  }
}

template <class T>
void Plan<T>::tile_forward(const SeparableProblem& problem, int threads) {
  PlanView<T>& v = view_;
  const int64_t pixel_bytes =
      static_cast<int64_t>(sizeof(T)) * (v.row_modes * v.padded_channels + v.column_modes * v.padded_out_channels);
  const int64_t target = std::min<int64_t>(std::max<int64_t>(kTileBytes / pixel_bytes, 64), 1024);
  const int64_t wanted = ceil_div(kTasksPerThread * threads, std::max<int64_t>(v.scale_count, 1));

  std::vector<int64_t> order(v.scale_count);
  for (int64_t s = 0; s < v.scale_count; ++s) order[s] = s;
  // Scales with more sources cost more: they go first, so that the last tasks to finish are short ones.
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return scale_views_[a].source_count > scale_views_[b].source_count; });
  int64_t pixels = 0, tile_out = 0, tile_in = 0;
  for (const int64_t s : order) {
    const Stencil& column = scales_[s].column;
    const int64_t in_rows = std::max<int64_t>(column.last[v.out_height - 1] - column.first[0], 1);
    int64_t images = 1, rows = v.out_height, columns = v.out_width;
    if (in_rows * columns <= target) {
      images = std::min(target / (in_rows * columns), v.batch);
    } else {
      // Cutting along x repeats no work: the row pass reads a few more pixels, the column pass stays within a column.
      columns = std::max(target / in_rows, std::min<int64_t>(4, v.out_width));
      if (in_rows * columns > 2 * target) {
        const int64_t halo = 2 * problem.scales[s].radius, fit = (target / columns - halo) / problem.stride;
        rows = std::min(std::max({fit, halo / problem.stride, int64_t{4}}), v.out_height);
      }
    }
    const auto count = [&] {
      return ceil_div(v.batch, images) * ceil_div(v.out_height, rows) * ceil_div(v.out_width, columns);
    };
    while (count() < wanted && (images > 1 || columns > 2)) {
      if (images > 1)
        images = ceil_div(images, 2);
      else
        columns = ceil_div(columns, 2);
    }
    images = even_part(v.batch, images);
    columns = even_part(v.out_width, columns);
    push_tiles(s, images, rows, columns);
    for (int64_t y = 0; y < v.out_height; y += rows) {
      const int64_t height = column.last[std::min(y + rows, v.out_height) - 1] - column.first[y];
      pixels = std::max(pixels, images * height * columns);
      tile_in = std::max(tile_in, height * v.in_width);
    }
    tile_out = std::max(tile_out, rows * columns);
  }
  ScratchBuilder scratch(sizeof(T));
  v.scratch.u = scratch.take(pixels * v.row_modes * v.padded_channels);
  v.scratch.v = scratch.take(pixels * v.column_modes * v.padded_out_channels);
  if (v.channels != v.padded_channels) v.scratch.padded_in = scratch.take(tile_in * v.padded_channels);
  if (v.out_channels != v.padded_out_channels) v.scratch.padded_out = scratch.take(tile_out * v.padded_out_channels);
  v.scratch.total = scratch.total();
}

/// Chunks of equal work, each done in order by one worker: the sums over chunks are then the same in every run.
template <class T>
void Plan<T>::split_chunks(int threads, int64_t images_per_task, const std::vector<int64_t>& row_cuts) {
  const int64_t strips = static_cast<int64_t>(row_cuts.size()) - 1, units = view_.batch * strips;
  const int64_t chunks = std::min<int64_t>(std::max(threads, 1), units);
  chunk_begin_ = {0};
  for (int64_t c = 0; c < chunks; ++c) {
    const int64_t begin = units * c / chunks, end = units * (c + 1) / chunks;
    const int64_t step = strips == 1 ? even_part(end - begin, images_per_task) : 1;
    for (int64_t unit = begin; unit < end; unit += step) {
      const int64_t n = unit / strips, strip = unit % strips;
      const int64_t n_end = strips == 1 ? std::min(unit + step, end) : n + 1;
      tasks_.push_back({0, n, n_end, row_cuts[strip], row_cuts[strip + 1], 0, view_.out_width});
    }
    chunk_begin_.push_back(static_cast<int64_t>(tasks_.size()));
  }
}

template <class T>
void Plan<T>::tile_backward(const SeparableProblem&, int threads) {
  PlanView<T>& v = view_;
  const int64_t pixel_bytes =
      static_cast<int64_t>(sizeof(T)) * (v.row_modes * v.padded_channels + v.column_modes * v.padded_out_channels);
  const int64_t target = std::min<int64_t>(std::max<int64_t>(kTileBytes / pixel_bytes, 64), 512);
  // All steps of the backward are local to an input row, so strips of rows repeat no work either.
  int64_t strips = ceil_div(v.in_height, std::min(std::max<int64_t>(target / v.out_width, 1), v.in_height));
  // Chunks are fixed beforehand: with few images, cut further until every thread gets about the same.
  const auto idle = [&] { return ceil_div(v.batch * strips, threads) * threads - v.batch * strips; };
  while (strips < v.in_height && 10 * idle() > v.batch * strips) ++strips;
  const int64_t images = strips > 1 ? 1 : std::max<int64_t>(target / (v.in_height * v.out_width), 1);
  std::vector<int64_t> cuts;
  for (int64_t i = 0; i <= strips; ++i) cuts.push_back(v.in_height * i / strips);
  split_chunks(threads, images, cuts);

  int64_t rows = 0;
  for (const TileTask& task : tasks_) rows = std::max(rows, (task.n1 - task.n0) * (task.y1 - task.y0));
  ScratchBuilder scratch(sizeof(T));
  v.scratch.u = scratch.take(rows * v.out_width * v.row_modes * v.padded_channels);
  v.scratch.v = scratch.take(rows * v.out_width * v.column_modes * v.padded_out_channels);
  if (v.channels != v.padded_channels) {
    v.scratch.padded_in = scratch.take(2 * v.planes * rows * v.in_width * v.padded_channels);
  }
  if (v.out_channels != v.padded_out_channels) {
    v.scratch.padded_out = scratch.take(v.out_height * v.out_width * v.padded_out_channels);
  }
  v.scratch.flags = scratch.take(v.planes);
  v.scratch.total = scratch.total();
}

template void Plan<float>::tile_forward(const SeparableProblem&, int);
template void Plan<double>::tile_forward(const SeparableProblem&, int);
template void Plan<float>::tile_backward(const SeparableProblem&, int);
template void Plan<double>::tile_backward(const SeparableProblem&, int);

}  // namespace scdcf::ops::cpu::detail
