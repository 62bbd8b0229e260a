// How long training takes on this machine, before it begins.
#pragma once

#include <functional>

#include "scdcf/data/image_set.h"
#include "scdcf/train/config.h"

namespace scdcf::bench {

/// Seconds that all epochs take on images of `side` pixels, by a measured step on noise. Of `splits` the training
/// images without their pixels are enough.
double training_seconds(const train::RunConfig& config, data::Splits splits, int side);

/// The largest side of at most `largest` pixels that takes at most `limit` seconds, which grow at least with the area;
/// the smallest that is tried, 32, where none does. Sides from 64 pixels on are multiples of 16, others of 4.
struct Affordable {
  int side = 0;
  double seconds = 0;
};
Affordable affordable_side(int largest, double limit, const std::function<double(int side)>& seconds_at);

}  // namespace scdcf::bench
