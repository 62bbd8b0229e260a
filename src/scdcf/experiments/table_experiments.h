// The experiments that are sets of independent training runs in a results store.
#pragma once

#include "scdcf/experiments/table_run_options.h"

namespace scdcf::experiments {

struct TableExperiment {
  std::string name, what;
  /// Throws Error where it cannot be done or where runs have failed. Returns early where options.stop says so.
  std::function<void(const TableRunOptions&)> run;
};

/// smnist, sfashion, ablation, stl10, scale-generalisation, deformation, cost.
std::vector<TableExperiment> table_experiments();

}  // namespace scdcf::experiments
