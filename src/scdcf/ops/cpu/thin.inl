// Few input channels (lifting): row pass and column pass first, which gives K maps of the input, then the product,
// whose vectors run along the output's channels. In the passes vectors run across images (lanes.inl): U is [y][row
// mode][c][x][lane], Z is [y][k][c][x][lane], a few rows y at a time.

/// Calls body(lane, y0, y1, maps) with the K maps [y][k][c][x] of every lane of a tile of one source.
template <class T, class Body>
void for_thin_maps(const PlanView<T>& plan, const TileTask& task, const ScaleView<T>& scale, int64_t plane, const T* in,
                   T* scratch, const Body& body) {
  constexpr int64_t lanes = kLanes<T>;
  const int64_t row_first = scale.column_first[task.y0], columns = task.x1 - task.x0;
  const int64_t rows = max_of(scale.column_last[task.y1 - 1] - row_first, 0);
  const LaneRows from = input_rows(plan, scale, task, task.x0, columns);
  const int64_t map = columns * lanes, maps = plan.channels * map, u_row = plan.row_modes * maps;
  T *u = scratch + plan.scratch.u, *z = scratch + plan.scratch.v, *turned = scratch + plan.scratch.padded_in;
  T* stage = scratch + plan.scratch.stage;
  for (int64_t y = 0; y < rows; ++y) {
    const int64_t row = (task.n0 * plan.planes + plane) * plan.in_height + row_first + y;
    gather_row(from, in + row * plan.in_width * plan.channels, turned, stage);
    for (int64_t c = 0; c < plan.channels; ++c) {
      apply_band<T>(scale.strip_row, 0, 1,
                    {turned + c * lanes, 0, plan.channels * lanes, 0, plan.stride * plan.channels * lanes},
                    {u + y * u_row + c * map, 0, maps, lanes}, columns, lanes, false);
    }
  }
  for (int64_t y0 = task.y0; y0 < task.y1; y0 += plan.block_rows) {
    const int64_t y1 = min_of(y0 + plan.block_rows, task.y1);
    for (int64_t b = 0; b < plan.row_modes; ++b) {
      if (plan.adjoint_mix.pair_begin[b] == plan.adjoint_mix.pair_begin[b + 1]) continue;
      apply_band<T>(scale.thin_columns[b], y0, y1, {u + b * maps, row_first, u_row, 0, lanes},
                    {z, plan.modes * maps, maps, lanes}, plan.channels * columns, lanes, false);
    }
    const int64_t numbers = (y1 - y0) * plan.modes * plan.channels * columns;
    lanes_apart(z, numbers, stage);
    for (int64_t lane = 0; lane < from.used; ++lane) body(lane, y0, y1, stage + lane * whole_vectors<T>(numbers));
  }
}

template <class T>
void thin_forward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, T* out,
                       T* scratch) {
  const ScaleView<T>& scale = plan.scales[task.scale];
  const int64_t depth = plan.modes * plan.channels, padded = plan.padded_out_channels;
  const LaneRows to = output_rows(plan, task, task.x0, task.x1 - task.x0);
  const bool in_place = plan.out_channels == padded;
  const auto target_row = [&](const LaneRun& run, int64_t y) {
    const int64_t row = (task.n0 * plan.scale_count + task.scale) * plan.out_height + y;
    return out + row * plan.out_width * plan.out_channels + run.offset + run.column * plan.out_channels;
  };
  for (int64_t j = 0; j < scale.source_count; ++j) {
    const T* matrix = packed + scale.sources[j].mixing * depth * padded;
    const auto product = [&](int64_t lane, int64_t y0, int64_t y1, const T* z) {
      const LaneRun run = lane_run(to, lane);
      for (int64_t y = y0; y < y1; ++y) {
        T* target = target_row(run, y);
        if (2 * y1 - y0 <= task.y1) prefetch_row<1>(target_row(run, y + y1 - y0), run.end * plan.out_channels);
        T* sums = in_place ? target : scratch + plan.scratch.padded_out;
        if (!in_place && j > 0) {
          copy_rows(target, plan.out_channels, sums, padded, run.end, plan.out_channels, padded);
        }
        for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
          const int64_t width = panel_width<T>(padded, o);
          const OuterTile<T>* tiles = kTiles<T>.outer[width / kLanes<T> - 1];
          for_row_tiles(run.end, kMaxRows, [&](int64_t first, int64_t count) {
            tiles[count - 1](z + (y - y0) * depth * to.columns + first, to.columns, matrix + o * depth, width, depth,
                             sums + first * padded + o, padded, j > 0);
          });
        }
        if (!in_place) {
          copy_rows(sums, padded, target, plan.out_channels, run.end, plan.out_channels, plan.out_channels);
        }
      }
    };
    for_thin_maps(plan, task, scale, scale.sources[j].plane, in, scratch, product);
  }
  for (int64_t lane = 0; scale.source_count == 0 && lane < to.used; ++lane) {
    const LaneRun run = lane_run(to, lane);
    copy_rows<T>(nullptr, 0, target_row(run, task.y0), plan.out_width * plan.out_channels, task.y1 - task.y0, 0,
                 run.end * plan.out_channels);
  }
}

