// Where a loss that is not a number comes from.
#pragma once

#include <string>

#include "scdcf/models/network.h"

namespace scdcf::train {

/// Names the first parameter or layer whose values are not finite for these images.
std::string first_bad_layer(models::Network& network, const torch::Tensor& images);

}  // namespace scdcf::train
