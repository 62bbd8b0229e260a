// The operators of this library in terms of torch's, for whoever reads a graph without this library.
#pragma once

#include "scdcf/exchange/interpret.h"

namespace scdcf::exchange {

/// In eval mode: filters composed and convolved, norm, ReLU and pooling one after the other.
const std::map<std::string, Replacement>& own_operators_in_torch();

}  // namespace scdcf::exchange
