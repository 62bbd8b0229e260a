#include "scdcf/ops/checks.h"

#include "scdcf/core/error.h"

namespace scdcf::ops {

void check_conv_input(const char* name, const at::Tensor& input, const at::Tensor& coefficients, int64_t inset) {
  require(input.sym_size(1) == coefficients.sym_size(1), name, ": input: got ", input.sym_size(1),
          " channels (dimension 1 of ", input.sym_sizes(), "), expected ", coefficients.sym_size(1));
  // Under autocast a layer with float coefficients meets features of half the width, on a GPU.
  const bool reduced = input.is_cuda() && coefficients.scalar_type() == at::kFloat &&
                       (input.scalar_type() == at::kBFloat16 || input.scalar_type() == at::kHalf);
  require(input.scalar_type() == coefficients.scalar_type() || reduced, name, ": input: got type ", input.scalar_type(),
          ", expected the coefficients' type ", coefficients.scalar_type());
  require(input.device() == coefficients.device(), name, ": input: got device ", input.device(),
          ", expected the coefficients' device ", coefficients.device());
  const int64_t smallest = 2 * inset + 1;
  require(input.sym_size(-2) >= smallest && input.sym_size(-1) >= smallest, name, ": input: got ", input.sym_size(-2),
          " x ", input.sym_size(-1), " pixels, expected at least ", smallest, " x ", smallest);
}

void check_joint_conv(const at::Tensor& input, const at::Tensor& coefficients, const at::Tensor& scale_basis,
                      const FilterBank& filters, const ScaleSources& sources, const ConvGeometry& geometry) {
  require(geometry.stride == 1 || geometry.stride == 2, "joint convolution: stride: got ", geometry.stride,
          ", expected 1 or 2");
  require(input.dim() == 5, "joint convolution: input: got shape ", input.sizes(), ", expected [N, C, S, H, W]");
  require(coefficients.dim() == 4, "joint convolution: coefficients: got shape ", coefficients.sizes(),
          ", expected [out, in, scale modes, modes]");
  const bool one_tap = !scale_basis.defined();
  if (one_tap) {
    require(coefficients.size(2) == 1, "joint convolution: scale basis: got none, expected [", coefficients.size(2),
            ", taps]");
  } else {
    require(scale_basis.dim() == 2 && scale_basis.size(0) == coefficients.size(2),
            "joint convolution: scale basis: got shape ", scale_basis.sizes(), ", expected [", coefficients.size(2),
            ", taps]");
  }
  const int64_t taps = one_tap ? 1 : scale_basis.size(1);
  require(coefficients.size(3) == filters.modes(), "joint convolution: coefficients: got ", coefficients.size(3),
          " modes, expected ", filters.modes());
  require(static_cast<int64_t>(sources.size()) == filters.scales(), "joint convolution: got sources for ",
          sources.size(), " scales, expected ", filters.scales());
  for (const auto& planes : sources)
    for (const auto& plane : planes) {
      require(plane.plane < input.size(2), "joint convolution: input: got ", input.size(2), " scales (dimension 2 of ",
              input.sizes(), "), expected at least ", plane.plane + 1);
      for (const int64_t tap : plane.taps)
        require(tap < taps, "joint convolution: scale basis: got ", taps, " taps, expected at least ", tap + 1);
    }
  check_conv_input("joint convolution", input, coefficients,
                   geometry.padding == SpatialPadding::none ? filters.largest_radius() : 0);
}

}  // namespace scdcf::ops
