// How long the rest of a table takes, from the runs that are done.
#pragma once

#include <map>
#include <string>

#include "scdcf/experiments/planned_run.h"

namespace scdcf::experiments {

/// Seconds per unit of work (work_of), for each network apart where it was met, else over all.
class TimeLeft {
 public:
  void add(const train::RunConfig& config, double seconds);
  /// Negative where nothing is known yet.
  double seconds_for(const train::RunConfig& config) const;

 private:
  struct Speed {
    double seconds = 0, work = 0;
  };
  std::map<std::string, Speed> of_model_;
  Speed overall_;
};

}  // namespace scdcf::experiments
