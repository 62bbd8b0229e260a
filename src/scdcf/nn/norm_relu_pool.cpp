#include "scdcf/nn/norm_relu_pool.h"

#include <torch/torch.h>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/input_checks.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/ops/norm_relu_pool.h"

namespace scdcf::nn {

NormReluPoolImpl::NormReluPoolImpl(NormReluPoolOptions options_) : options(options_) { reset(); }

void NormReluPoolImpl::reset() {
  require(options.channels() >= 1, "NormReluPool: channels: got ", options.channels(), ", expected at least 1");
  check_window(options, "NormReluPool");
  require(options.eps() > 0, "NormReluPool: eps: got ", options.eps(), ", expected a positive number");
  require(options.momentum() >= 0 && options.momentum() <= 1, "NormReluPool: momentum: got ", options.momentum(),
          ", expected 0 to 1");
  weight = register_parameter("weight", torch::ones({options.channels()}));
  bias = register_parameter("bias", torch::zeros({options.channels()}));
  running_mean = register_buffer("running_mean", torch::zeros({options.channels()}));
  running_var = register_buffer("running_var", torch::ones({options.channels()}));
  num_batches_tracked = register_buffer("num_batches_tracked", torch::tensor(0, torch::kLong));
}

void NormReluPoolImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::NormReluPool(" << options.channels();
  if (options.window() != 1) stream << ", window " << options.window();
  if (options.stride() != 0 && options.stride() != options.window()) stream << ", stride " << options.stride();
  if (options.padding() != 0) stream << ", padding " << options.padding();
  stream << (options.keeps_zero() ? ", keeps zero)" : ")");
}

torch::Tensor NormReluPoolImpl::forward(const torch::Tensor& input) {
  check_channels("NormReluPool", input, options.channels());
  const ops::AveragePool pool{options.window(), options.step(), options.padding()};
  if (is_training()) {
    num_batches_tracked.add_(1);
    if (const auto moments = whole_batch_moments(input)) {
      const auto [scale, shift] =
          normalisation(*moments, weight, bias, running_mean, running_var, options.momentum(), options.eps());
      // The operator with statistics that change nothing: its gradients of scale and shift lead on to the moments.
      const auto zero = torch::zeros_like(running_mean), one = torch::full_like(running_var, 1 - options.eps());
      return ops::norm_relu_pool(input, scale, shift, zero, one,
                                 {false, options.momentum(), options.eps(), options.keeps_zero()}, pool);
    }
  }
  return ops::norm_relu_pool(input, weight, bias, running_mean, running_var,
                             {is_training(), options.momentum(), options.eps(), options.keeps_zero()}, pool);
}

}  // namespace scdcf::nn
