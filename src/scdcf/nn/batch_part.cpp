#include "scdcf/nn/batch_part.h"

#include <torch/torch.h>

namespace scdcf::nn {
namespace {
thread_local const BatchPart* current_part = nullptr;
}

BatchPartScope::BatchPartScope(const BatchPart& part) : outer_(current_part) { current_part = &part; }

BatchPartScope::~BatchPartScope() { current_part = outer_; }

const BatchPart* BatchPartScope::current() { return current_part; }

std::optional<BatchMoments> whole_batch_moments(const torch::Tensor& input) {
  const auto* part = BatchPartScope::current();
  if (part == nullptr || !part->sum) return std::nullopt;
  const int64_t channels = input.size(1);
  std::vector<int64_t> others = {0};
  for (int64_t axis = 2; axis < input.dim(); ++axis) others.push_back(axis);
  const auto values = input.scalar_type() == torch::kDouble ? input : input.to(torch::kFloat);
  // About the mean of the part first: a sum of squares as they are would lose the variance of channels far from zero.
  const auto [variance, mean] = torch::var_mean(values, others, /*unbiased=*/false, /*keepdim=*/false);
  const auto mean_here = mean.to(torch::kDouble), square_here = variance.to(torch::kDouble) + mean_here * mean_here;
  const double weight = part->counts ? static_cast<double>(input.numel()) / static_cast<double>(channels) : 0;
  const auto sums =
      part->sum(torch::cat({mean_here * weight, square_here * weight, torch::full({1}, weight, mean_here.options())}));
  BatchMoments moments;
  moments.count = sums.narrow(0, 2 * channels, 1).detach();
  moments.mean = sums.narrow(0, 0, channels) / moments.count;
  moments.variance = (sums.narrow(0, channels, channels) / moments.count - moments.mean * moments.mean).clamp_min(0);
  return moments;
}

}  // namespace scdcf::nn
