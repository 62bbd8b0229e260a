// Where a run computes.
#pragma once

#include <torch/types.h>

#include <string>

#include "scdcf/train/config.h"

namespace scdcf::train {

/// The device of this name (cpu, cuda or cuda:N), checked to be there.
torch::Device device_of(const std::string& name);
/// In bytes, of a GPU.
int64_t free_memory(torch::Device device);
inline torch::Device device_of(const TrainOptions& options) { return device_of(options.device); }

}  // namespace scdcf::train
