// The skeleton with decomposed filters on a scale grid: lifting, two joint convolutions, maximum over scale.
#pragma once

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/models/network.h"
#include "scdcf/models/options.h"

namespace scdcf::models {

/// What ScDCFNet and SESN do not share and no option names.
struct ExpandedStyle {
  basis::Sampling sampling = basis::Sampling::area;
  bool bias = false;
};

std::shared_ptr<Network> make_expanded_skeleton(const ModelOptions& options, const ExpandedStyle& style);

}  // namespace scdcf::models
