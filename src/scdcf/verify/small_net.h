// The little network the verifications share: a lifting and joint layers with ReLU, random coefficients.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "scdcf/theory/stability.h"

namespace scdcf::verify {

struct SmallNet {
  nn::LiftingConv lifting{nullptr};
  std::vector<nn::JointConv> joints;

  SmallNet(const basis::ScaleGrid& grid, int layers, int taps, nn::ScalePadding padding, uint64_t seed,
           int64_t channels = 4) {
    torch::manual_seed(seed);
    lifting = nn::LiftingConv(nn::LiftingConvOptions(1, channels, grid).modes(8).bias(false));
    for (int l = 1; l < layers; ++l)
      joints.push_back(nn::JointConv(
          nn::JointConvOptions(channels, channels, grid).modes(8).scale_taps(taps).scale_padding(padding).bias(false)));
  }

  void to(torch::Device device) {
    lifting->to(device);
    for (auto& joint : joints) joint->to(device);
  }

  /// Puts nearly all weight on the first mode, positive throughout. Random coefficients average out, and the bounds of
  /// Section 4 are then loose by orders of magnitude; these come closest to them.
  void align() {
    const torch::NoGradGuard no_grad;
    const auto concentrate = [](torch::Tensor& coefficients) {
      const auto first = coefficients.abs().mean();
      coefficients.mul_(0.05).select(3, 0).select(2, 0).fill_(first);
    };
    concentrate(lifting->coefficients);
    for (auto& joint : joints) concentrate(joint->coefficients);
  }

  /// Makes every A_l exactly one: the largest coefficients that assumption (A2) allows.
  void saturate_stability() {
    const torch::NoGradGuard no_grad;
    lifting->coefficients.div_(theory::stability_constant(*lifting));
    for (auto& joint : joints) joint->coefficients.div_(theory::stability_constant(*joint));
  }

  /// Features of every layer, [N, C, S, H, W] each.
  std::vector<torch::Tensor> features(const torch::Tensor& image) {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> result{torch::relu(lifting->forward(image))};
    for (auto& joint : joints) result.push_back(torch::relu(joint->forward(result.back())));
    return result;
  }
};

}  // namespace scdcf::verify
