// What the program asks of a network, whoever wrote it.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

namespace scdcf::models {

/// What a layer computed: [N, C, S, H, W], or [N, C, H, W] where the network has no scale axis.
struct LayerOutput {
  std::string layer;
  torch::Tensor maps;
};

/// A classifier of images. Training, evaluation and the rest of the program need `forward` alone; `features` and
/// `scale_step` let it look inside.
class Network : public torch::nn::Module {
 public:
  /// Images [N, C, H, W] to class scores [N, classes].
  virtual torch::Tensor forward(const torch::Tensor& images) = 0;
  /// The maps after each block, in order; empty where a network does not show them.
  virtual std::vector<LayerOutput> features(const torch::Tensor& /*images*/) { return {}; }
  /// Octaves between neighbouring planes of the scale axis of `features`; 0 where there is no such axis.
  virtual double scale_step() const { return 0; }
};

}  // namespace scdcf::models
