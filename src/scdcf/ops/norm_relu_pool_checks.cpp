#include <ATen/ATen.h>

#include <algorithm>

#include "scdcf/ops/checks.h"
#include "scdcf/ops/tensor_argument.h"

namespace scdcf::ops {
namespace {

/// What forward and backward share.
Sizes check_maps(const char* op, const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                 const AveragePool& pool) {
  const TensorArgument in{op, "input", input};
  in.must_exist();
  in.must_be_of_a_map();
  require(input.dim() == 4 || input.dim() == 5, op, ": input: got shape ", in.sizes(),
          ", expected [N, C, S, H, W] or [N, C, H, W]");
  for (const auto& parameter : {TensorArgument{op, "weight", weight}, TensorArgument{op, "bias", bias}})
    parameter.must_be_of_channels(input.sym_size(1), parameter_type(input), input.device());
  require(pool.window >= 1 && pool.window <= kMostOfASize, op, ": window: got ", pool.window, ", expected 1 to ",
          kMostOfASize);
  require(pool.stride >= 1 && pool.stride <= kMostOfASize, op, ": stride: got ", pool.stride, ", expected 1 to ",
          kMostOfASize);
  require(pool.padding >= 0 && pool.padding <= pool.window / 2, op, ": padding: got ", pool.padding,
          ", expected 0 to half the window of ", pool.window);
  const int64_t margin = pool.window - 2 * pool.padding, smallest = std::max<int64_t>(1, margin);
  Sizes result(in.sizes().begin(), in.sizes().end());
  auto &height = result[result.size() - 2], &width = result[result.size() - 1];
  require(height >= smallest && width >= smallest, op, ": input: got ", height, " x ", width,
          " pixels, expected at least ", smallest, " x ", smallest);
  for (auto* size : {&height, &width}) *size = (*size - margin) / pool.stride + 1;
  check_countable(op, "result", result);
  return result;
}

bool is_one_value_per_channel(c10::SymIntArrayRef sizes) {
  for (size_t i = 0; i < sizes.size(); ++i)
    if (i != 1 && sizes[i] != 1) return false;
  return true;
}

}  // namespace

Sizes check_norm_relu_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                           const at::Tensor& running_mean, const at::Tensor& running_var, const NormSettings& settings,
                           const AveragePool& pool) {
  const char* op = "norm_relu_pool";
  auto result = check_maps(op, input, weight, bias, pool);
  for (const auto& running :
       {TensorArgument{op, "running_mean", running_mean}, TensorArgument{op, "running_var", running_var}}) {
    running.must_be_of_channels(input.sym_size(1), weight.scalar_type(), input.device());
    // It is written through: a copy made for layout's sake would lose the update.
    require(running.sizes()[0] <= 1 || running.tensor.sym_stride(0) == 1, op, ": ", running.name,
            ": got a strided view, expected a contiguous tensor");
  }
  require(!settings.training || !is_one_value_per_channel(input.sym_sizes()), op,
          ": input: got one value per channel, expected more than one in training: its variance is not defined");
  return result;
}

Sizes check_norm_relu_pool_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& weight,
                                    const at::Tensor& bias, const at::Tensor& mean, const at::Tensor& invstd,
                                    const AveragePool& pool) {
  const char* op = "norm_relu_pool_backward";
  auto result = check_maps(op, input, weight, bias, pool);
  TensorArgument{op, "grad", grad}.must_be_a_result(input, result);
  for (const auto& saved : {TensorArgument{op, "mean", mean}, TensorArgument{op, "invstd", invstd}})
    saved.must_be_of_channels(input.sym_size(1), at::kDouble, input.device());
  return result;
}

}  // namespace scdcf::ops
