// Dropout whose noise comes from a generator the caller chooses, so that a run can be repeated and resumed exactly, and
// several networks can train at once without sharing a random stream.
#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

namespace scdcf::nn {

/// While it lives, layers that draw random numbers in this thread draw from `generator`.
///
///   at::Generator generator = at::detail::createCPUGenerator(7);
///   const nn::RandomScope scope(generator);
///   network->forward(images);
class RandomScope {
 public:
  explicit RandomScope(at::Generator generator);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;
  /// The innermost generator of this thread; nothing (torch's default) outside every scope.
  static c10::optional<at::Generator> current();

 private:
  c10::optional<at::Generator> outer_;
};

/// Zeroes each entry with probability p and divides the others by 1 - p while training; the identity in eval mode.
class DropoutImpl : public torch::nn::Cloneable<DropoutImpl> {
 public:
  explicit DropoutImpl(double p = 0.5);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& input);
  double p;
};
TORCH_MODULE(Dropout);

}  // namespace scdcf::nn
