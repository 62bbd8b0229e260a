// How a call with vectors across images is cut into tiles: what the passes read again and again stays in the
// second-level cache, and there are enough tiles to keep every thread busy.
#include <algorithm>

#include "scdcf/ops/cpu/kernel_plan.h"
#include "scdcf/ops/cpu/tiling.h"

namespace scdcf::ops::cpu::detail {
namespace {

constexpr int64_t kTurnedBytes = 640 * 1024;    // input and output of a tile, turned
constexpr int64_t kLaneTileBytes = 600 * 1024;  // the maps of the backward: long sums are worth a little more
constexpr int64_t kThinTileBytes = 256 * 1024;  // the row pass of a thin tile
constexpr int64_t kThinColumns = 28, kThinRows = 2;

}  // namespace

/// What every tile of this form takes, given the most rows it turns, its columns and the most numbers of a lane that
/// are turned at once between the passes.
template <class T>
void Plan<T>::take_lane_scratch(ScratchBuilder& scratch, int64_t in_rows, int64_t out_rows, int64_t columns,
                                int64_t numbers) {
  PlanView<T>& v = view_;
  int64_t window = 0;
  for (int64_t s = 0; s < v.scale_count; ++s) {
    window = std::max<int64_t>(window, (columns - 1) * v.stride + 2 * scale_views_[s].radius + 1);
  }
  const int64_t in_row = round_up(window * v.channels, lanes_), out_row = round_up(columns * v.out_channels, lanes_);
  v.scratch.padded_in = scratch.take((in_rows * in_row + lanes_) * lanes_);
  v.scratch.padded_out = scratch.take((out_rows * out_row + lanes_) * lanes_);
  v.scratch.stage = scratch.take(lanes_ * std::max({in_row, out_row, round_up(numbers, lanes_)}));
}

/// The most input rows that `rows` output rows of any scale read.
template <class T>
int64_t Plan<T>::most_input_rows(int64_t rows) const {
  int64_t most = 1;
  for (const Scale& scale : scales_) {
    for (int64_t y = 0; y < view_.out_height; y += rows) {
      const int64_t last = scale.column.last[std::min(y + rows, view_.out_height) - 1];
      most = std::max<int64_t>(most, last - scale.column.first[y]);
    }
  }
  return most;
}

/// All tiles of `rows` rows and `columns` columns of a group of images, for every scale (forward) or for all of them.
template <class T>
void Plan<T>::push_lane_tiles(bool scales_apart, int64_t height, int64_t rows, int64_t columns) {
  const PlanView<T>& v = view_;
  for (int64_t s = scales_apart ? v.scale_count - 1 : 0; s >= 0; --s) {  // the widest filters take longest: first
    for (int64_t n = 0; n < v.batch; n += v.group_images) {
      for (int64_t y = 0; y < height; y += rows) {
        for (int64_t x = 0; x < v.strip_width; x += columns) {
          tasks_.push_back({s, n, std::min(n + v.group_images, v.batch), y, std::min(y + rows, height), x,
                            std::min(x + columns, v.strip_width)});
        }
      }
    }
  }
}

/// Chunks of equal numbers of tasks, each done in order by one worker.
template <class T>
void Plan<T>::split_tasks(int threads) {
  const auto count = static_cast<int64_t>(tasks_.size());
  const int64_t chunks = std::min<int64_t>(std::max(threads, 1), count);
  for (int64_t c = 0; c <= chunks; ++c) chunk_begin_.push_back(count * c / chunks);
}

template <class T>
void Plan<T>::tile_lanes_forward(const SeparableProblem& problem, int threads) {
  PlanView<T>& v = view_;
  const int64_t number = static_cast<int64_t>(sizeof(T)) * lanes_;
  const int64_t pixel = number * v.column_modes * v.out_channels;
  int64_t halo = 0, sources = 1, rows = v.out_height;
  for (const ScaleEntry& entry : problem.scales) {
    halo = std::max<int64_t>(halo, 2 * entry.radius);
    sources = std::max<int64_t>(sources, entry.source_end - entry.source_begin);
  }
  if (most_input_rows(rows) * pixel > 2 * kTileBytes) {
    const int64_t fit = (kTileBytes / pixel - halo) / v.stride;
    rows = even_part(v.out_height, std::min(std::max({fit, halo / v.stride, int64_t{4}}), v.out_height));
  }
  const int64_t in_rows = most_input_rows(rows);
  const int64_t column = number * (sources * in_rows * v.stride * v.channels + rows * v.out_channels);
  int64_t columns = std::min(std::max<int64_t>(kTurnedBytes / column, 4), v.strip_width);
  const int64_t tiles = v.scale_count * ceil_div(v.batch, v.group_images) * ceil_div(v.out_height, rows);
  while (tiles * ceil_div(v.strip_width, columns) < kTasksPerThread * threads && columns > 2) {
    columns = ceil_div(columns, 2);
  }
  columns = even_part(v.strip_width, columns);
  v.block_columns = std::min(std::max<int64_t>(kTileBytes / (in_rows * pixel), 1), columns);
  push_lane_tiles(true, v.out_height, rows, columns);

  ScratchBuilder scratch(sizeof(T));
  v.scratch.u = scratch.take(v.block_columns * v.row_modes * v.channels * lanes_);
  v.scratch.v = scratch.take(in_rows * v.block_columns * pixel / static_cast<int64_t>(sizeof(T)));
  take_lane_scratch(scratch, sources * in_rows, rows, columns, 0);
  v.scratch.total = scratch.total();
}

template <class T>
void Plan<T>::tile_lanes_backward(const SeparableProblem&, int threads) {
  PlanView<T>& v = view_;
  const int64_t u_row = v.strip_width * v.row_modes * v.channels * lanes_;
  const int64_t v_row = v.strip_width * v.column_modes * v.out_channels * lanes_;
  v.block_rows = std::max<int64_t>(kLaneTileBytes / (static_cast<int64_t>(sizeof(T)) * (u_row + v_row)), 1);
  // The output's gradient is turned for every strip of rows: few strips, but enough for all threads.
  const int64_t groups = ceil_div(v.batch, v.group_images);
  int64_t strips = ceil_div(threads, groups);
  const int64_t turned = static_cast<int64_t>(sizeof(T)) * v.strip_width * v.out_channels * lanes_;
  strips = std::max(strips, ceil_div(v.out_height * turned, 2 * kTurnedBytes));
  const int64_t rows = ceil_div(v.in_height, std::min(strips, v.in_height));
  v.block_rows = even_part(rows, std::min(v.block_rows, rows));
  push_lane_tiles(false, v.in_height, rows, v.strip_width);
  split_tasks(threads);

  int64_t grad_rows = 1;
  for (const TileTask& task : tasks_) {
    for (const Scale& scale : scales_) {
      const int64_t last = scale.column.adjoint_last[task.y1 - 1];
      grad_rows = std::max<int64_t>(grad_rows, last - scale.column.adjoint_first[task.y0]);
    }
  }
  ScratchBuilder scratch(sizeof(T));
  v.scratch.u = scratch.take(v.block_rows * u_row);
  v.scratch.v = scratch.take(v.block_rows * v_row);
  take_lane_scratch(scratch, v.block_rows, grad_rows, v.strip_width, 0);
  v.scratch.total = scratch.total();
}

template <class T>
void Plan<T>::tile_thin(const SeparableProblem&, int threads) {
  PlanView<T>& v = view_;
  const bool forward = kind_ == Kind::thin_forward;
  const int64_t columns = even_part(v.strip_width, std::min(kThinColumns, v.strip_width));
  const int64_t map = columns * v.channels * lanes_;
  const int64_t row_bytes = static_cast<int64_t>(sizeof(T)) * map * v.row_modes;
  const int64_t tiles =
      (forward ? v.scale_count : 1) * ceil_div(v.batch, v.group_images) * ceil_div(v.strip_width, columns);
  int64_t rows = std::min(std::max<int64_t>(kThinTileBytes / row_bytes, 2 * kThinRows), v.out_height);
  const int64_t wanted = (forward ? kTasksPerThread : 1) * threads;
  while (tiles * ceil_div(v.out_height, rows) < wanted && rows > kThinRows) rows = ceil_div(rows, 2);
  rows = even_part(v.out_height, rows);
  v.block_rows = even_part(rows, std::min(kThinRows, rows));
  push_lane_tiles(forward, v.out_height, rows, columns);
  if (!forward) split_tasks(threads);

  ScratchBuilder scratch(sizeof(T));
  v.scratch.u = scratch.take(most_input_rows(rows) * v.row_modes * map);
  v.scratch.v = scratch.take(round_up(v.block_rows * v.modes * map, lanes_ * lanes_));
  take_lane_scratch(scratch, 1, 0, columns, v.block_rows * v.modes * v.channels * columns);
  if (v.out_channels != v.padded_out_channels) {
    v.scratch.padded_out = scratch.take(v.block_rows * columns * v.padded_out_channels);
  }
  v.scratch.total = scratch.total();
}

template void Plan<float>::tile_lanes_forward(const SeparableProblem&, int);
template void Plan<double>::tile_lanes_forward(const SeparableProblem&, int);
template void Plan<float>::tile_lanes_backward(const SeparableProblem&, int);
template void Plan<double>::tile_lanes_backward(const SeparableProblem&, int);
template void Plan<float>::tile_thin(const SeparableProblem&, int);
template void Plan<double>::tile_thin(const SeparableProblem&, int);

}  // namespace scdcf::ops::cpu::detail
