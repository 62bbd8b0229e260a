#include "scdcf/ops/norm_relu_pool.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

#include "scdcf/core/error.h"

namespace scdcf::ops {
namespace {

constexpr const char* kName = "norm_relu_pool";

/// The parameters of bfloat16 maps stay float.
at::ScalarType parameter_type(const at::Tensor& input) {
  return input.scalar_type() == at::kBFloat16 ? at::kFloat : input.scalar_type();
}

void check_parameter(const at::Tensor& tensor, const char* what, int64_t channels, at::ScalarType type,
                     c10::Device device) {
  require(tensor.dim() == 1 && tensor.size(0) == channels, kName, ": ", what, ": got shape ", tensor.sizes(),
          ", expected [", channels, "]");
  require(tensor.scalar_type() == type, kName, ": ", what, ": got type ", tensor.scalar_type(), ", expected ", type);
  require(tensor.device() == device, kName, ": ", what, ": got device ", tensor.device(), ", expected ", device);
}

}  // namespace

at::Tensor norm_relu_pool(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& running_mean, const at::Tensor& running_var, const NormSettings& settings,
                          const AveragePool& pool) {
  return std::get<0>(norm_relu_pool_with_statistics(input, weight, bias, running_mean, running_var, settings, pool));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_relu_pool_with_statistics(
    const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& running_mean,
    const at::Tensor& running_var, const NormSettings& settings, const AveragePool& pool) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("scdcf::norm_relu_pool", "")
                             .typed<std::tuple<at::Tensor, at::Tensor, at::Tensor>(
                                 const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                 const at::Tensor&, bool, double, double, int64_t, int64_t, int64_t)>();
  return op.call(input, weight, bias, running_mean, running_var, settings.training, settings.momentum, settings.eps,
                 pool.window, pool.stride, pool.padding);
}

NormPoolProblem make_norm_pool_problem(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                                       const AveragePool& pool) {
  require(input.dim() == 4 || input.dim() == 5, kName, ": input: got shape ", input.sizes(),
          ", expected [N, C, S, H, W] or [N, C, H, W]");
  check_parameter(weight, "weight", input.size(1), parameter_type(input), input.device());
  check_parameter(bias, "bias", input.size(1), parameter_type(input), input.device());
  require(pool.window >= 1, kName, ": window: got ", pool.window, ", expected at least 1");
  require(pool.stride >= 1, kName, ": stride: got ", pool.stride, ", expected at least 1");
  require(pool.padding >= 0 && 2 * pool.padding <= pool.window, kName, ": padding: got ", pool.padding,
          ", expected 0 to half the window of ", pool.window);
  const int64_t height = input.size(-2), width = input.size(-1), smallest = pool.window - 2 * pool.padding;
  require(height >= smallest && width >= smallest && height > 0 && width > 0, kName, ": input: got ", height, " x ",
          width, " pixels, expected at least ", std::max<int64_t>(1, smallest), " x ", std::max<int64_t>(1, smallest));

  NormPoolProblem problem;
  problem.planes = input.size(0) * (input.dim() == 5 ? input.size(2) : 1);
  problem.channels = input.size(1);
  problem.in_height = height;
  problem.in_width = width;
  problem.out_height = (height + 2 * pool.padding - pool.window) / pool.stride + 1;
  problem.out_width = (width + 2 * pool.padding - pool.window) / pool.stride + 1;
  problem.window = pool.window;
  problem.stride = pool.stride;
  problem.padding = pool.padding;
  return problem;
}

void check_statistics(const NormPoolProblem& problem, const at::Tensor& weight, const at::Tensor& running_mean,
                      const at::Tensor& running_var, const NormSettings& settings) {
  check_parameter(running_mean, "running_mean", problem.channels, weight.scalar_type(), weight.device());
  check_parameter(running_var, "running_var", problem.channels, weight.scalar_type(), weight.device());
  // They are written through: a copy made for layout's sake would lose the update.
  require(running_mean.is_contiguous() && running_var.is_contiguous(), kName,
          ": running statistics: got a strided view, expected contiguous tensors");
  require(!settings.training || problem.pixels() != 1, kName,
          ": input: got one value per channel, expected more than one in training: its variance is not defined");
}

void check_saved(const NormPoolProblem& problem, const at::Tensor& grad, const at::Tensor& input,
                 const at::Tensor& mean, const at::Tensor& invstd) {
  const auto sizes = pooled_sizes(input, problem);
  require(grad.sizes() == sizes, kName, ": gradient: got shape ", grad.sizes(), ", expected ", at::IntArrayRef(sizes));
  check_parameter(mean, "saved mean", problem.channels, at::kDouble, input.device());
  check_parameter(invstd, "saved deviation", problem.channels, at::kDouble, input.device());
}

std::vector<int64_t> pooled_sizes(const at::Tensor& input, const NormPoolProblem& problem) {
  auto sizes = input.sizes().vec();
  sizes[sizes.size() - 2] = problem.out_height;
  sizes[sizes.size() - 1] = problem.out_width;
  return sizes;
}

at::MemoryFormat channels_last_format(const at::Tensor& input) {
  return input.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
}

}  // namespace scdcf::ops
