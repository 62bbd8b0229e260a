// The joint convolution as one direct sum over everything, straight from eqs. (1st-layer) and (lth-layer). It shares no
// code with the library's forms beyond the sampled basis.
#pragma once

#include <torch/torch.h>

#include <algorithm>

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/ops/composed.h"

namespace scdcf::testing {

struct DirectSum {
  int64_t stride = 1;
  ops::SpatialPadding padding = ops::SpatialPadding::zero;
  ops::ScaleSupport support = ops::ScaleSupport::one_sided;
  ops::ScalePadding scale_padding = ops::ScalePadding::replicate;
  bool lifting = false;

  /// input [N, C, P, H, W], coefficients [O, C, M, K], phi [M, T]: [N, O, S, H', W'] in double.
  torch::Tensor operator()(const torch::Tensor& input, const torch::Tensor& coefficients, const torch::Tensor& phi,
                           const basis::SampledBasis& basis) const {
    const auto x_tensor = input.detach().cpu().to(torch::kDouble).contiguous();
    const auto a_tensor = coefficients.detach().cpu().to(torch::kDouble).contiguous();
    const auto phi_tensor = phi.detach().cpu().to(torch::kDouble).contiguous();
    const auto x = x_tensor.accessor<double, 5>();
    const auto a = a_tensor.accessor<double, 4>();
    const auto p = phi_tensor.accessor<double, 2>();
    const int64_t height = x.size(3), width = x.size(4), scales = basis.grid.count(), taps = p.size(1);
    const int64_t largest = basis.largest_radius();
    const int64_t inset = padding == ops::SpatialPadding::none ? largest : 0;
    const int64_t out_height = (height - 2 * inset - 1) / stride + 1, out_width = (width - 2 * inset - 1) / stride + 1;
    auto result = torch::zeros({x.size(0), a.size(0), scales, out_height, out_width}, torch::kDouble);
    auto out = result.accessor<double, 5>();
    const auto pixel = [&](int64_t n, int64_t c, int64_t s, int64_t y, int64_t xx) {
      if (padding == ops::SpatialPadding::replicate) {
        y = std::clamp<int64_t>(y, 0, height - 1);
        xx = std::clamp<int64_t>(xx, 0, width - 1);
      }
      return y < 0 || y >= height || xx < 0 || xx >= width ? 0.0 : x[n][c][s][y][xx];
    };
    for (int64_t s = 0; s < scales; ++s) {
      const auto& sampled = basis.scales[static_cast<size_t>(s)];
      const int64_t r = sampled.radius, size = sampled.size();
      for (int64_t t = 0; t < taps; ++t) {
        int64_t source = support == ops::ScaleSupport::one_sided ? s - (taps - 1) + t : s - (taps - 1) / 2 + t;
        if (lifting) source = 0;
        if (source >= x.size(2)) continue;
        if (source < 0) {
          if (scale_padding == ops::ScalePadding::zero) continue;
          source = 0;
        }
        for (int64_t o = 0; o < a.size(0); ++o)
          for (int64_t c = 0; c < a.size(1); ++c)
            for (int64_t dy = -r; dy <= r; ++dy)
              for (int64_t dx = -r; dx <= r; ++dx) {
                double weight = 0;
                for (int64_t m = 0; m < a.size(2); ++m)
                  for (int64_t k = 0; k < a.size(3); ++k)
                    weight += a[o][c][m][k] * p[m][t] *
                              sampled.filters[static_cast<size_t>((k * size + dy + r) * size + dx + r)];
                for (int64_t n = 0; n < x.size(0); ++n)
                  for (int64_t y = 0; y < out_height; ++y)
                    for (int64_t xx = 0; xx < out_width; ++xx)
                      out[n][o][s][y][xx] +=
                          weight * pixel(n, c, source, y * stride + inset + dy, xx * stride + inset + dx);
              }
      }
    }
    return result;
  }
};

}  // namespace scdcf::testing
