// How long the rest of a run takes, from the speed of what it has done.
#pragma once

#include <cstdint>

namespace scdcf::train {

/// A run is steps of training, and images that the network only looks at (validation, test).
class TimeEstimate {
 public:
  explicit TimeEstimate(std::int64_t batch) : batch_(static_cast<double>(batch)) {}

  /// The first step is left out: it allocates, and on a GPU compiles.
  void add_step(double seconds) {
    if (++steps_ > 1) step_seconds_ += seconds;
  }
  /// What a GPU takes after it was given its last step.
  void add_wait(double seconds) { step_seconds_ += seconds; }
  void add_images(std::int64_t count, double seconds) {
    images_ += static_cast<double>(count);
    image_seconds_ += seconds;
  }

  /// Negative until a second step is done. Before the first image was looked at, that takes a third of what it takes to
  /// train on it: the forward pass of three passes of about the same length.
  double seconds_left(std::int64_t steps, std::int64_t images) const {
    if (steps_ < 2 && (steps > 0 || images_ == 0)) return -1;
    const double step = steps_ < 2 ? 0 : step_seconds_ / static_cast<double>(steps_ - 1);
    const double image = images_ > 0 ? image_seconds_ / images_ : step / (3 * batch_);
    return step * static_cast<double>(steps) + image * static_cast<double>(images);
  }

 private:
  double batch_, step_seconds_ = 0, images_ = 0, image_seconds_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace scdcf::train
