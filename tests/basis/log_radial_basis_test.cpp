// The basis of SS-CNN: a filter of another size is the same filter with steered coefficients.
#include <gtest/gtest.h>

#include <cmath>

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/basis/spatial_basis.h"
#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

TEST(LogRadialBasis, the_filter_at_another_size_equals_the_steered_one) {
  const int k = 54;
  const auto sampled = sample_basis(make_spatial_basis("log-radial", k), ScaleGrid(5, std::log2(13.0 / 5) / 4, 5));
  const auto& finest = sampled.scales.front();
  for (size_t s = 1; s < sampled.scales.size(); ++s) {
    const auto& scale = sampled.scales[s];
    const double a = sampled.grid.width(static_cast<int>(s)) / sampled.grid.width(0);
    for (int mode = 0; mode < k; mode += 2) {
      const double order = std::sqrt(sampled.basis->mode(mode).eigenvalue), turn = order * std::log(a);
      // Times the norms each part was divided by; 1/a is what r^-1 and the area leave of a^-2.
      const double real_norm = sampled.norms[static_cast<size_t>(mode)],
                   imaginary_norm = sampled.norms[static_cast<size_t>(mode + 1)];
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {  // pixels that lie inside the smallest disk
          const auto at = [&](const SampledScale& of, int which) {
            return of.filters[static_cast<size_t>((which * of.size() + y + of.radius) * of.size() + x + of.radius)];
          };
          const double real = at(finest, mode) * real_norm, imaginary = at(finest, mode + 1) * imaginary_norm;
          EXPECT_NEAR(at(scale, mode) * real_norm, (std::cos(turn) * real + std::sin(turn) * imaginary) / a, 1e-9);
          EXPECT_NEAR(at(scale, mode + 1) * imaginary_norm, (std::cos(turn) * imaginary - std::sin(turn) * real) / a,
                      1e-9);
        }
    }
  }
}

TEST(LogRadialBasis, kernels_have_the_published_sizes) {
  const auto sizes = [](int count, double finest, double widest) {
    std::vector<int> result;
    const ScaleGrid grid(count, std::log2(widest / finest) / (count - 1), finest);
    for (const auto& scale : sample_basis(make_spatial_basis("log-radial", 54), grid).scales)
      result.push_back(scale.size());
    return result;
  };
  EXPECT_EQ(sizes(5, 5, 13), (std::vector<int>{5, 7, 9, 11, 13}));
  EXPECT_EQ(sizes(6, 7, 17), (std::vector<int>{7, 9, 11, 13, 15, 17}));
}

TEST(LogRadialBasis, names_what_it_cannot_do) {
  testing::expect_error([] { make_spatial_basis("log-radial", 20); }, "log-radial", "got 20", "multiple of 6");
}

}  // namespace
}  // namespace scdcf::basis
