#include "scdcf/nn/vector_field.h"

#include <torch/types.h>

#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/nn/batch_part.h"
#include "scdcf/nn/input_checks.h"
#include "scdcf/nn/pooling.h"
#include "scdcf/nn/running_average.h"

namespace scdcf::nn {
namespace {

constexpr double kPi = 3.14159265358979323846;

void check_field(const torch::Tensor& field, const char* name) {
  require(field.dim() == 4 && field.size(1) % 2 == 0, name, ": input: got shape ", field.sizes(),
          ", expected a vector field [N, 2C, H, W]");
}

torch::Tensor rotate(const torch::Tensor& field, double angle) {
  const auto parts = field.chunk(2, 1);
  const double c = std::cos(angle), s = std::sin(angle);
  return torch::cat({c * parts[0] - s * parts[1], s * parts[0] + c * parts[1]}, 1);
}

}  // namespace

torch::Tensor vector_length(const torch::Tensor& field) {
  check_field(field, "vector_length");
  const auto parts = field.chunk(2, 1);
  // The root has no derivative at zero, where a vector without response lies.
  return (parts[0].square() + parts[1].square() + 1e-12).sqrt();
}

VectorFieldConvImpl::VectorFieldConvImpl(MultiScaleConvOptions options_, bool field_input_)
    : options(options_), field_input(field_input_) {
  reset();
}

void VectorFieldConvImpl::reset() {
  check_multi_scale(options, "VectorFieldConv");
  require(options.stride() == 1, "VectorFieldConv: stride: got ", options.stride(), ", expected 1");
  conv =
      register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions((field_input ? 2 : 1) * options.in_channels(),
                                                                         options.out_channels(), options.kernel_size())
                                                    .bias(options.bias())));
  convolution_ = std::make_shared<MultiScaleConvolution>(options.factors(), options.kernel_size(), options.stride());
  const int64_t scales = options.scales();
  std::vector<double> directions;
  for (int part = 0; part < 2; ++part)
    for (int64_t i = 0; i < scales; ++i) {
      const double angle = kPi * static_cast<double>(scales - 1 - i) / static_cast<double>(scales);
      directions.push_back(part == 0 ? std::cos(angle) : std::sin(angle));
    }
  directions_ = DeviceConstant(std::move(directions), {2, scales});
}

void VectorFieldConvImpl::pretty_print(std::ostream& stream) const {
  stream << describe_multi_scale(options, "VectorFieldConv") << (field_input ? " of a field" : " of an image");
}

torch::Tensor VectorFieldConvImpl::forward(const torch::Tensor& input) {
  check_images("VectorFieldConv", input, conv->weight.size(1));
  std::vector<torch::Tensor> weights;
  const auto middle = options.scales() / 2;
  for (int i = 0; i < options.scales(); ++i) {
    const double turn = kPi * (i - middle) / options.scales();
    // A kernel turned back sees what the kernel sees of a turned field, and is smaller.
    weights.push_back(field_input && turn != 0 ? rotate(conv->weight, -turn) : conv->weight);
  }
  const auto strongest = (*convolution_)(input, weights, conv->bias).max(0);
  const auto length = MultiScaleConvolution::to_maps(torch::relu(std::get<0>(strongest)));
  const auto where = MultiScaleConvolution::to_maps(std::get<1>(strongest));
  const auto directions = directions_.like(length);
  const auto component = [&](int64_t part) {
    return length * directions[part].index_select(0, where.flatten()).view(where.sizes());
  };
  return torch::cat({component(0), component(1)}, 1);
}

VectorMaxPoolImpl::VectorMaxPoolImpl(SpatialPoolOptions options_) : options(options_) {
  check_window(options, "VectorMaxPool");
}

void VectorMaxPoolImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::VectorMaxPool(window " << options.window() << ")";
}

torch::Tensor VectorMaxPoolImpl::forward(const torch::Tensor& field) {
  check_field(field, "VectorMaxPool");
  const int64_t w = options.window(), s = options.step(), p = options.padding();
  const auto where = std::get<1>(torch::max_pool2d_with_indices(vector_length(field.detach()), w, s, p));
  const auto index = torch::cat({where, where}, 1);
  return field.flatten(2).gather(2, index.flatten(2)).view(index.sizes());
}

VectorBatchNormImpl::VectorBatchNormImpl(int64_t channels_) : channels(channels_) { reset(); }

void VectorBatchNormImpl::reset() {
  require(channels >= 1, "VectorBatchNorm: channels: got ", channels, ", expected at least 1");
  weight = register_parameter("weight", torch::ones({channels}));
  running_variance = register_buffer("running_variance", torch::ones({channels}));
  batches = register_buffer("batches", torch::zeros({}));
}

void VectorBatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::VectorBatchNorm(" << channels << ")";
}

torch::Tensor VectorBatchNormImpl::forward(const torch::Tensor& field) {
  require(field.dim() == 4 && field.size(1) == 2 * channels, "VectorBatchNorm: input: got shape ", field.sizes(),
          ", expected a vector field [N, ", 2 * channels, ", H, W]");
  auto variance = running_variance;
  if (is_training()) {
    const auto lengths = vector_length(field);
    const auto moments = whole_batch_moments(lengths);
    variance = moments ? moments->variance.to(lengths.scalar_type()) : lengths.var({0, 2, 3}, /*unbiased=*/false);
    renew(running_variance, batches, variance);
  }
  const auto gain = weight / (variance + 1e-5).sqrt();
  return field * torch::cat({gain, gain}).view({1, -1, 1, 1});
}

}  // namespace scdcf::nn
