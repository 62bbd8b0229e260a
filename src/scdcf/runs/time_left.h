// How long the rest of a queue takes, from the runs that are done.
#pragma once

#include <map>
#include <string>

#include "scdcf/runs/planned_run.h"

namespace scdcf::runs {

/// Seconds per unit of work (work_of), for each network apart where it was met, else over all; measurements of cost are
/// another kind of work than trainings.
class TimeLeft {
 public:
  void add(const PlannedRun& run, double seconds);
  /// Negative where nothing is known yet.
  double seconds_for(const PlannedRun& run) const;

 private:
  struct Speed {
    double seconds = 0, work = 0;
  };
  struct Kind {
    std::map<std::string, Speed> of_model;
    Speed overall;
  };
  Kind trainings_, costs_;
};

}  // namespace scdcf::runs
