#include "scdcf/nn/scale_space.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
namespace {

/// e^-t I_n(t) by the power series of I_n, whose terms are all positive; the factor goes into the first one.
double scaled_bessel(int64_t n, double t) {
  const auto order = static_cast<double>(n);
  double term = std::exp(order * std::log(t / 2) - std::lgamma(order + 1) - t), sum = term;
  for (int m = 1; term > 1e-18 * sum || m < t; ++m) {
    term *= t * t / 4 / (m * (m + order));
    sum += term;
  }
  return sum;
}

}  // namespace

std::vector<double> discrete_gaussian(double variance, int64_t radius) {
  require(variance >= 0 && variance <= 600, "discrete Gaussian: variance: got ", variance, ", expected 0 to 600");
  require(radius >= 0, "discrete Gaussian: radius: got ", radius, ", expected at least 0");
  std::vector<double> values(static_cast<size_t>(2 * radius + 1));
  for (int64_t n = -radius; n <= radius; ++n)
    values[static_cast<size_t>(n + radius)] =
        variance == 0 ? (n == 0 ? 1.0 : 0.0) : scaled_bessel(std::abs(n), variance);
  return values;
}

ScaleSpaceLiftingImpl::ScaleSpaceLiftingImpl(int levels_, double s0_) : levels(levels_), s0(s0_) {
  require(levels >= 1 && levels <= 6, "ScaleSpaceLifting: levels: got ", levels, ", expected 1 to 6");
  require(s0 > 0 && s0 <= 0.75, "ScaleSpaceLifting: s0: got ", s0, ", expected more than 0 and at most 0.75 pixels");
  for (int k = 1; k < levels; ++k) {
    const double variance = s0 * s0 * (std::exp2(2 * k) - 1);
    const auto radius = static_cast<int64_t>(std::ceil(4 * std::sqrt(variance))) + 2;  // leaves out less than 1e-5
    blurs_.emplace_back(discrete_gaussian(variance, radius), std::vector<int64_t>{1, 1, 1, 2 * radius + 1});
  }
}

void ScaleSpaceLiftingImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::ScaleSpaceLifting(" << levels << " levels, s0 = " << s0 << ")";
}

torch::Tensor ScaleSpaceLiftingImpl::forward(const torch::Tensor& images) {
  check_images("ScaleSpaceLifting", images);
  const auto maps = images.reshape({-1, 1, images.size(2), images.size(3)});
  std::vector<torch::Tensor> scales{images};
  for (const auto& blur : blurs_) {
    const auto row = blur.like(images);
    const int64_t radius = row.size(3) / 2;
    const auto along_x = torch::conv2d(maps, row, {}, 1, at::IntArrayRef{0, radius});
    scales.push_back(
        torch::conv2d(along_x, row.transpose(2, 3), {}, 1, at::IntArrayRef{radius, 0}).view(images.sizes()));
  }
  return torch::stack(scales, 2);
}

DilatedScaleConvImpl::DilatedScaleConvImpl(DilatedScaleConvOptions options_) : options(options_) { reset(); }

void DilatedScaleConvImpl::reset() {
  check_channel_options("DilatedScaleConv", options);
  require(options.kernel_size() >= 1 && options.kernel_size() % 2 == 1, "DilatedScaleConv: kernel_size: got ",
          options.kernel_size(), ", expected an odd number");
  require(options.scale_taps() >= 1, "DilatedScaleConv: scale_taps: got ", options.scale_taps(),
          ", expected at least 1");
  conv =
      register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(options.in_channels() * options.scale_taps(),
                                                                         options.out_channels(), options.kernel_size())
                                                    .bias(options.bias())));
}

void DilatedScaleConvImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::DilatedScaleConv(" << options.in_channels() << " -> " << options.out_channels() << ", "
         << options.kernel_size() << "x" << options.kernel_size() << ", " << options.scale_taps() << " taps in scale)";
}

torch::Tensor DilatedScaleConvImpl::forward(const torch::Tensor& input) {
  check_features("DilatedScaleConv", input, options.in_channels());
  const int64_t levels = input.size(2), channels = options.in_channels();
  std::vector<torch::Tensor> outputs;
  for (int64_t k = 0; k < levels; ++k) {
    const int64_t taps = std::min(options.scale_taps(), levels - k);
    // [N, C, taps, H, W] with the taps in front of the channels, as the weights have them.
    const auto planes = input.narrow(2, k, taps).transpose(1, 2).flatten(1, 2);
    const int64_t dilation = int64_t{1} << k;
    outputs.push_back(torch::conv2d(planes, conv->weight.narrow(1, 0, taps * channels), conv->bias, options.stride(),
                                    dilation * (options.kernel_size() / 2), dilation));
  }
  return torch::stack(outputs, 2);
}

}  // namespace scdcf::nn
