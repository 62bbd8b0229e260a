// Multiply-adds of a forward pass, counted while it runs: what is called is counted, so it cannot go stale.
#pragma once

#include <cstdint>

#include "scdcf/models/network.h"

namespace scdcf::models {

/// Convolutions, matrix products and resizing of one image through the network in eval mode.
int64_t count_multiply_adds(Network& network, const torch::Tensor& image);

}  // namespace scdcf::models
