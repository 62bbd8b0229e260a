// The basis of SESN: Hermite-Gauss functions of four widths.
#include <gtest/gtest.h>

#include <cmath>

#include "scdcf/basis/sampled_basis.h"
#include "scdcf/basis/spatial_basis.h"

namespace scdcf::basis {
namespace {

TEST(HermitePyramidBasis, is_hermite_gauss_at_sigma_and_its_fractions) {
  const auto basis = make_spatial_basis("sesn-28", 49);
  ASSERT_TRUE(basis->is_separable());
  const double y = 0.2, x = -0.35;
  for (const int width : {0, 1, 2, 3}) {
    const double sigma = 4.5 / 6.5 / std::pow(1.5, width), u = y / sigma, v = x / sigma;
    const double bell = std::exp(-(u * u + v * v) / 2);
    EXPECT_NEAR(basis->value(15 * width, y, x), bell, 1e-12);
    EXPECT_NEAR(basis->value(15 * width + 3, y, x), u * v * bell, 1e-12);
    EXPECT_EQ(basis->mode(15 * width + 3).eigenvalue, 2);
  }
  for (int k = 0; k < 49; ++k) EXPECT_LE(basis->mode(k).eigenvalue, 4);
}

TEST(HermitePyramidBasis, filters_have_the_published_sigmas_and_kernel_sizes) {
  struct Case {
    const char* basis;
    int count;
    double step, finest;
    std::vector<double> sigmas;
    std::vector<int> sizes;
  };
  const Case cases[] = {{"sesn-28", 3, std::log2(3.0) / 2, 13.0 / 3, {1.5, 2.6, 4.5}, {5, 7, 13}},
                        {"sesn-56", 4, 1.0 / 3, 7.5, {2, 2.52, 3.17, 4}, {7, 9, 11, 15}}};
  for (const auto& c : cases) {
    const auto sampled =
        sample_basis(make_spatial_basis(c.basis, 49), ScaleGrid(c.count, c.step, c.finest), Sampling::point);
    for (size_t s = 0; s < c.sizes.size(); ++s) {
      const auto& scale = sampled.scales[s];
      const auto row = [&](int x) { return scale.rows[static_cast<size_t>(x + scale.radius)]; };
      EXPECT_NEAR(std::sqrt(-0.5 / std::log(row(1) / row(0))), c.sigmas[s], 0.01) << c.basis << " " << s;
      int size = 0;
      for (int x = -scale.radius; x <= scale.radius; ++x) size += row(x) != 0;
      EXPECT_EQ(size, c.sizes[s]) << c.basis << " " << s;
    }
  }
}

}  // namespace
}  // namespace scdcf::basis
