// Backward of one strip of input rows with vectors across images: the steps of backward.inl, a few rows at a time.

/// Gradient of the input, turned, of the rows whose maps are `du`: [row][x * C + c], rows turned_row apart.
template <class T>
void lanes_row_adjoint(const PlanView<T>& plan, const ScaleView<T>& scale, const LaneMaps<T>& du, int64_t columns,
                       T* turned, int64_t turned_row) {
  const int64_t rows = du.pixels / columns, row = columns * du.pixel(), mode = du.pixels * du.pixel();
  const int64_t window = (columns - 1) * plan.stride + 2 * scale.radius + 1;
  // Vectors that share the weights: all channels of a row or all rows of a channel, whichever are more.
  const bool by_row = plan.channels >= rows;
  for (int64_t i = 0; i < (by_row ? rows : plan.channels); ++i) {
    apply_band<T>(scale.strip_row_adjoint, 0, window,
                  {du.data + i * (by_row ? row : kLanes<T>), 0, du.pixel(), mode, by_row ? kLanes<T> : row},
                  {turned + i * (by_row ? turned_row : kLanes<T>), du.pixel(), 0, by_row ? kLanes<T> : turned_row},
                  by_row ? plan.channels : rows, kLanes<T>, false);
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
  const int64_t columns = plan.strip_width, in_row = plan.in_width * plan.channels;
  const LaneRows grad_rows = output_rows(plan, task, 0, columns);
  const int64_t grad_row = whole_vectors<T>(grad_rows.numbers()) * kLanes<T>;
  T *turned = scratch + plan.scratch.padded_in, *grad = scratch + plan.scratch.padded_out;
  T* stage = scratch + plan.scratch.stage;
  if (grad_in != nullptr) clear_planes(plan, task, grad_in);
  for (int64_t s = 0; s < plan.scale_count; ++s) {
    const ScaleView<T>& scale = plan.scales[s];
    if (scale.source_count == 0) continue;
    const LaneRows in_rows = input_rows(plan, scale, task, 0, columns);
    const int64_t turned_row = whole_vectors<T>(in_rows.numbers()) * kLanes<T>;
    const int64_t first = scale.column_adjoint_first[task.y0], last = scale.column_adjoint_last[task.y1 - 1];
    for (int64_t y = first; y < last; ++y) {
      const int64_t row = (task.n0 * plan.scale_count + s) * plan.out_height + y;
      gather_row(grad_rows, grad_out + row * plan.out_width * plan.out_channels, grad + (y - first) * grad_row, stage);
    }
    for (int64_t y0 = task.y0; y0 < task.y1; y0 += plan.block_rows) {
      const int64_t y1 = min_of(y0 + plan.block_rows, task.y1), pixels = (y1 - y0) * columns;
      const LaneMaps<T> u{scratch + plan.scratch.u, pixels, plan.channels};
      const LaneMaps<T> dv{scratch + plan.scratch.v, pixels, plan.out_channels};
      apply_band<T>(scale.column_adjoint, y0, y1, {grad, first, grad_row, 0, kLanes<T>},
                    {dv.data, columns * dv.pixel(), pixels * dv.pixel(), kLanes<T>}, columns * plan.out_channels,
                    kLanes<T>, false);
      for (int64_t j = 0; j < scale.source_count; ++j) {
        const Source& source = scale.sources[j];
        const int64_t rows = ((task.n0 * plan.planes + source.plane) * plan.in_height + y0) * in_row;
        for (int64_t y = 0; grad_mixing != nullptr && y < y1 - y0; ++y) {
          gather_row(in_rows, in + rows + y * in_row, turned, stage);
          lanes_row_pass(plan, scale, turned, columns, u, y * columns);
        }
        if (grad_mixing != nullptr) {
          lane_gram(plan.mix, u, dv, pixels,
                    grad_mixing + source.mixing * plan.modes * plan.channels * plan.padded_out_channels);
        }
        if (grad_in == nullptr) continue;
        lane_mix<T>(plan.adjoint_mix, packed + source.mixing * plan.modes * plan.out_channels * plan.channels,
                    {dv.data, dv.pixels, dv.channels}, u, 0, pixels, false);
        lanes_row_adjoint(plan, scale, u, columns, turned, turned_row);
        const bool accumulate = !writes_whole_rows(plan, task, scale, source);
        for (int64_t y = 0; y < y1 - y0; ++y) {
          add_row(in_rows, turned + y * turned_row, grad_in + rows + y * in_row, stage, accumulate);
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