template <class T>
void thin_forward(const PlanView<T>& plan, const T* in, const T* mixing, T* out, const Workspace<T>& workspace,
                  const Runner& runner) {
  const int64_t depth = plan.modes * plan.channels, padded = plan.padded_out_channels;
  run_tasks(runner, plan.mixings, [&](int64_t, int64_t m) {
    for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
      const int64_t width = panel_width<T>(padded, o);
      copy_rows(mixing + m * depth * plan.out_channels + o, plan.out_channels,
                workspace.packed + m * depth * padded + o * depth, width, depth, min_of(width, plan.out_channels - o),
                width);
    }
  });
  run_tasks(runner, plan.task_count, [&](int64_t worker, int64_t task) {
    thin_forward_tile(plan, plan.tasks[task], in, workspace.packed, out,
                      workspace.scratch + worker * plan.scratch.total);
  });
}

/// grad_mixing needs no adjoint pass at all here: it is the product of the K maps with grad_out.
template <class T>
void thin_backward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* grad_out, T* grad_mixing,
                        T* scratch) {
  const int64_t depth = plan.modes * plan.channels, padded = plan.padded_out_channels;
  const int64_t out_row = plan.out_width * plan.out_channels;
  const LaneRows to = output_rows(plan, task, task.x0, task.x1 - task.x0);
  for (int64_t s = 0; s < plan.scale_count; ++s) {
    const ScaleView<T>& scale = plan.scales[s];
    for (int64_t j = 0; j < scale.source_count; ++j) {
      const auto product = [&](int64_t lane, int64_t y0, int64_t y1, const T* z) {
        const LaneRun run = lane_run(to, lane);
        const T* grad = grad_out + ((task.n0 * plan.scale_count + s) * plan.out_height + y0) * out_row + run.offset +
                        run.column * plan.out_channels;
        for (int64_t y = y1; y < min_of(2 * y1 - y0, task.y1); ++y) {
          prefetch_row<0>(grad + (y - y0) * out_row, run.end * plan.out_channels);
        }
        int64_t grad_row = out_row;
        if (plan.out_channels != padded) {
          T* copy = scratch + plan.scratch.padded_out;
          for (int64_t y = 0; y < y1 - y0; ++y) {
            copy_rows(grad + y * out_row, plan.out_channels, copy + y * run.end * padded, padded, run.end,
                      plan.out_channels, padded);
          }
          grad = copy;
          grad_row = run.end * padded;
        }
        for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
          const LineTile<T>* tiles = kTiles<T>.line[panel_width<T>(padded, o) / kLanes<T> - 1];
          for_row_tiles(depth, kMaxRows, [&](int64_t first, int64_t count) {
            tiles[count - 1](z + first * to.columns, to.columns, depth * to.columns, grad + o, padded, grad_row,
                             y1 - y0, run.end, grad_mixing + (scale.sources[j].mixing * depth + first) * padded + o,
                             padded);
          });
        }
      };
      for_thin_maps(plan, task, scale, scale.sources[j].plane, in, scratch, product);
    }
  }
}

template <class T>
void thin_backward(const PlanView<T>& plan, const T* in, const T* grad_out, T* grad_mixing,
                   const Workspace<T>& workspace, const Runner& runner) {
  run_chunks(plan, grad_mixing, workspace, runner, [&](const TileTask& task, T* partial, T* scratch) {
    thin_backward_tile(plan, task, in, grad_out, partial, scratch);
  });
}
