// Forward of one tile with vectors across images: row pass and product pixel by pixel, then the column pass of a few
// columns, whose maps stay in the second-level cache.

template <class T>
void lanes_forward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, T* out,
                        T* scratch) {
  const ScaleView<T>& scale = plan.scales[task.scale];
  const int64_t row_first = scale.column_first[task.y0];
  const int64_t rows = max_of(scale.column_last[task.y1 - 1] - row_first, 0), columns = task.x1 - task.x0;
  const LaneRows from = input_rows(plan, scale, task, task.x0, columns), to = output_rows(plan, task, task.x0, columns);
  constexpr int64_t lanes = kLanes<T>;
  const int64_t pixel = plan.column_modes * plan.out_channels * lanes;
  const int64_t turned_row = whole_vectors<T>(from.numbers()) * lanes;
  const int64_t out_row = whole_vectors<T>(to.numbers()) * lanes;
  T *turned = scratch + plan.scratch.padded_in, *turned_out = scratch + plan.scratch.padded_out;
  T *u = scratch + plan.scratch.u, *v = scratch + plan.scratch.v, *stage = scratch + plan.scratch.stage;
  for (int64_t j = 0; j < scale.source_count; ++j) {
    for (int64_t y = 0; y < rows; ++y) {
      const int64_t row = ((task.n0 * plan.planes + scale.sources[j].plane) * plan.in_height + row_first + y) *
                          plan.in_width * plan.channels;
      gather_row(from, in + row, turned + (j * rows + y) * turned_row, stage);
    }
  }
  for (int64_t x0 = 0; x0 < columns; x0 += plan.block_columns) {
    const int64_t count = min_of(plan.block_columns, columns - x0);
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = x0; x < x0 + count; ++x) {
        for (int64_t j = 0; j < scale.source_count; ++j) {
          apply_band<T>(scale.strip_row, x, x + 1,
                        {turned + (j * rows + y) * turned_row, 0, plan.channels * lanes, 0, lanes},
                        {u, 0, plan.channels * lanes, lanes}, plan.channels, lanes, false);
          lane_mix(plan.mix, plan.channels,
                   packed + scale.sources[j].mixing * plan.modes * plan.channels * plan.out_channels, u,
                   v + (y * count + x - x0) * pixel, j > 0);
        }
      }
    }
    for (int64_t x = x0; x < x0 + count; ++x) {
      apply_band<T>(scale.column_forward, task.y0, task.y1,
                    {v + (x - x0) * pixel, row_first, count * pixel, plan.out_channels * lanes, lanes},
                    {turned_out + x * plan.out_channels * lanes, out_row, 0, lanes}, plan.out_channels, lanes, false);
    }
  }
  for (int64_t y = task.y0; y < task.y1; ++y) {
    T* row = turned_out + (y - task.y0) * out_row;
    for (int64_t i = 0; scale.source_count == 0 && i < out_row; ++i) row[i] = T(0);
    store_row(
        to, row,
        out + ((task.n0 * plan.scale_count + task.scale) * plan.out_height + y) * plan.out_width * plan.out_channels,
        stage);
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
