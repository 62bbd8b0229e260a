// SMNIST and its kind: pictures of one pool, split at random and each rescaled by a random factor.
#pragma once

#include <cstdint>

#include "scdcf/data/image_set.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {

struct ScalingOptions : DrawOptions {
  std::int64_t train = 10000, validation = 2000, test = 50000;
  double smallest_factor = 0.3, largest_factor = 1.0;
  int size = 0;  ///< the rescaled picture is resized to this side; 0 for its own
};

/// The three parts of a stratified split of the pool, each picture rescaled about its centre (resize.h) by a factor
/// uniform in [smallest, largest], which is kept as its scale. The factor belongs to the picture and the realisation:
/// asking for fewer pictures or another size gives the same ones. Mean and deviation are left to `load`.
Splits make_scaled(const Pool& pool, const ScalingOptions& options);

}  // namespace scdcf::data
