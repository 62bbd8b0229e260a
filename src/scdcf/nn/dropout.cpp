#include "scdcf/nn/dropout.h"

#include <torch/types.h>

#include <ostream>

#include "scdcf/core/error.h"

namespace scdcf::nn {

namespace {
thread_local c10::optional<at::Generator> current_generator;
}

RandomScope::RandomScope(at::Generator generator) : outer_(current_generator) {
  current_generator = std::move(generator);
}

RandomScope::~RandomScope() { current_generator = outer_; }

c10::optional<at::Generator> RandomScope::current() { return current_generator; }

DropoutImpl::DropoutImpl(double p) : p(p) { require(p >= 0 && p < 1, "Dropout: p: got ", p, ", expected 0 <= p < 1"); }

void DropoutImpl::pretty_print(std::ostream& stream) const { stream << "Dropout(" << p << ")"; }

torch::Tensor DropoutImpl::forward(const torch::Tensor& input) {
  if (!is_training() || p == 0) return input;
  const auto keep = at::empty_like(input).bernoulli_(1 - p, RandomScope::current()).mul_(1 / (1 - p));
  return input * keep;
}

}  // namespace scdcf::nn
