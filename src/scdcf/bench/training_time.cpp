#include "scdcf/bench/training_time.h"

#include <algorithm>
#include <cmath>

#include "scdcf/bench/measure.h"
#include "scdcf/bench/training_step.h"
#include "scdcf/data/image_folder.h"
#include "scdcf/train/device.h"
#include "scdcf/train/fit_to_data.h"

namespace scdcf::bench {

double training_seconds(const train::RunConfig& config, const data::ImageSet& train, int side) {
  constexpr double kBudgetSeconds = 1;
  constexpr int64_t kImagesMeasured = 16;  // on a CPU, where a step takes as long as its images together
  data::Splits splits;
  splits.train = train;
  splits.train.channels = config.data.channels == 1 ? 1 : 3;
  splits.train.height = splits.train.width = side;
  TrainingSetup setup{train::fit_to_data(config, splits).model, config.train};
  const auto device = train::device_of(config.train.device);
  if (device.is_cpu()) setup.train.batch = std::min(setup.train.batch, kImagesMeasured);
  TrainingStep step(setup, device);
  step.run();  // makes what the next ones use again
  const double seconds = median_ms({[&] { step.run(); }}, device, kBudgetSeconds).front() / 1000;
  const int64_t most = config.data.train_size > 0 ? config.data.train_size : train.count();
  const int64_t images = std::min(most, train.count()) * config.train.epochs * (config.train.teachers + 1);
  return seconds * static_cast<double>(images) / static_cast<double>(setup.train.batch);
}

Affordable affordable_side(int largest, double limit, const std::function<double(int side)>& seconds_at) {
  const int smallest = std::min(largest, 32);
  const Affordable least{smallest, seconds_at(smallest)};
  int side = data::round_side(std::min<double>(largest, smallest * std::sqrt(limit / least.seconds)));
  while (side > smallest) {
    const double seconds = seconds_at(side);
    if (seconds <= limit) return {side, seconds};
    side = data::round_side(std::min<double>(side - 1, side * std::sqrt(limit / seconds)));
  }
  return least;
}

}  // namespace scdcf::bench
