// The skeleton that all networks for the scaled digits share (Section 6.3), so that only the convolution differs: three
// blocks that end at 2x2 pixels, flatten, a hidden layer with batch-norm, ReLU and dropout, and the class scores.
#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <functional>

#include "scdcf/models/network.h"
#include "scdcf/models/options.h"
#include "scdcf/nn/centring.h"

namespace scdcf::models {

/// Window, stride and padding of the pooling after each of the three blocks: 2, 2, then to 2x2 pixels.
struct Pooling {
  int64_t window = 2;
  int64_t padding = 0;
};
Pooling skeleton_pooling(int64_t image_size, int block);

/// What the skeleton needs beside the options that every network has.
struct SkeletonParts {
  std::vector<torch::nn::Sequential> blocks;
  /// From the maps of the last block to [N, C, 2, 2]; nothing where they have this shape already.
  std::function<torch::Tensor(const torch::Tensor&)> project;
  int64_t head_channels = 0;  ///< C
  double scale_step = 0;
  /// Features about their mean in front of the hidden layer (nn/centring.h): for those whose mean is far from zero.
  bool centre_head = false;
};

class SkeletonNetwork : public Network {
 public:
  SkeletonNetwork(const ModelOptions& options, SkeletonParts parts);
  torch::Tensor forward(const torch::Tensor& images) override;
  std::vector<LayerOutput> features(const torch::Tensor& images) override;
  double scale_step() const override { return parts_.scale_step; }

 private:
  SkeletonParts parts_;
  nn::Centring centring_{nullptr};
  torch::nn::Sequential head_;
};

/// Fills in what the skeleton itself has options for: channels, hidden units, dropout; checks image size and classes.
void resolve_skeleton(ModelOptions& options, const std::vector<int64_t>& channels);

/// max or average; `standard` where the caller left it open.
void resolve_pooling(ModelOptions& options, const std::string& standard);

/// ReLU, pooling of the kind the options name, batch-norm: the end of block `index` for maps [N, C, H, W].
void append_map_block_end(torch::nn::Sequential& block, const ModelOptions& options, int index);

/// Parameters of a skeleton network whose convolutions have `per_pair` coefficients for each pair of channels, in the
/// first block `first_per_pair`, with a bias and a batch-norm of two numbers behind each.
double skeleton_parameters(const ModelOptions& options, const std::vector<int64_t>& channels, double first_per_pair,
                           double per_pair);

}  // namespace scdcf::models
