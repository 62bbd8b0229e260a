// The skeleton that all networks for the scaled digits share (Section 6.3), so that only the convolution differs: three
// blocks that end at 2x2 pixels, flatten, a hidden layer with batch-norm, ReLU and dropout, and the class scores.
#pragma once

#include "scdcf/models/registry.h"
#include "scdcf/models/variant.h"

namespace scdcf::models {

/// The registry entry of a variant. Where its channels are left open, they are `channels`, or, if these are empty too,
/// those that give it the parameters of the plain network.
ModelEntry skeleton_entry(const Variant& variant, const std::vector<int64_t>& channels);

/// Of the plain network: 32, 63, 95.
std::vector<int64_t> skeleton_channels();

/// Window, which is the stride too, and padding of the pooling after a block: 2, 2, then to 2x2 pixels.
struct Pooling {
  int64_t window = 2;
  int64_t padding = 0;
};
Pooling skeleton_pooling(int64_t image_size, int block);

/// Parameters with these channels and coefficients for each pair of them, with a bias and a batch-norm of two numbers
/// a channel behind each convolution.
double skeleton_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair);

}  // namespace scdcf::models
