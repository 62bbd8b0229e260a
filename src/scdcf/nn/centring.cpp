#include "scdcf/nn/centring.h"

#include <torch/types.h>

#include <ostream>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_part.h"
#include "scdcf/nn/running_average.h"

namespace scdcf::nn {

CentringImpl::CentringImpl(int64_t features_) : features(features_) { reset(); }

void CentringImpl::reset() {
  require(features >= 1, "Centring: features: got ", features, ", expected at least 1");
  running_mean = register_buffer("running_mean", torch::zeros({features}));
  batches = register_buffer("batches", torch::zeros({}));
}

void CentringImpl::pretty_print(std::ostream& stream) const { stream << "scdcf::nn::Centring(" << features << ")"; }

torch::Tensor CentringImpl::forward(const torch::Tensor& input) {
  require(input.dim() == 2 && input.size(1) == features, "Centring: input: got shape ", input.sizes(),
          ", expected [N, ", features, "]");
  if (!is_training()) return input - running_mean;
  const auto moments = whole_batch_moments(input);
  const auto mean = moments ? moments->mean.to(input.scalar_type()) : input.mean(0);
  renew(running_mean, batches, mean);
  return input - mean;
}

}  // namespace scdcf::nn
