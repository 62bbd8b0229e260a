#include "scdcf/ops/cpu/kernel_plan.h"

#include <algorithm>
#include <numeric>

#include "scdcf/ops/cpu/form.h"
#include "scdcf/ops/cpu/tiling.h"

namespace scdcf::ops::cpu::detail {
namespace {

int64_t panel_width(int64_t padded, int64_t begin, int64_t lanes) { return std::min(2 * lanes, padded - begin); }

std::vector<int32_t> iota(int64_t count) {
  std::vector<int32_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

}  // namespace

template <class T>
Plan<T>::Plan(const SeparableProblem& problem, const T* factors, Kind kind, int64_t lanes, int threads)
    : kind_(kind), lanes_(lanes) {
  PlanView<T>& v = view_;
  v.batch = problem.batch;
  v.planes = problem.planes;
  v.channels = problem.in_channels;
  v.padded_channels = round_up(problem.in_channels, lanes);
  v.out_channels = problem.out_channels;
  v.padded_out_channels = round_up(problem.out_channels, lanes);
  v.in_height = problem.in_height;
  v.in_width = problem.in_width;
  v.out_height = problem.out_height;
  v.out_width = problem.out_width;
  v.stride = problem.stride;
  v.origin = problem.origin;
  v.replicate = problem.padding == PadMode::replicate;
  const LaneLayout layout = lane_layout(problem, lanes);
  v.group_images = layout.images;
  v.strips = layout.strips;
  v.strip_width = layout.strip_width;
  v.scale_count = static_cast<int64_t>(problem.scales.size());
  v.modes = static_cast<int64_t>(problem.modes.size());
  v.row_modes = problem.row_modes;
  v.column_modes = problem.column_modes;
  v.mixings = problem.mixings;

  build_mix(problem, mix_, false);
  build_mix(problem, adjoint_mix_, true);
  v.mix = mix_.view;
  v.adjoint_mix = adjoint_mix_.view;

  scales_.resize(problem.scales.size());
  scale_views_.resize(problem.scales.size());
  for (size_t s = 0; s < scales_.size(); ++s) {
    const ScaleEntry& entry = problem.scales[s];
    Scale& scale = scales_[s];
    build_scale(problem, factors, entry, scale);
    scale_views_[s] = {scale.row_forward.view(),
                       scale.row_adjoint.view(),
                       scale.column_forward.view(),
                       scale.column_adjoint.view(),
                       scale.column.first.data(),
                       scale.column.last.data(),
                       scale.column.adjoint_first.data(),
                       scale.column.adjoint_last.data(),
                       scale.row.first.data(),
                       scale.row.last.data(),
                       problem.sources.data() + entry.source_begin,
                       entry.source_end - entry.source_begin,
                       scale.thin_column_views.data(),
                       entry.radius,
                       scale.strip_row.view(),
                       scale.strip_row_adjoint.view()};
  }
  v.scales = scale_views_.data();

  if (kind == Kind::forward) tile_forward(problem, threads);
  if (kind == Kind::backward) tile_backward(problem, threads);
  if (kind == Kind::lanes_forward) tile_lanes_forward(problem, threads);
  if (kind == Kind::lanes_backward) tile_lanes_backward(problem, threads);
  if (kind == Kind::thin_forward || kind == Kind::thin_backward) tile_thin(problem, threads);
  v.tasks = tasks_.data();
  v.task_count = static_cast<int64_t>(tasks_.size());
  v.chunk_begin = chunk_begin_.data();
  v.chunks = static_cast<int64_t>(chunk_begin_.size()) - 1;
}

template <class T>
void Plan<T>::build_mix(const SeparableProblem& problem, Mix& mix, bool adjoint) {
  const PlanView<T>& v = view_;
  const int64_t modes = adjoint ? v.row_modes : v.column_modes, others = adjoint ? v.column_modes : v.row_modes;
  const int64_t in_channels = adjoint ? v.out_channels : v.channels;
  const int64_t in_padded = adjoint ? v.padded_out_channels : v.padded_channels;
  mix.segment_begin = {0};
  mix.depth_begin = {0};
  mix.pair_begin = {0};
  for (int64_t mode = 0; mode < modes; ++mode) {
    int64_t depth = mix.depth_begin.back();
    for (int64_t other = 0; other < others; ++other) {
      for (size_t k = 0; k < problem.modes.size(); ++k) {
        const ModePair& pair = problem.modes[k];
        if ((adjoint ? pair.row : pair.column) != mode || (adjoint ? pair.column : pair.row) != other) continue;
        mix.pair_mode.push_back(static_cast<int32_t>(other));
        mix.pair_index.push_back(static_cast<int32_t>(k));
        for (int64_t c = 0; c < in_channels; c += 2 * lanes_) {
          mix.segments.push_back({other * in_padded + c, static_cast<int32_t>(panel_width(in_padded, c, lanes_)),
                                  static_cast<int32_t>(std::min(2 * lanes_, in_channels - c))});
        }
        depth += in_channels;
      }
    }
    mix.depth_begin.push_back(depth);
    mix.pair_begin.push_back(static_cast<int32_t>(mix.pair_mode.size()));
    mix.segment_begin.push_back(static_cast<int32_t>(mix.segments.size()));
  }
  mix.view = {modes,
              adjoint ? v.channels : v.out_channels,
              adjoint ? v.padded_channels : v.padded_out_channels,
              mix.segment_begin.data(),
              mix.segments.data(),
              mix.depth_begin.data(),
              mix.pair_begin.data(),
              mix.pair_mode.data(),
              mix.pair_index.data()};
}

template <class T>
void Plan<T>::build_scale(const SeparableProblem& problem, const T* factors, const ScaleEntry& entry, Scale& scale) {
  scale.row = make_stencil(problem, problem.in_width, problem.out_width, entry.radius, factors + entry.row_offset,
                           problem.row_modes);
  scale.column = make_stencil(problem, problem.in_height, problem.out_height, entry.radius,
                              factors + entry.column_offset, problem.column_modes);
  const std::vector<int32_t> row_modes = iota(problem.row_modes), column_modes = iota(problem.column_modes);
  if (kind_ == Kind::forward) {
    scale.row_forward = expanding_band<T>(scale.row, false, row_modes, row_modes);
    scale.column_forward = contracting_band<T>(scale.column, false);
  } else if (kind_ == Kind::backward) {
    scale.row_forward = expanding_band<T>(scale.row, false, row_modes, row_modes);
    scale.column_adjoint = expanding_band<T>(scale.column, true, column_modes, column_modes);
    scale.row_adjoint = contracting_band<T>(scale.row, true);
  } else {
    build_strip(problem, factors, entry, scale);
    scale.column_forward = contracting_band<T>(scale.column, false);
    scale.column_adjoint = expanding_band<T>(scale.column, true, column_modes, column_modes);
    for (int64_t b = 0; b < problem.row_modes; ++b) {
      std::vector<int32_t> modes, slots;
      for (int32_t i = adjoint_mix_.pair_begin[b]; i < adjoint_mix_.pair_begin[b + 1]; ++i) {
        modes.push_back(adjoint_mix_.pair_mode[i]);
        slots.push_back(adjoint_mix_.pair_index[i]);
      }
      scale.thin_columns.push_back(expanding_band<T>(scale.column, false, modes, slots));
    }
    for (const Band<T>& band : scale.thin_columns) scale.thin_column_views.push_back(band.view());
  }
}

/// The strip's margins are there, so every column has all its taps, and the same ones.
template <class T>
void Plan<T>::build_strip(const SeparableProblem& problem, const T* factors, const ScaleEntry& entry, Scale& scale) {
  SeparableProblem strip;
  strip.stride = problem.stride;
  strip.origin = entry.radius;
  strip.padding = PadMode::none;
  const int64_t columns = view_.strip_width, window = (columns - 1) * problem.stride + 2 * entry.radius + 1;
  const auto stencil = [&](int64_t inputs, int64_t outputs) {
    return make_stencil(strip, inputs, outputs, entry.radius, factors + entry.row_offset, problem.row_modes);
  };
  const std::vector<int32_t> row_modes = iota(problem.row_modes);
  scale.strip_row = expanding_band<T>(stencil(2 * entry.radius + 1, 1), false, row_modes, row_modes);
  scale.strip_row_adjoint = contracting_band<T>(stencil(window, columns), true);
}

template class Plan<float>;
template class Plan<double>;

}  // namespace scdcf::ops::cpu::detail
