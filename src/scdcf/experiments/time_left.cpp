#include "scdcf/experiments/time_left.h"

namespace scdcf::experiments {

void TimeLeft::add(const train::RunConfig& config, double seconds) {
  for (auto* speed : {&of_model_[config.model.name], &overall_}) {
    speed->seconds += seconds;
    speed->work += work_of(config);
  }
}

double TimeLeft::seconds_for(const train::RunConfig& config) const {
  const auto found = of_model_.find(config.model.name);
  const auto& speed = found == of_model_.end() ? overall_ : found->second;
  return speed.work > 0 ? speed.seconds / speed.work * work_of(config) : -1;
}

}  // namespace scdcf::experiments
