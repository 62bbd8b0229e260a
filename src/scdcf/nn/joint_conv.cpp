#include "scdcf/nn/joint_conv.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"

namespace scdcf::nn {
DeviceConstant modes_at_centre(const basis::SampledBasis& sampled, SpatialPadding padding, int64_t height,
                               int64_t width) {
  const bool replicate = padding == SpatialPadding::replicate;
  const int64_t modes = sampled.modes(), pixels = height * width;
  std::vector<double> values(sampled.scales.size() * static_cast<size_t>(pixels * modes), 0.0);
  // The pixels about the centre, whose answers are averaged.
  const int64_t top = (height - 1) / 2, bottom = height / 2, left = (width - 1) / 2, right = width / 2;
  const double share = 1.0 / static_cast<double>((bottom - top + 1) * (right - left + 1));
  for (size_t s = 0; s < sampled.scales.size(); ++s) {
    const auto& scale = sampled.scales[s];
    const int64_t size = scale.size();
    for (int64_t cy = top; cy <= bottom; ++cy)
      for (int64_t cx = left; cx <= right; ++cx)
        for (int64_t i = 0; i < size * size; ++i) {
          int64_t y = cy + i / size - scale.radius, x = cx + i % size - scale.radius;
          if (replicate) {
            y = std::clamp<int64_t>(y, 0, height - 1);
            x = std::clamp<int64_t>(x, 0, width - 1);
          }
          if (y < 0 || y >= height || x < 0 || x >= width) continue;
          double* at = values.data() + (static_cast<int64_t>(s) * pixels + y * width + x) * modes;
          for (int64_t k = 0; k < modes; ++k) at[k] += share * scale.filters[static_cast<size_t>(k * size * size + i)];
        }
  }
  return {std::move(values), {static_cast<int64_t>(sampled.scales.size()), pixels, modes}};
}

at::Tensor joint_conv_at_centre(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                                const at::Tensor& scale_basis, const at::Tensor& centre_modes) {
  const auto planes = input.flatten(3).permute({2, 0, 1, 3}).flatten(1, 2);  // [S, N C, H W]
  const auto mixed = (scale_basis.defined() ? (coefficients * scale_basis.view({1, 1, -1, 1})).sum(2) : coefficients)
                         .flatten(1);                                                                // [O, C K]
  const auto projected = at::bmm(planes, centre_modes).view({-1, mixed.size(1)});                    // [S N, C K]
  const auto output = at::mm(projected, mixed.t()).view({centre_modes.size(0), -1, mixed.size(0)});  // [S, N, O]
  return bias.defined() ? output.permute({1, 2, 0}) + bias.view({1, -1, 1}) : output.permute({1, 2, 0});
}

void JointConvImpl::pretty_print(std::ostream& stream) const {
  stream << "scdcf::nn::JointConv(" << options.in_channels() << " -> " << options.out_channels() << ", "
         << describe_filters(expansion().filters()) << ", K_alpha=" << expansion().scale_basis().count
         << ", L_alpha=" << options.scale_taps();
  if (options.scale_taps() > 1) stream << " " << name_of(options.support()) << " " << name_of(options.scale_padding());
  if (options.stride() != 1) stream << ", stride " << options.stride();
  if (options.padding() != SpatialPadding::zero) stream << ", padding " << name_of(options.padding());
  stream << (options.bias() ? ")" : ", no bias)");
}

torch::Tensor JointConvImpl::forward(const torch::Tensor& input) {
  check_features("JointConv", input, options.in_channels(), options.grid().count());
  expansion().check_input("JointConv", input, coefficients, options.padding());
  return with_bias(ops::joint_conv(input, coefficients, expansion().scale_weights_like(coefficients),
                                   expansion().filters(), expansion().sources(), {options.stride(), options.padding()},
                                   options.algorithm()));
}

const DeviceConstant& JointConvImpl::centre_modes(int64_t height, int64_t width) const {
  return centre_modes_.get({height, width}, [&] {
    return modes_at_centre(expansion().filters().sampled(), options.padding(), height, width);
  });
}

torch::Tensor JointConvImpl::at_centre(const torch::Tensor& input) {
  check_features("JointConv", input, options.in_channels(), options.grid().count());
  expansion().check_input("JointConv", input, coefficients, options.padding());
  require(options.scale_taps() == 1 && options.stride() == 1 && options.padding() != SpatialPadding::none,
          "JointConv: at_centre: got ", options.scale_taps(), " scale taps, stride ", options.stride(), ", padding ",
          name_of(options.padding()), ", expected one tap, stride 1, padding zero or replicate");
  return joint_conv_at_centre(input, coefficients, bias, expansion().scale_weights_like(coefficients),
                              centre_modes(input.size(3), input.size(4)).like(input));
}

}  // namespace scdcf::nn
