// What networks with a scale axis have in common.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include "scdcf/models/options.h"
#include "scdcf/models/skeleton.h"
#include "scdcf/nn/options.h"

namespace scdcf::models {

struct ScaleDefaults {
  int modes = 15;
  int scale_modes = 3;
  int scale_taps = 3;
  int scales = 5;
  double scale_step = 0.25;
  double finest_width = 5;
  const char* scale_padding = "replicate";
  const char* pooling = "average";
  const char* basis = "sine";
};

/// Fills in what was left open and checks the words; numbers are checked by the layers they go to.
void resolve_scale_options(ModelOptions& options, const ScaleDefaults& defaults);

/// For networks that have a set of scales but no decomposed filters: fills in and checks scales and scale_step.
void resolve_scale_set(ModelOptions& options, int scales, double step);

nn::ScalePadding scale_padding_of(const ModelOptions& options);
nn::Algorithm algorithm_of(const ModelOptions& options);

/// Batch-norm, ReLU and pooling, in the order that was measured to be the better one for each kind of pooling.
void append_scale_block_end(torch::nn::Sequential& block, int64_t channels, const Pooling& pooling,
                            const std::string& kind);

}  // namespace scdcf::models
