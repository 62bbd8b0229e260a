// Makes planned runs by training.
#pragma once

#include "scdcf/runs/queue.h"
#include "scdcf/runs/splits_cache.h"

namespace scdcf::runs {

struct TrainRunnerOptions {
  std::filesystem::path checkpoints;  ///< a folder for the runs under way; empty: they begin anew after a stop
  std::function<bool()> stop;
};

/// A runner that trains, tests and measures. Runs that use the same data share it through `cache`, which must outlive
/// the runner.
Runner make_train_runner(SplitsCache& cache, TrainRunnerOptions options);

/// This build, and what `device` is: "NVIDIA H200", or the CPU with the number of threads in use.
Provenance provenance_of(const std::string& device);

}  // namespace scdcf::runs
