// Backward of one strip of input rows with vectors across images: the steps of backward.inl, a few rows at a time.

/// dV of rows [y0, y1), pixel by pixel [mode][o][lane].
template <class T>
void lanes_column_adjoint(const PlanView<T>& plan, const ScaleView<T>& scale, int64_t y0, int64_t y1, const T* grad,
                          int64_t grad_first, int64_t grad_row, T* dv) {
  constexpr int64_t group = kLanes<T>;
  const int64_t mode = plan.out_channels * group;
  for (int64_t y = y0; y < y1; ++y) {
    for (int64_t x = 0; x < plan.strip_width; ++x) {
      apply_band<T>(scale.column_adjoint, y, y + 1, {grad + x * mode, grad_first, grad_row, 0, group},
                    {dv, 0, mode, group}, plan.out_channels, group, false);
      dv += plan.column_modes * mode;
    }
  }
}

/// Whether a source is the first to add to its plane's gradient and reaches every column at once: it need not add.
template <class T>
bool writes_whole_rows(const PlanView<T>& plan, const TileTask& task, const ScaleView<T>& scale, const Source& source) {
  const LaneRows rows = input_rows(plan, scale, task, 0, plan.strip_width);
  if (plan.strips > 1 || rows.first > 0 || rows.first + rows.columns < rows.width) return false;
  for (int64_t s = 0; s < plan.scale_count; ++s) {
    for (int64_t j = 0; j < plan.scales[s].source_count; ++j) {
      const Source& other = plan.scales[s].sources[j];
      if (other.plane == source.plane) return &other == &source;
    }
  }
  return false;
}

/// The gradients of planes that no source writes whole start from zero.
template <class T>
void clear_planes(const PlanView<T>& plan, const TileTask& task, T* grad_in) {
  const int64_t row = plan.in_width * plan.channels;
  for (int64_t plane = 0; plane < plan.planes; ++plane) {
    bool whole = false;
    for (int64_t s = 0; s < plan.scale_count; ++s) {
      for (int64_t j = 0; j < plan.scales[s].source_count; ++j) {
        const Source& source = plan.scales[s].sources[j];
        whole = whole || (source.plane == plane && writes_whole_rows(plan, task, plan.scales[s], source));
      }
    }
    for (int64_t n = task.n0; !whole && n < task.n1; ++n) {
      T* rows = grad_in + ((n * plan.planes + plane) * plan.in_height + task.y0) * row;
      for (int64_t i = 0; i < (task.y1 - task.y0) * row; ++i) rows[i] = T(0);
    }
  }
}

template <class T>
void lanes_backward_strip(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed,
                          const T* grad_out, T* grad_in, T* grad_mixing, T* scratch) {
  constexpr int64_t group = kLanes<T>;
  const int64_t columns = plan.strip_width;
  const int64_t u_mode = plan.channels * group, u_pixel = plan.row_modes * u_mode;
  const int64_t v_pixel = plan.column_modes * plan.out_channels * group;
  const LaneRows grad_rows = output_rows(plan, task, 0, columns);
  const int64_t grad_row = whole_vectors<T>(grad_rows.numbers()) * group;
  T *u = scratch + plan.scratch.u, *v = scratch + plan.scratch.v, *stage = scratch + plan.scratch.stage;
  T *turned = scratch + plan.scratch.padded_in, *grad = scratch + plan.scratch.padded_out;
  const int64_t in_row = plan.in_width * plan.channels;
  if (grad_in != nullptr) clear_planes(plan, task, grad_in);
  for (int64_t s = 0; s < plan.scale_count; ++s) {
    const ScaleView<T>& scale = plan.scales[s];
    if (scale.source_count == 0) continue;
    const LaneRows in_rows = input_rows(plan, scale, task, 0, columns);
    const int64_t first = scale.column_adjoint_first[task.y0], last = scale.column_adjoint_last[task.y1 - 1];
    for (int64_t y = first; y < last; ++y) {
      gather_row(
          grad_rows,
          grad_out + ((task.n0 * plan.scale_count + s) * plan.out_height + y) * plan.out_width * plan.out_channels,
          grad + (y - first) * grad_row, stage);
    }
    for (int64_t y0 = task.y0; y0 < task.y1; y0 += plan.block_rows) {
      const int64_t y1 = min_of(y0 + plan.block_rows, task.y1), pixels = (y1 - y0) * columns;
      lanes_column_adjoint(plan, scale, y0, y1, grad, first, grad_row, v);
      for (int64_t j = 0; j < scale.source_count; ++j) {
        const Source& source = scale.sources[j];
        const int64_t rows = ((task.n0 * plan.planes + source.plane) * plan.in_height + y0) * in_row;
        if (grad_mixing != nullptr) {
          for (int64_t y = 0; y < y1 - y0; ++y) {
            gather_row(in_rows, in + rows + y * in_row, turned, stage);
            apply_band<T>(scale.strip_row, 0, columns, {turned, 0, u_mode, 0, group},
                          {u + y * columns * u_pixel, u_pixel, u_mode, group}, plan.channels, group, false);
          }
          lane_gram(plan, u, v, pixels,
                    grad_mixing + source.mixing * plan.modes * plan.channels * plan.padded_out_channels);
        }
        if (grad_in == nullptr) continue;
        const T* weights = packed + source.mixing * plan.modes * plan.out_channels * plan.channels;
        for (int64_t p = 0; p < pixels; ++p) {
          lane_mix(plan.adjoint_mix, plan.out_channels, weights, v + p * v_pixel, u + p * u_pixel, false);
        }
        for (int64_t y = 0; y < y1 - y0; ++y) {
          apply_band<T>(scale.strip_row_adjoint, 0, in_rows.columns,
                        {u + y * columns * u_pixel, 0, u_pixel, u_mode, group}, {turned, u_mode, 0, group},
                        plan.channels, group, false);
          add_row(in_rows, turned, grad_in + rows + y * in_row, stage, !writes_whole_rows(plan, task, scale, source));
        }
      }
    }
  }
}

template <class T>
void lanes_backward(const PlanView<T>& plan, const T* in, const T* mixing, const T* grad_out, T* grad_in,
                    T* grad_mixing, const Workspace<T>& workspace, const Runner& runner) {
  const int64_t size = plan.modes * plan.channels * plan.out_channels;
  run_tasks(runner, grad_in != nullptr ? plan.mixings : 0, [&](int64_t, int64_t m) {
    const T* source = mixing + m * size;
    pack_lanes(
        plan.adjoint_mix, plan.out_channels,
        [&](int64_t k, int64_t o, int64_t c) { return source[(k * plan.channels + c) * plan.out_channels + o]; },
        workspace.packed_adjoint + m * size);
  });
  run_chunks(plan, grad_mixing, workspace, runner, [&](const TileTask& task, T* partial, T* scratch) {
    lanes_backward_strip(plan, task, in, workspace.packed_adjoint, grad_out, grad_in, partial, scratch);
  });
}
