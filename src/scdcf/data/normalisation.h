// What pictures are normalised with.
#pragma once

#include <vector>

#include "scdcf/data/image_set.h"

namespace scdcf::data {

struct Normalisation {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// Mean and deviation of pixel / 255 over a set, per channel, from integer sums: exact, whatever the order. A channel
/// of one value has deviation 1, so that dividing by it does no harm.
Normalisation channel_statistics(const ImageSet& set);

}  // namespace scdcf::data
