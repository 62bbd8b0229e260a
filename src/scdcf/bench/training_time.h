// How long training takes on this machine, before it begins.
#pragma once

#include <functional>

#include "scdcf/data/image_set.h"
#include "scdcf/train/config.h"

namespace scdcf::bench {

/// Seconds that all epochs take on images of `side` pixels, by a measured step on noise. Of `train` labels, class names
/// and scales matter.
double training_seconds(const train::RunConfig& config, const data::ImageSet& train, int side);

/// The largest side, 32 to `largest`, of which seconds_at(side) is at most `limit`; 32 where none is. Seconds are taken
/// to grow at least with the area.
struct Affordable {
  int side = 0;
  double seconds = 0;
};
Affordable affordable_side(int largest, double limit, const std::function<double(int side)>& seconds_at);

}  // namespace scdcf::bench
