// Random joint convolutions for tests, and their distance from the direct sum.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>

#include "scdcf/basis/scale_basis.h"
#include "scdcf/ops/joint_conv.h"
#include "support/device.h"
#include "support/direct_sum.h"
#include "support/gradcheck.h"

namespace scdcf::testing {

/// A problem with all that a joint convolution needs, made from a few sizes.
struct ConvProblem {
  int scales = 3, taps = 2, scale_modes = 2, modes = 4;
  int64_t batch = 2, in = 2, out = 3, height = 7, width = 6;
  double finest_width = 3.0;
  std::string basis = "sine";
  bool lifting = false;
  torch::ScalarType type = torch::kDouble;
  ops::Algorithm algorithm = ops::Algorithm::composed;
  DirectSum judge{};

  /// One of these sizes, with one mode in scale.
  static ConvProblem of_size(int64_t height, int64_t width, int64_t in, int64_t out, int scales, int taps) {
    return {scales, taps, /*scale_modes=*/1, /*modes=*/4, /*batch=*/2, in, out, height, width};
  }

  ops::FilterBank filters() const {
    return ops::FilterBank(
        basis::sample_basis(basis::make_spatial_basis(basis, modes), basis::ScaleGrid(scales, 0.4, finest_width)));
  }
  torch::Tensor phi() const {
    const auto values = basis::make_scale_basis(lifting ? 1 : scale_modes, lifting ? 1 : taps);
    return torch::tensor(values.values, torch::kDouble).view({values.count, values.taps}).to(on_device(type));
  }
  torch::Tensor input() const {
    return torch::randn({batch, in, lifting ? 1 : scales, height, width}, on_device(type));
  }
  torch::Tensor coefficients() const {
    return torch::randn({out, in, lifting ? 1 : scale_modes, modes}, on_device(type));
  }
  ops::TapSets sources() const {
    return lifting ? ops::tap_sets(ops::lifting_sources(scales), 1)
                   : ops::tap_sets(ops::joint_sources(scales, taps, judge.support, judge.scale_padding), taps);
  }
  ops::ConvGeometry geometry() const { return {judge.stride, judge.padding}; }
  torch::Tensor run(const torch::Tensor& x, const torch::Tensor& a) const {
    return ops::joint_conv(x, a, phi(), filters(), sources(), geometry(), algorithm);
  }
  /// Gradients of input and coefficients against central differences, entry by entry: of a small problem.
  void check_gradients() const {
    expect_gradients([&](const auto& leaves) { return run(leaves[0], leaves[1]); }, {input(), coefficients()});
  }
  /// Relative error against the direct sum.
  double error() const {
    const auto x = input(), a = coefficients();
    auto direct = judge;
    direct.lifting = lifting;
    const auto expected = direct(x, a, phi(), filters().sampled());
    const auto got = run(x, a);
    EXPECT_EQ(got.sizes(), expected.sizes());
    return relative_error(got, expected);
  }
};

}  // namespace scdcf::testing
