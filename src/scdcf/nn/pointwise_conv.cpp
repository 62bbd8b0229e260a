#include "scdcf/nn/pointwise_conv.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/basis/scale_basis.h"
#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

/// The scale axis extended so that an ordinary convolution over it gives every output scale its taps.
torch::Tensor pad_scales(const torch::Tensor& input, int64_t before, int64_t after, ScalePadding padding) {
  std::vector<torch::Tensor> parts{input};
  const auto zeros = [&](int64_t count) {
    auto shape = input.sizes().vec();
    shape[2] = count;
    return torch::zeros(shape, input.options());
  };
  if (before > 0)
    parts.insert(parts.begin(), padding == ScalePadding::zero ? zeros(before)
                                                              : input.narrow(2, 0, 1).expand({-1, -1, before, -1, -1}));
  if (after > 0) parts.push_back(zeros(after));
  return parts.size() == 1 ? input : torch::cat(parts, 2);
}

}  // namespace

PointwiseConvImpl::PointwiseConvImpl(PointwiseConvOptions options_) : options(options_) { reset(); }

void PointwiseConvImpl::reset() {
  require(options.in_channels() >= 1, "in_channels: got ", options.in_channels(), ", expected at least 1");
  require(options.out_channels() >= 1, "out_channels: got ", options.out_channels(), ", expected at least 1");
  require(options.stride() == 1 || options.stride() == 2, "stride: got ", options.stride(), ", expected 1 or 2");
  const auto basis = basis::make_scale_basis(options.scale_modes() == 0 ? options.scale_taps() : options.scale_modes(),
                                             options.scale_taps());
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
  const auto phi = torch::tensor(scale_basis_.values(), torch::kDouble).view({coefficients.size(2), -1});
  const double gain = phi.sum(1).square().sum().item<double>();
  coefficients.normal_(0, std::sqrt(2.0 / (gain * static_cast<double>(options.in_channels()))));
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
  require(input.dim() == 5 && input.size(1) == options.in_channels(), "PointwiseConv: input: got shape ", input.sizes(),
          ", expected [N, ", options.in_channels(), ", S, H, W]");
  const int64_t taps = options.scale_taps();
  const int64_t before = options.support() == ScaleSupport::one_sided ? taps - 1 : (taps - 1) / 2;
  const auto weight = coefficients.matmul(scale_basis_.like(coefficients))
                          .view({options.out_channels(), options.in_channels(), taps, 1, 1});
  return torch::conv3d(pad_scales(input, before, taps - 1 - before, options.scale_padding()), weight, bias,
                       {1, options.stride(), options.stride()});
}

}  // namespace scdcf::nn
