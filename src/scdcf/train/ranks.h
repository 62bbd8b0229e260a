// What the ranks of a run tell each other beside gradients.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scdcf/distributed/group.h"
#include "scdcf/train/checkpoint.h"
#include "scdcf/train/optimizer.h"

namespace scdcf::train {

/// The data is what options do not tell: a file may differ. `subject` is used once (Group::exchange).
void require_same_data(distributed::Group& group, const std::string& subject, const std::string& checksum);

/// Whether it is so on any rank; all learn the same.
bool on_any_rank(distributed::Group& group, bool here);

/// Weights, buffers and state of the optimizer become those of rank 0.
void take_state_of_first(distributed::Group& group, torch::nn::Module& network, Optimizer& optimizer);
/// Likewise weights that are kept on the CPU.
void take_weights_of_first(distributed::Group& group, TensorMap& weights);

}  // namespace scdcf::train
