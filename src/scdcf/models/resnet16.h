// ResNet-16 for natural images (Section 6.3, STL-10): a first convolution, three groups of two pre-activation blocks at
// strides 1, 2, 2, batch-norm, ReLU, maximum over scale where there is that axis, global average, class scores. Only
// the convolutions differ between its variants.
#pragma once

#include "scdcf/models/registry.h"
#include "scdcf/models/variant.h"

namespace scdcf::models {

/// The registry entry of a variant, whose source is that of its convolutions, none of which has a bias. Where its
/// channels are left open, they are chosen to give it the parameters of the plain network of the same `width`, whose
/// channels are 16, 16, 32, 64 times the width.
ModelEntry resnet16_entry(const Variant& variant);

/// Parameters with these channels (first convolution, groups 1 to 3) and coefficients for each pair of them.
double resnet16_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair);

}  // namespace scdcf::models
