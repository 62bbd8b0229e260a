#include "scdcf/nn/pointwise_conv.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
namespace {

/// The scale axis extended so that an ordinary convolution over it gives every output scale its taps.
at::Tensor pad_scales(const at::Tensor& input, int64_t before, int64_t after, ScalePadding padding) {
  if (before + after == 0) return input;
  if (padding == ScalePadding::zero) return at::constant_pad_nd(input, {0, 0, 0, 0, before, after});
  const auto extended =
      before > 0 ? at::cat({input.narrow(2, 0, 1).expand({-1, -1, before, -1, -1}), input}, 2) : input;
  return after > 0 ? at::constant_pad_nd(extended, {0, 0, 0, 0, 0, after}) : extended;
}

}  // namespace

PointwiseConvImpl::PointwiseConvImpl(PointwiseConvOptions options_) : options(options_) { reset(); }

basis::ScaleBasis scale_basis_of(const PointwiseConvOptions& options) {
  check_channel_options("PointwiseConv", options);
  ops::check_scale_taps("PointwiseConv", options.scale_taps(), options.support());
  return basis::make_scale_basis(options.scale_modes() == 0 ? options.scale_taps() : options.scale_modes(),
                                 options.scale_taps());
}

double initial_deviation(const basis::ScaleBasis& basis, int64_t in_channels) {
  double gain = 0;
  for (int m = 0; m < basis.count; ++m) {
    double sum = 0;
    for (int t = 0; t < basis.taps; ++t) sum += basis.value(m, t);
    gain += sum * sum;
  }
  return std::sqrt(2.0 / (gain * static_cast<double>(in_channels)));
}

at::Tensor pointwise_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                          const at::Tensor& scale_basis, int64_t stride, ScaleSupport support, ScalePadding padding) {
  check_features("PointwiseConv", input, coefficients.size(1));
  const int64_t taps = scale_basis.size(1);
  const int64_t before = support == ScaleSupport::one_sided ? taps - 1 : (taps - 1) / 2;
  const auto weight = coefficients.matmul(scale_basis).unsqueeze(-1).unsqueeze(-1);  // [O, C, taps, 1, 1]
  // At a single place it is a matrix product.
  if (taps == 1 && input.sym_size(2) == 1 && input.sym_size(3) == 1 && input.sym_size(4) == 1)
    return at::linear(input.flatten(1), weight.flatten(1), bias).unsqueeze(-1).unsqueeze(-1).unsqueeze(-1);
  return at::conv3d(pad_scales(input, before, taps - 1 - before, padding), weight, bias, {1, stride, stride});
}

void PointwiseConvImpl::reset() {
  const auto basis = scale_basis_of(options);
  scale_basis_ = DeviceConstant(basis.values, {basis.count, basis.taps});
  coefficients =
      register_parameter("coefficients", torch::empty({options.out_channels(), options.in_channels(), basis.count}));
  if (options.bias()) {
    bias = register_parameter("bias", torch::empty({options.out_channels()}));
  } else {
    bias = register_parameter("bias", torch::Tensor(), /*requires_grad=*/false);
  }
  reset_parameters();
}

void PointwiseConvImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  coefficients.normal_(0, initial_deviation(scale_basis_of(options), options.in_channels()));
  if (bias.defined()) bias.zero_();
}

void PointwiseConvImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::PointwiseConv(" << options.in_channels() << " -> " << options.out_channels();
  if (options.scale_taps() > 1)
    stream << ", K_alpha=" << coefficients.size(2) << ", L_alpha=" << options.scale_taps() << " "
           << name_of(options.support()) << " " << name_of(options.scale_padding());
  if (options.stride() != 1) stream << ", stride " << options.stride();
  stream << (options.bias() ? ")" : ", no bias)");
}

torch::Tensor PointwiseConvImpl::forward(const torch::Tensor& input) {
  return pointwise_conv(input, coefficients, bias, scale_basis_.like(coefficients), options.stride(), options.support(),
                        options.scale_padding());
}

}  // namespace scdcf::nn
