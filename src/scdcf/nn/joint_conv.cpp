#include "scdcf/nn/joint_conv.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/nn/input_checks.h"
#include "scdcf/nn/scale_step.h"

namespace scdcf::nn {
namespace {

/// Filters [K, L, L] as the centre of a map sees them that is `size` pixels long in dimension `dim`: the mean over the
/// two middle pixels where that is even; what lies beyond the map left out or, replicated, seen at its border.
at::Tensor seen_along(const at::Tensor& filters, int64_t dim, int64_t size, SpatialPadding padding) {
  auto seen = filters;
  if (size % 2 == 0) {
    const auto nothing = at::zeros_like(filters.narrow(dim, 0, 1));
    seen = (at::cat({filters, nothing}, dim) + at::cat({nothing, filters}, dim)) / 2;
  }
  const int64_t beyond = (seen.size(dim) - size) / 2;  // at either end
  if (beyond <= 0) return seen;
  if (padding == SpatialPadding::zero) return seen.narrow(dim, beyond, size);
  if (size == 1) return seen.sum(dim, /*keepdim=*/true);
  const auto end = [&](int64_t first) { return seen.narrow(dim, first, beyond + 1).sum(dim, /*keepdim=*/true); };
  return at::cat({end(0), seen.narrow(dim, beyond + 1, size - 2), end(beyond + size - 1)}, dim);
}

}  // namespace

void check_at_centre(int64_t scale_taps, int64_t stride, SpatialPadding padding) {
  require(scale_taps == 1 && stride == 1 && padding != SpatialPadding::none, "JointConv: at_centre: got ", scale_taps,
          " scale taps, stride ", stride, ", padding ", name_of(padding),
          ", expected one tap, stride 1, padding zero or replicate");
}

at::Tensor joint_conv_at_centre(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& bias,
                                const at::Tensor& scale_basis, const std::vector<at::Tensor>& filters,
                                SpatialPadding padding) {
  const int64_t height = input.sym_size(3).guard_int(__FILE__, __LINE__);
  const int64_t width = input.sym_size(4).guard_int(__FILE__, __LINE__);
  std::vector<at::Tensor> projections;  // of each plane onto the modes, [N, C, K]
  for (size_t s = 0; s < filters.size(); ++s) {
    const auto seen = seen_along(seen_along(filters[s], 1, height, padding), 2, width, padding);
    const int64_t rows = seen.size(1), columns = seen.size(2);
    const auto middle = input.select(2, static_cast<int64_t>(s))
                            .narrow(2, (height - rows) / 2, rows)
                            .narrow(3, (width - columns) / 2, columns);
    projections.push_back(at::matmul(middle.flatten(2), seen.flatten(1).t()));
  }
  const auto mixed = (scale_basis.defined() ? (coefficients * scale_basis.view({1, 1, -1, 1})).sum(2) : coefficients)
                         .flatten(1);                                                               // [O, C K]
  const auto output = at::matmul(at::stack(projections, 1).flatten(2), mixed.t()).transpose(1, 2);  // [N, O, S]
  return bias.defined() ? output + bias.view({1, -1, 1}) : output;
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
  check_step(input, options.grid().step(), "JointConv");
  return with_step(with_bias(ops::joint_conv(input, coefficients, expansion().scale_weights_like(coefficients),
                                             expansion().filters(), expansion().sources(),
                                             {options.stride(), options.padding()}, options.algorithm())),
                   options.grid().step());
}

torch::Tensor JointConvImpl::at_centre(const torch::Tensor& input) {
  check_features("JointConv", input, options.in_channels(), options.grid().count());
  expansion().check_input("JointConv", input, coefficients, options.padding());
  check_step(input, options.grid().step(), "JointConv");
  check_at_centre(options.scale_taps(), options.stride(), options.padding());
  return joint_conv_at_centre(input, coefficients, bias, expansion().scale_weights_like(coefficients),
                              expansion().filters().filters(input.options()), options.padding());
}

}  // namespace scdcf::nn
