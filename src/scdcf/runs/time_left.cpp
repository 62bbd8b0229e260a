#include "scdcf/runs/time_left.h"

namespace scdcf::runs {

void TimeLeft::add(const PlannedRun& run, double seconds) {
  auto& kind = run.measure == Measure::cost ? costs_ : trainings_;
  for (auto* speed : {&kind.of_model[run.config.model.name], &kind.overall}) {
    speed->seconds += seconds;
    speed->work += work_of(run);
  }
}

double TimeLeft::seconds_for(const PlannedRun& run) const {
  const auto& kind = run.measure == Measure::cost ? costs_ : trainings_;
  const auto found = kind.of_model.find(run.config.model.name);
  const auto& speed = found == kind.of_model.end() ? kind.overall : found->second;
  return speed.work > 0 ? speed.seconds / speed.work * work_of(run) : -1;
}

}  // namespace scdcf::runs
