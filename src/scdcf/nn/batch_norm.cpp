#include "scdcf/nn/batch_norm.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {

BatchNormImpl::BatchNormImpl(const torch::nn::BatchNormOptions& options_) : options(options_) { reset(); }

void BatchNormImpl::reset() {
  const int64_t channels = options.num_features();
  require(channels >= 1, "BatchNorm: channels: got ", channels, ", expected at least 1");
  require(options.affine() && options.track_running_stats() && options.momentum().has_value(),
          "BatchNorm: expected weights, running statistics and a momentum");
  weight = register_parameter("weight", torch::ones({channels}));
  bias = register_parameter("bias", torch::zeros({channels}));
  running_mean = register_buffer("running_mean", torch::zeros({channels}));
  running_var = register_buffer("running_var", torch::ones({channels}));
  num_batches_tracked = register_buffer("num_batches_tracked", torch::tensor(0, torch::kLong));
}

void BatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::BatchNorm(" << options.num_features() << ")";
}

torch::Tensor BatchNormImpl::forward(const torch::Tensor& input) {
  check_channels("BatchNorm", input, options.num_features());
  if (is_training()) {
    num_batches_tracked.add_(1);
    if (const auto moments = whole_batch_moments(input)) {
      const auto [scale, shift] =
          normalisation(*moments, weight, bias, running_mean, running_var, options.momentum().value(), options.eps());
      std::vector<int64_t> shape(static_cast<size_t>(input.dim()), 1);
      shape[1] = -1;
      return torch::addcmul(shift.view(shape), input, scale.view(shape));
    }
    require(input.numel() > input.size(1), "BatchNorm: input: got shape ", input.sizes(),
            ", expected more than one value per channel while training");
  }
  return torch::batch_norm(input, weight, bias, running_mean, running_var, is_training(), options.momentum().value(),
                           options.eps(), at::globalContext().userEnabledCuDNN());
}

ChannelMap normalisation(const BatchMoments& moments, const torch::Tensor& weight, const torch::Tensor& bias,
                         torch::Tensor& running_mean, torch::Tensor& running_var, double momentum, double eps) {
  {
    const torch::NoGradGuard no_grad;
    const auto unbiased = moments.variance * (moments.count / (moments.count - 1));
    running_mean.lerp_(moments.mean.to(running_mean.scalar_type()), momentum);
    running_var.lerp_(unbiased.to(running_var.scalar_type()), momentum);
  }
  const auto scale = weight.to(torch::kDouble) * (moments.variance + eps).rsqrt();
  const auto shift = bias.to(torch::kDouble) - moments.mean * scale;
  return {scale.to(weight.scalar_type()), shift.to(weight.scalar_type())};
}

}  // namespace scdcf::nn
