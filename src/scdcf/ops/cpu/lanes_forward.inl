// Forward of one tile with vectors across images: a few columns at a time, whose maps before the column pass stay in
// the second-level cache; row pass and product go row by row, in the first.

/// U [mode][x][c] of `columns` output columns; `turned` is the first pixel they read.
template <class T>
void lanes_row_pass(const PlanView<T>& plan, const ScaleView<T>& scale, const T* turned, int64_t columns,
                    const LaneMaps<T>& u, int64_t first_pixel) {
  // Without a stride all columns are one long run of vectors.
  const int64_t runs = plan.stride == 1 ? 1 : columns, groups = columns / runs * plan.channels;
  for (int64_t run = 0; run < runs; ++run) {
    apply_band<T>(scale.strip_row, 0, 1, {turned + run * plan.stride * u.pixel(), 0, u.pixel(), 0, kLanes<T>},
                  {u.at(0, first_pixel + run), 0, u.pixels * u.pixel(), kLanes<T>}, groups, kLanes<T>, false);
  }
}

template <class T>
void lanes_forward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, T* out,
                        T* scratch) {
  const ScaleView<T>& scale = plan.scales[task.scale];
  const int64_t row_first = scale.column_first[task.y0];
  const int64_t rows = max_of(scale.column_last[task.y1 - 1] - row_first, 0), columns = task.x1 - task.x0;
  const LaneRows from = input_rows(plan, scale, task, task.x0, columns), to = output_rows(plan, task, task.x0, columns);
  const int64_t turned_row = whole_vectors<T>(from.numbers()) * kLanes<T>;
  const int64_t out_row = whole_vectors<T>(to.numbers()) * kLanes<T>;
  T *turned = scratch + plan.scratch.padded_in, *turned_out = scratch + plan.scratch.padded_out;
  T* stage = scratch + plan.scratch.stage;
  for (int64_t j = 0; j < scale.source_count; ++j) {
    for (int64_t y = 0; y < rows; ++y) {
      const int64_t row = (task.n0 * plan.planes + scale.sources[j].plane) * plan.in_height + row_first + y;
      gather_row(from, in + row * plan.in_width * plan.channels, turned + (j * rows + y) * turned_row, stage);
    }
  }
  for (int64_t x0 = 0; x0 < columns; x0 += plan.block_columns) {
    const int64_t count = min_of(plan.block_columns, columns - x0);
    const LaneMaps<T> u{scratch + plan.scratch.u, count, plan.channels};
    const LaneMaps<T> v{scratch + plan.scratch.v, rows * count, plan.out_channels};
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t j = 0; j < scale.source_count; ++j) {
        lanes_row_pass(plan, scale, turned + (j * rows + y) * turned_row + x0 * plan.stride * u.pixel(), count, u, 0);
        lane_mix<T>(plan.mix, packed + scale.sources[j].mixing * plan.modes * plan.channels * plan.out_channels,
                    {u.data, u.pixels, u.channels}, v, y * count, count, j > 0);
      }
    }
    apply_band<T>(scale.column_forward, task.y0, task.y1,
                  {v.data, row_first, count * v.pixel(), v.pixels * v.pixel(), kLanes<T>},
                  {turned_out + x0 * v.pixel(), out_row, 0, kLanes<T>}, count * plan.out_channels, kLanes<T>, false);
  }
  for (int64_t y = task.y0; y < task.y1; ++y) {
    T* row = turned_out + (y - task.y0) * out_row;
    for (int64_t i = 0; scale.source_count == 0 && i < out_row; ++i) row[i] = T(0);
    const int64_t target = (task.n0 * plan.scale_count + task.scale) * plan.out_height + y;
    store_row(to, row, out + target * plan.out_width * plan.out_channels, stage);
  }
}

template <class T>
void lanes_forward(const PlanView<T>& plan, const T* in, const T* mixing, T* out, const Workspace<T>& workspace,
                   const Runner& runner) {
  const int64_t size = plan.modes * plan.channels * plan.out_channels;
  run_tasks(runner, plan.mixings, [&](int64_t, int64_t m) {
    const T* source = mixing + m * size;
    pack_lanes(
        plan.mix, plan.channels,
        [&](int64_t k, int64_t c, int64_t o) { return source[(k * plan.channels + c) * plan.out_channels + o]; },
        workspace.packed + m * size);
  });
  run_tasks(runner, plan.task_count, [&](int64_t worker, int64_t task) {
    lanes_forward_tile(plan, plan.tasks[task], in, workspace.packed, out,
                       workspace.scratch + worker * plan.scratch.total);
  });
}
