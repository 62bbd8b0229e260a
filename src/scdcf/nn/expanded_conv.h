// What all layers with decomposed filters share: their parameters are expansion coefficients, not filters.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include <memory>
#include <utility>

#include "scdcf/nn/filter_expansion.h"

namespace scdcf::nn {

/// Parameters: coefficients a [O, C, K_alpha, K] of eq. (joint-bases) and, with bias, bias [O]. The bases are constants
/// and not in the state dict.
template <class Derived, class Options>
class ExpandedConv : public torch::nn::Cloneable<Derived> {
 public:
  explicit ExpandedConv(Options options_) : options(std::move(options_)) { reset(); }

  void reset() override {
    expansion_ = std::make_shared<FilterExpansion>(options);
    coefficients = this->register_parameter(
        "coefficients", torch::empty({options.out_channels(), options.in_channels(), expansion_->scale_basis().count,
                                      expansion_->filters().modes()}));
    if (options.bias()) {
      bias = this->register_parameter("bias", torch::empty({options.out_channels()}));
    } else {
      bias = this->register_parameter("bias", torch::Tensor(), /*requires_grad=*/false);
    }
    reset_parameters();
  }

  void reset_parameters() {
    const torch::NoGradGuard no_grad;
    coefficients.normal_(0, expansion_->initial_deviation(options.in_channels()));
    if (bias.defined()) bias.zero_();
  }

  const FilterExpansion& expansion() const { return *expansion_; }

  Options options;
  torch::Tensor coefficients, bias;

 protected:
  torch::Tensor with_bias(const torch::Tensor& output) const {
    return bias.defined() ? output + bias.view({1, -1, 1, 1, 1}) : output;
  }

 private:
  std::shared_ptr<const FilterExpansion> expansion_;
};

}  // namespace scdcf::nn
