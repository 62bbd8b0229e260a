// Backward of one strip of input rows, all scales: dV = column adjoint of grad_out once per scale, then per source the
// product for grad_mixing (with the row pass recomputed) and the transposed product and row adjoint for grad_in.

template <class T>
void column_adjoint(const PlanView<T>& plan, const ScaleView<T>& scale, int64_t y0, int64_t y1, const T* grad_out,
                    int64_t grad_first, T* dv, int64_t first_pixel, int64_t pixels) {
  const int64_t columns = plan.out_width, padded = plan.padded_out_channels;
  for (int64_t o = 0; o < padded; o += 2 * kLanes<T>) {
    const int64_t width = panel_width<T>(padded, o);
    apply_band<T>(scale.column_adjoint, y0, y1, {grad_out + o, grad_first, columns * padded, 0, padded},
                  {dv + o * pixels + first_pixel * width, columns * width, padded * pixels, width}, columns, width,
                  false);
  }
}

template <class T>
void row_adjoint(const PlanView<T>& plan, const ScaleView<T>& scale, int64_t rows, const T* du, int64_t first_pixel,
                 int64_t pixels, T* grad_in, bool accumulate) {
  const int64_t padded = plan.padded_channels;
  for (int64_t c = 0; c < padded; c += 2 * kLanes<T>) {
    const int64_t width = panel_width<T>(padded, c);
    apply_band<T>(scale.row_adjoint, 0, plan.in_width,
                  {du + c * pixels + first_pixel * width, 0, width, padded * pixels, plan.out_width * width},
                  {grad_in + c, padded, 0, plan.in_width * padded}, rows, width, accumulate);
  }
}

/// Where the strip of (image n, plane) lies: in the tensor itself when its channels fill whole vectors, else in a
/// padded copy in scratch.
template <class T>
struct StripMap {
  const PlanView<T>& plan;
  const TileTask& task;

  bool padded() const { return plan.channels != plan.padded_channels; }
  int64_t pixels() const { return (task.y1 - task.y0) * plan.in_width; }
  int64_t tensor(int64_t n, int64_t plane) const {
    return (((task.n0 + n) * plan.planes + plane) * plan.in_height + task.y0) * plan.in_width * plan.channels;
  }
  int64_t copy(int64_t n, int64_t plane) const { return (n * plan.planes + plane) * pixels() * plan.padded_channels; }
};

template <class T>
void backward_strip(const PlanView<T>& plan, const TileTask& task, const T* in, const T* packed, const T* grad_out,
                    T* grad_in, T* grad_mixing, T* scratch) {
  const StripMap<T> map{plan, task};
  const int64_t images = task.n1 - task.n0, rows = task.y1 - task.y0, columns = plan.out_width;
  const int64_t pixels = images * rows * columns, strip_size = map.pixels() * plan.padded_channels;
  T *u = scratch + plan.scratch.u, *v = scratch + plan.scratch.v;
  T* written = scratch + plan.scratch.flags;  // per plane: does grad_in hold something yet
  T *in_copy = scratch + plan.scratch.padded_in, *grad_copy = in_copy + images * plan.planes * strip_size;
  for (int64_t plane = 0; plane < plan.planes; ++plane) {
    written[plane] = T(0);
    for (int64_t n = 0; map.padded() && grad_mixing != nullptr && n < images; ++n) {
      copy_rows(in + map.tensor(n, plane), plan.channels, in_copy + map.copy(n, plane), plan.padded_channels,
                map.pixels(), plan.channels, plan.padded_channels);
    }
  }
  const auto grad_rows = [&](int64_t n, int64_t plane) {
    return map.padded() ? grad_copy + map.copy(n, plane) : grad_in + map.tensor(n, plane);
  };

  for (int64_t s = 0; s < plan.scale_count; ++s) {
    const ScaleView<T>& scale = plan.scales[s];
    if (scale.source_count == 0) continue;
    for (int64_t n = 0; n < images; ++n) {
      const int64_t first = scale.column_adjoint_first[task.y0];
      const int64_t height = max_of(scale.column_adjoint_last[task.y1 - 1] - first, 0);
      const T* grad =
          grad_out + (((task.n0 + n) * plan.scale_count + s) * plan.out_height + first) * columns * plan.out_channels;
      if (plan.out_channels != plan.padded_out_channels) {
        T* copy = scratch + plan.scratch.padded_out;
        copy_rows(grad, plan.out_channels, copy, plan.padded_out_channels, height * columns, plan.out_channels,
                  plan.padded_out_channels);
        grad = copy;
      }
      column_adjoint(plan, scale, task.y0, task.y1, grad, first, v, n * rows * columns, pixels);
    }
    for (int64_t j = 0; j < scale.source_count; ++j) {
      const Source& source = scale.sources[j];
      if (grad_mixing != nullptr) {
        for (int64_t n = 0; n < images; ++n) {
          const T* rows_in = map.padded() ? in_copy + map.copy(n, source.plane) : in + map.tensor(n, source.plane);
          row_pass(plan, scale, rows_in, 0, plan.padded_channels, plan.in_width * plan.padded_channels, rows, 0,
                   columns, u, n * rows * columns, pixels);
        }
        accumulate_gram(plan, u, v, grad_mixing + source.mixing * plan.modes * plan.channels * plan.padded_out_channels,
                        pixels);
      }
      if (grad_in != nullptr) {
        mix_blocks(plan.adjoint_mix, v, packed + source.mixing * plan.modes * plan.out_channels * plan.padded_channels,
                   u, pixels, false);
        for (int64_t n = 0; n < images; ++n) {
          row_adjoint(plan, scale, rows, u, n * rows * columns, pixels, grad_rows(n, source.plane),
                      written[source.plane] != T(0));
        }
        written[source.plane] = T(1);
      }
    }
  }
  for (int64_t plane = 0; grad_in != nullptr && plane < plan.planes; ++plane) {
    const int64_t channels = written[plane] != T(0) ? plan.channels : 0;  // a plane nobody reads has no gradient
    if (channels != 0 && !map.padded()) continue;
    for (int64_t n = 0; n < images; ++n) {
      copy_rows(grad_rows(n, plane), plan.padded_channels, grad_in + map.tensor(n, plane), plan.channels, map.pixels(),
                channels, plan.channels);
    }
  }
}

template <class T>
void backward(const PlanView<T>& plan, const T* in, const T* mixing, const T* grad_out, T* grad_in, T* grad_mixing,
              const Workspace<T>& workspace, const Runner& runner) {
  if (grad_in != nullptr) pack_adjoint(plan, mixing, workspace.packed_adjoint, runner);
  run_chunks(plan, grad_mixing, workspace, runner, [&](const TileTask& task, T* partial, T* scratch) {
    backward_strip(plan, task, in, workspace.packed_adjoint, grad_out, grad_in, partial, scratch);
  });
}
