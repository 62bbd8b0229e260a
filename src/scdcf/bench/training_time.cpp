#include "scdcf/bench/training_time.h"

#include <algorithm>
#include <cmath>

#include "scdcf/bench/measure.h"
#include "scdcf/bench/training_step.h"
#include "scdcf/train/device.h"
#include "scdcf/train/fit_to_data.h"

namespace scdcf::bench {

double training_seconds(const train::RunConfig& config, data::Splits splits, int side) {
  constexpr double kBudgetSeconds = 1;
  constexpr int64_t kImagesMeasured = 16;  // on a CPU, where a step takes as long as its images together
  splits.train.height = splits.train.width = side;
  TrainingSetup setup{train::fit_to_data(config, splits).model, config.train};
  const auto device = train::device_of(config.train.device);
  if (device.is_cpu()) setup.train.batch = std::min(setup.train.batch, kImagesMeasured);
  TrainingStep step(setup, device);
  step.run();  // makes what the next ones use again
  const double seconds = median_ms({[&] { step.run(); }}, device, kBudgetSeconds).front() / 1000;
  const int64_t most = config.data.train_size > 0 ? config.data.train_size : splits.train.count();
  const auto images = static_cast<double>(std::min(most, splits.train.count()));
  const auto passes = static_cast<double>(config.train.epochs * (config.train.teachers + 1));
  return seconds * images * passes / static_cast<double>(setup.train.batch);
}

Affordable affordable_side(int largest, double limit, const std::function<double(int side)>& seconds_at) {
  constexpr int kSmallest = 32;
  const auto rounded = [](double side) { return static_cast<int>(side) / (side < 64 ? 4 : 16) * (side < 64 ? 4 : 16); };
  const int smallest = std::min(largest, kSmallest);
  const Affordable least{smallest, seconds_at(smallest)};
  int side = rounded(std::min<double>(largest, smallest * std::sqrt(limit / least.seconds)));
  while (side > smallest) {
    const double seconds = seconds_at(side);
    if (seconds <= limit) return {side, seconds};
    side = rounded(std::min<double>(side - 1, side * std::sqrt(limit / seconds)));
  }
  return least;
}

}  // namespace scdcf::bench
