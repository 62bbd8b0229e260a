// The experiments that are sets of independent training runs in a results store.
#pragma once

#include "scdcf/tables/plan_options.h"

namespace scdcf::tables {

struct Experiment {
  std::string name, what;
  /// Throws Error where it cannot be done or where runs have failed. Returns early where options.stop says so.
  std::function<void(const PlanOptions&)> run;
};

/// smnist, sfashion, ablation, pooling, light, stl10, scale-generalisation, augmented, stir, large-scale, deformation,
/// cost.
std::vector<Experiment> experiments();

}  // namespace scdcf::tables
