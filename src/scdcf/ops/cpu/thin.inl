// Few input channels (lifting): row pass and column pass first, which gives K maps of the input, then the product.
// Vectors run along x: U is [row mode][c][y][image][x], Z is [k][c][y][image][x], x padded to whole vectors.

/// The K maps of a tile of one source, left in scratch.
template <class T>
void thin_maps(const PlanView<T>& plan, const TileTask& task, const ScaleView<T>& scale, int64_t plane, const T* in,
               T* scratch) {
  const int64_t row_first = scale.column_first[task.y0];
  const int64_t rows = max_of(scale.column_last[task.y1 - 1] - row_first, 0);
  const int64_t images = task.n1 - task.n0, lines = rows * images, width = plan.padded_width;
  const int64_t channels = plan.channels, map_size = (task.y1 - task.y0) * images * width;
  T *u = scratch + plan.scratch.u, *z = scratch + plan.scratch.v, *turned = scratch + plan.scratch.padded_in;
  // The input, turned to [c][x][y][image], so that the rows of a register tile are neighbours.
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t n = 0; n < images; ++n) {
      const T* row =
          in + (((task.n0 + n) * plan.planes + plane) * plan.in_height + row_first + y) * plan.in_width * channels;
      for (int64_t c = 0; c < channels; ++c) {
        T* target = turned + c * plan.in_width * lines + y * images + n;
        for (int64_t x = 0; x < plan.in_width; ++x) target[x * lines] = row[x * channels + c];
      }
    }
  }
  for (int64_t b = 0; b < plan.row_modes; ++b) {
    if (plan.adjoint_mix.pair_begin[b] == plan.adjoint_mix.pair_begin[b + 1]) continue;
    for (int64_t c = 0; c < channels; ++c) {
      T* maps = u + (b * channels + c) * lines * width;
      for (int64_t p = 0; p < ceil_div(width, 2 * kLanes<T>); ++p) {
        const ToeplitzPanel& panel = scale.toeplitz[p];
        const T* right = scale.toeplitz_coefficients + panel.coefficients + b * panel.length * panel.width;
        const T* left = turned + (c * plan.in_width + panel.first) * lines;
        const OuterTile<T>* tiles = kTiles<T>.outer[panel.width / kLanes<T> - 1];
        for_row_tiles(lines, [&](int64_t first, int64_t count) {
          tiles[count - 1](left + first, lines, right, panel.width, panel.length, maps + first * width + panel.begin,
                           width, false);
        });
      }
      const int64_t group = width % (2 * kLanes<T>) == 0 ? 2 * kLanes<T> : kLanes<T>;
      apply_band<T>(scale.thin_columns[b], task.y0, task.y1, {maps, row_first, images * width, 0, group},
                    {z + c * map_size, images * width, channels * map_size, group}, images * width / group, group,
                    false);
    }
  }
}

template <class T>
void thin_forward_tile(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, T* out,
                       T* scratch) {
  const ScaleView<T>& scale = plan.scales[task.scale];
  const int64_t images = task.n1 - task.n0, rows = task.y1 - task.y0, columns = plan.out_width;
  const int64_t map_size = rows * images * plan.padded_width, depth = plan.modes * plan.channels;
  const int64_t padded = plan.padded_out_channels;
  const bool in_place = plan.out_channels == padded;
  const T* z = scratch + plan.scratch.v;
  for (int64_t j = 0; j < scale.source_count; ++j) {
    thin_maps(plan, task, scale, scale.sources[j].plane, in, scratch);
    const T* matrix = packed + scale.sources[j].mixing * depth * padded;
    for (int64_t line = 0; line < rows * images; ++line) {
      const int64_t y = task.y0 + line / images, n = task.n0 + line % images;
      T* target = out + ((n * plan.scale_count + task.scale) * plan.out_height + y) * columns * plan.out_channels;
      T* sums = in_place ? target : scratch + plan.scratch.padded_out;
      if (!in_place && j > 0) {
        copy_rows(target, plan.out_channels, sums, padded, columns, plan.out_channels, padded);
      }
      for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
        const int64_t width = panel_width<T>(padded, o);
        const OuterTile<T>* tiles = kTiles<T>.outer[width / kLanes<T> - 1];
        for_row_tiles(columns, [&](int64_t first, int64_t count) {
          tiles[count - 1](z + line * plan.padded_width + first, map_size, matrix + o * depth, width, depth,
                           sums + first * padded + o, padded, j > 0);
        });
      }
      if (!in_place) {
        copy_rows(sums, padded, target, plan.out_channels, columns, plan.out_channels, plan.out_channels);
      }
    }
  }
  for (int64_t n = task.n0; scale.source_count == 0 && n < task.n1; ++n) {
    const int64_t row = columns * plan.out_channels;
    copy_rows<T>(nullptr, 0, out + ((n * plan.scale_count + task.scale) * plan.out_height + task.y0) * row, row, rows,
                 0, row);
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
  const int64_t images = task.n1 - task.n0, rows = task.y1 - task.y0, columns = plan.out_width;
  const int64_t map_size = rows * images * plan.padded_width, depth = plan.modes * plan.channels;
  const int64_t padded = plan.padded_out_channels;
  const T* z = scratch + plan.scratch.v;
  for (int64_t s = 0; s < plan.scale_count; ++s) {
    const ScaleView<T>& scale = plan.scales[s];
    for (int64_t j = 0; j < scale.source_count; ++j) {
      thin_maps(plan, task, scale, scale.sources[j].plane, in, scratch);
      for (int64_t n = 0; n < images; ++n) {
        const T* grad = grad_out + (((task.n0 + n) * plan.scale_count + s) * plan.out_height + task.y0) * columns *
                                       plan.out_channels;
        if (plan.out_channels != padded) {
          T* copy = scratch + plan.scratch.padded_out;
          copy_rows(grad, plan.out_channels, copy, padded, rows * columns, plan.out_channels, padded);
          grad = copy;
        }
        for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
          const LineTile<T>* tiles = kTiles<T>.line[panel_width<T>(padded, o) / kLanes<T> - 1];
          for_row_tiles(depth, [&](int64_t first, int64_t count) {
            tiles[count - 1](z + first * map_size + n * plan.padded_width, map_size, images * plan.padded_width,
                             grad + o, padded, columns * padded, rows, columns,
                             grad_mixing + (scale.sources[j].mixing * depth + first) * padded + o, padded);
          });
        }
      }
    }
  }
}

template <class T>
void thin_backward(const PlanView<T>& plan, const T* in, const T* grad_out, T* grad_mixing,
                   const Workspace<T>& workspace, const Runner& runner) {
  run_workers(runner, plan.chunks, [&](int64_t chunk) {
    T* partial = workspace.partials + chunk * plan.mixings * plan.modes * plan.channels * plan.padded_out_channels;
    clear_partial(plan, partial);
    for (int64_t task = plan.chunk_begin[chunk]; task < plan.chunk_begin[chunk + 1]; ++task) {
      thin_backward_tile(plan, plan.tasks[task], in, grad_out, partial, workspace.scratch + chunk * plan.scratch.total);
    }
  });
  reduce_partials(plan, workspace.partials, grad_mixing, runner);
}
