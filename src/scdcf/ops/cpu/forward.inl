// Forward of one tile: for each source row pass and product, then one column pass.

/// U = row pass of input rows starting at `in`, as blocks of a tile of `pixels` pixels from pixel `first_pixel` on.
template <class T>
void row_pass(const PlanView<T>& plan, const ScaleView<T>& scale, const T* in, int64_t in_first, int64_t in_stride,
              int64_t in_row, int64_t rows, int64_t x0, int64_t x1, T* u, int64_t first_pixel, int64_t pixels) {
  for (int64_t c = 0; c < plan.padded_channels; c += 2 * kLanes<T>) {
    const int64_t width = panel_width<T>(plan.padded_channels, c);
    apply_band<T>(scale.row_forward, x0, x1, {in + c, in_first, in_stride, 0, in_row},
                  {u + c * pixels + first_pixel * width, width, plan.padded_channels * pixels, (x1 - x0) * width}, rows,
                  width, false);
  }
}

template <class T>
void column_pass(const PlanView<T>& plan, const ScaleView<T>& scale, const TileTask& task, int64_t row_first,
                 const T* v, int64_t first_pixel, int64_t pixels, T* out, int64_t out_stride, int64_t out_row) {
  const int64_t columns = task.x1 - task.x0;
  for (int64_t o = 0; o < plan.padded_out_channels; o += 2 * kLanes<T>) {
    const int64_t width = panel_width<T>(plan.padded_out_channels, o);
    apply_band<T>(
        scale.column_forward, task.y0, task.y1,
        {v + o * pixels + first_pixel * width, row_first, columns * width, plan.padded_out_channels * pixels, width},
        {out + o, out_row, 0, out_stride}, columns, width, false);
  }
}

template <class T>
void forward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, T* out, T* scratch) {
  const ScaleView<T>& scale = plan.scales[task.scale];
  const int64_t row_first = scale.column_first[task.y0];
  const int64_t rows = max_of(scale.column_last[task.y1 - 1] - row_first, 0);
  const int64_t images = task.n1 - task.n0, columns = task.x1 - task.x0, pixels = images * rows * columns;
  const int64_t channels = plan.channels, padded = plan.padded_channels;
  T *u = scratch + plan.scratch.u, *v = scratch + plan.scratch.v;
  for (int64_t j = 0; j < scale.source_count; ++j) {
    for (int64_t n = 0; n < images; ++n) {
      const T* rows_in = in + (((task.n0 + n) * plan.planes + scale.sources[j].plane) * plan.in_height + row_first) *
                                  plan.in_width * channels;
      int64_t first = 0, width = plan.in_width;
      if (channels != padded) {  // whole vectors must be readable
        first = scale.row_first[task.x0];
        width = max_of(scale.row_last[task.x1 - 1] - first, 0);
        T* copy = scratch + plan.scratch.padded_in;
        for (int64_t y = 0; y < rows; ++y) {
          copy_rows(rows_in + (y * plan.in_width + first) * channels, channels, copy + y * width * padded, padded,
                    width, channels, padded);
        }
        rows_in = copy;
      }
      row_pass(plan, scale, rows_in, first, padded, width * padded, rows, task.x0, task.x1, u, n * rows * columns,
               pixels);
    }
    const T* right = packed + scale.sources[j].mixing * plan.modes * channels * plan.padded_out_channels;
    mix_blocks(plan.mix, u, right, v, pixels, j > 0);
  }
  for (int64_t n = 0; n < images; ++n) {
    T* target = out + ((((task.n0 + n) * plan.scale_count + task.scale) * plan.out_height + task.y0) * plan.out_width +
                       task.x0) *
                          plan.out_channels;
    const int64_t target_row = plan.out_width * plan.out_channels;
    if (scale.source_count == 0) {
      copy_rows<T>(nullptr, 0, target, target_row, task.y1 - task.y0, 0, columns * plan.out_channels);
    } else if (plan.out_channels == plan.padded_out_channels) {
      column_pass(plan, scale, task, row_first, v, n * rows * columns, pixels, target, plan.out_channels, target_row);
    } else {
      T* sums = scratch + plan.scratch.padded_out;
      column_pass(plan, scale, task, row_first, v, n * rows * columns, pixels, sums, plan.padded_out_channels,
                  columns * plan.padded_out_channels);
      for (int64_t y = 0; y < task.y1 - task.y0; ++y) {
        copy_rows(sums + y * columns * plan.padded_out_channels, plan.padded_out_channels, target + y * target_row,
                  plan.out_channels, columns, plan.out_channels, plan.out_channels);
      }
    }
  }
}

template <class T>
void forward(const PlanView<T>& plan, const T* in, const T* mixing, T* out, const Workspace<T>& workspace,
             const Runner& runner) {
  pack_forward(plan, mixing, workspace.packed, runner);
  run_tasks(runner, plan.task_count, [&](int64_t worker, int64_t task) {
    forward_tile(plan, plan.tasks[task], in, workspace.packed, out, workspace.scratch + worker * plan.scratch.total);
  });
}
