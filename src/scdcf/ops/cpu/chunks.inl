// Sums over all pixels that are the same in every run: each chunk adds up its own tasks in order, then the chunks are
// added in order.

/// grad_mixing = sum of the chunks' partial sums.
template <class T>
void reduce_partials(const PlanView<T>& plan, const T* partials, T* grad_mixing, const Runner& runner) {
  const int64_t rows = plan.mixings * plan.modes * plan.channels, padded = plan.padded_out_channels;
  const int64_t parts = min_of(runner.workers, rows);
  run_workers(runner, parts, [&](int64_t part) {
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      T* target = grad_mixing + row * plan.out_channels;
      const T* source = partials + row * padded;
      for (int64_t o = 0; o < plan.out_channels; ++o) target[o] = source[o];
      for (int64_t chunk = 1; chunk < plan.chunks; ++chunk) {
        source += rows * padded;
        for (int64_t o = 0; o < plan.out_channels; ++o) target[o] += source[o];
      }
    }
  });
}

/// body(task, partial, scratch) for all tasks of all chunks, where `partial` is the chunk's share of grad_mixing, null
/// when that is not wanted.
template <class T, class Body>
void run_chunks(const PlanView<T>& plan, T* grad_mixing, const Workspace<T>& workspace, const Runner& runner,
                const Body& body) {
  const int64_t size = plan.mixings * plan.modes * plan.channels * plan.padded_out_channels;
  run_workers(runner, plan.chunks, [&](int64_t chunk) {
    T* partial = grad_mixing != nullptr ? workspace.partials + chunk * size : nullptr;
    for (int64_t i = 0; partial != nullptr && i < size; ++i) partial[i] = T(0);
    for (int64_t task = plan.chunk_begin[chunk]; task < plan.chunk_begin[chunk + 1]; ++task) {
      body(plan.tasks[task], partial, workspace.scratch + chunk * plan.scratch.total);
    }
  });
  if (grad_mixing != nullptr) reduce_partials(plan, workspace.partials, grad_mixing, runner);
}
