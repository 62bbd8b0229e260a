// What all layers with decomposed filters share: their parameters are expansion coefficients, not filters.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include <torch/serialize/input-archive.h>

#include <memory>
#include <sstream>
#include <utility>

#include "scdcf/core/error.h"
#include "scdcf/nn/filter_expansion.h"
#include "scdcf/nn/signature.h"

namespace scdcf::nn {

/// Parameters: coefficients a [O, C, K_alpha, K] of eq. (joint-bases) and, with bias, bias [O]. The bases are constants
/// and not in the state dict; in their place it has a buffer, signature, that names the grid and the basis of
/// the coefficients. Coefficients for another grid or basis are not loaded.
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
    signature_ = this->register_buffer(kSignature, signature_buffer(expansion_->signature()));
    reset_parameters();
  }

  void load(torch::serialize::InputArchive& archive) override {
    std::ostringstream subject;
    this->pretty_print(subject);
    torch::Tensor stored, stored_signature;
    require(archive.try_read("coefficients", stored) && archive.try_read(kSignature, stored_signature, true),
            subject.str(), ": the archive has no \"coefficients\" and \"", kSignature, "\"");
    check_signature(stored_signature, signature_, subject.str());
    // LibTorch would take the bytes of another type for its own.
    require(stored.scalar_type() == coefficients.scalar_type(), subject.str(), ": got coefficients of type ",
            stored.scalar_type(), ", expected ", coefficients.scalar_type());
    torch::nn::Cloneable<Derived>::load(archive);
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
  torch::Tensor signature_;
};

}  // namespace scdcf::nn
