// SMNIST and its kind: pictures of one pool, split at random and each rescaled by a random factor.
#pragma once

#include <cstdint>

#include "scdcf/data/image_set.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {

struct ScalingOptions {
  int realisation = 0;  ///< seeds the split and the factors
  std::int64_t train = 10000, validation = 2000, test = 50000;
  std::int64_t keep_train = 0, keep_validation = 0, keep_test = 0;  ///< how many of these, from the first on; 0 for all
  double smallest_factor = 0.3, largest_factor = 1.0;
  int size = 0;  ///< the rescaled picture is resized to this side; 0 for its own
};

/// The three parts of a stratified split of the pool, each picture rescaled about its centre (resize.h) by a factor
/// uniform in [smallest, largest], which is kept as its scale. The factor belongs to the picture and the realisation:
/// asking for fewer pictures or another size gives the same ones.
Splits make_scaled(const Pool& pool, const ScalingOptions& options);

}  // namespace scdcf::data
