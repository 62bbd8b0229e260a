// Everything about a call that does not depend on the data: bands, the order of the matrix products, tiles and scratch
// sizes. Plan owns it; PlanView is what the kernels read (raw pointers only, see band_plan.h).
//
// Maps between the steps are kept in blocks: channels are padded to whole vectors and cut into panels of two vectors
// (the last may be one), and the block of (mode m, panel p) of a tile of P pixels is
//   [P][width_p]  at offset  (m * padded_channels + p * 2 * lanes) * P.
// So every operand of every matrix product is dense and its row length a compile-time constant.
#pragma once

#include <cstdint>
#include <vector>

#include "scdcf/ops/cpu/band_plan.h"
#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cpu::detail {

/// A run of the reduction dimension that lies in one block of the left operand.
struct Segment {
  int64_t block;  // offset of the block for P = 1
  int32_t width, length;
};

/// A matrix product between blocked maps: output mode m sums the segments [segment_begin[m], segment_begin[m+1]),
/// depth_begin counts their lengths, which is also where the packed right operand of mode m starts.
struct MixView {
  int64_t modes, channels, padded;  // of the output
  const int32_t* segment_begin;
  const Segment* segments;
  const int64_t* depth_begin;
  const int32_t* pair_begin;  // per output mode: the modes it pairs with, and k
  const int32_t* pair_mode;
  const int32_t* pair_index;
};

template <class T>
struct ScaleView {
  BandView<T> row_forward, row_adjoint, column_forward, column_adjoint;
  const int32_t *column_first, *column_last;                  // input rows of an output row
  const int32_t *column_adjoint_first, *column_adjoint_last;  // output rows of an input row
  const int32_t *row_first, *row_last;                        // input columns of an output column
  const Source* sources;
  int64_t source_count;
  const BandView<T>* thin_columns;  // per row mode: the column factors paired with it
  int64_t radius;
  BandView<T> strip_row;          // the row pass of any column of a strip whose margins are there, lanes.inl
  BandView<T> strip_row_adjoint;  // of its whole window
};

/// Output rows [y0, y1) (input rows in the backward, but not the thin one), columns [x0, x1) of the image or of every
/// strip of it, images [n0, n1).
struct TileTask {
  int64_t scale, n0, n1, y0, y1, x0, x1;
};

/// Offsets into one worker's scratch, in elements.
struct ScratchLayout {
  int64_t u = 0, v = 0, padded_in = 0, padded_out = 0, flags = 0, stage = 0, total = 0;
};

template <class T>
struct PlanView {
  int64_t batch, planes, channels, padded_channels, out_channels, padded_out_channels;
  int64_t in_height, in_width, out_height, out_width, stride, origin;
  bool replicate;
  int64_t scale_count, modes, row_modes, column_modes, mixings;
  const ScaleView<T>* scales;
  MixView mix, adjoint_mix;
  const TileTask* tasks;
  int64_t task_count;
  int64_t group_images, strips, strip_width;  // vectors across images, form.h
  int64_t block_columns, block_rows;          // done at a time there, forward and backward
  const int64_t* chunk_begin;  // backward: chunk c owns tasks [chunk_begin[c], chunk_begin[c+1]), always in this order
  int64_t chunks;
  ScratchLayout scratch;
};

/// The ways a plan is used: forward and backward of each form (form.h).
enum class Kind { forward, backward, lanes_forward, lanes_backward, thin_forward, thin_backward };

class ScratchBuilder;

template <class T>
class Plan {
 public:
  Plan(const SeparableProblem& problem, const T* factors, Kind kind, int64_t lanes, int threads);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  const PlanView<T>& view() const { return view_; }

 private:
  struct Scale {
    Stencil row, column;
    Band<T> row_forward, row_adjoint, column_forward, column_adjoint;
    std::vector<Band<T>> thin_columns;
    std::vector<BandView<T>> thin_column_views;
    Band<T> strip_row, strip_row_adjoint;
  };
  struct Mix {
    std::vector<int32_t> segment_begin, pair_begin, pair_mode, pair_index;
    std::vector<Segment> segments;
    std::vector<int64_t> depth_begin;
    MixView view;
  };

  void build_mix(const SeparableProblem& problem, Mix& mix, bool adjoint);
  void build_scale(const SeparableProblem& problem, const T* factors, const ScaleEntry& entry, Scale& scale);
  void build_strip(const SeparableProblem& problem, const T* factors, const ScaleEntry& entry, Scale& scale);
  void tile_forward(const SeparableProblem& problem, int threads);
  void tile_backward(const SeparableProblem& problem, int threads);
  void tile_lanes_forward(const SeparableProblem& problem, int threads);
  void tile_lanes_backward(const SeparableProblem& problem, int threads);
  void tile_thin(const SeparableProblem& problem, int threads);
  void take_lane_scratch(ScratchBuilder& scratch, int64_t in_rows, int64_t out_rows, int64_t columns, int64_t numbers);
  int64_t most_input_rows(int64_t rows) const;
  void push_lane_tiles(bool scales_apart, int64_t height, int64_t rows, int64_t columns);
  void split_tasks(int threads);
  void split_chunks(int threads, int64_t images_per_task, const std::vector<int64_t>& row_cuts);
  void push_tiles(int64_t scale, int64_t images, int64_t rows, int64_t columns);

  Kind kind_;
  int64_t lanes_;
  std::vector<Scale> scales_;
  std::vector<ScaleView<T>> scale_views_;
  Mix mix_, adjoint_mix_;
  std::vector<TileTask> tasks_;
  std::vector<int64_t> chunk_begin_;
  PlanView<T> view_{};
};

}  // namespace scdcf::ops::cpu::detail
