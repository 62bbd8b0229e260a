#include "scdcf/basis/sampled_basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "support/expect_error.h"

namespace scdcf::basis {
namespace {

/// Sampled mode k at scale s, as a function of the pixel's place.
struct Filter {
  const SampledBasis& sampled;
  int k, s;
  const SampledScale& scale() const { return sampled.scales[static_cast<size_t>(s)]; }
  int radius() const { return scale().radius; }
  double operator()(int y, int x) const {
    const int size = scale().size();
    return scale().filters.at(static_cast<size_t>((k * size + y + radius()) * size + x + radius()));
  }
  double sum(const std::function<double(double)>& f = [](double v) { return v; }) const {
    double total = 0;
    for (int y = -radius(); y <= radius(); ++y)
      for (int x = -radius(); x <= radius(); ++x) total += f((*this)(y, x));
    return total;
  }
};

void for_each_filter(const SampledBasis& sampled, const std::function<void(const Filter&)>& visit) {
  for (int s = 0; s < sampled.grid.count(); ++s)
    for (int k = 0; k < sampled.modes(); ++k) visit({sampled, k, s});
}

bool has_basis(const std::string& name) {
  try {
    return make_spatial_basis(name, 1) != nullptr;
  } catch (const Error&) {
    return false;  // fourier-bessel in a build without Boost; fourier_bessel_basis_test checks the message
  }
}

class AnySampledBasis : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_basis(GetParam())) GTEST_SKIP() << "built without Boost.Math";
  }
  /// Widths 6.3 to 14.98 pixels: supports that end inside a pixel.
  SampledBasis sampled(Sampling sampling = Sampling::area) const {
    return sample_basis(make_spatial_basis(GetParam(), 15), ScaleGrid(6, 0.25, 6.3), sampling);
  }
};

TEST_P(AnySampledBasis, every_filter_has_unit_norm_at_the_finest_scale) {
  for (const auto sampling : {Sampling::area, Sampling::point}) {
    const auto basis = sampled(sampling);
    for (int k = 0; k < basis.modes(); ++k)
      EXPECT_NEAR((Filter{basis, k, 0}.sum([](double v) { return v * v; })), 1, 1e-12) << "mode " << k;
  }
}

TEST_P(AnySampledBasis, a_pixel_holds_the_papers_filter_integrated_over_it) {
  // Eq. (joint-bases): a(k) psi_k(u/h)/h^2 over a pixel is a(k) times the integral of psi_k over the pixel divided by
  // h.
  const auto basis = sampled();
  for_each_filter(basis, [&](const Filter& filter) {
    const double h = basis.grid.width(filter.s) / 2;
    const auto edge = [h](int i, double side) { return std::clamp((i + side) / h, -1.0, 1.0); };
    for (const int y : {-filter.radius(), -1, 0, 2, filter.radius()})
      for (const int x : {-filter.radius(), 0, 1, filter.radius()})
        EXPECT_NEAR(filter(y, x),
                    basis.paper_coefficient(filter.k) *
                        basis.basis->integral(filter.k, edge(y, -0.5), edge(y, 0.5), edge(x, -0.5), edge(x, 0.5)),
                    1e-13)
            << "mode " << filter.k << ", scale " << filter.s;
  });
}

TEST_P(AnySampledBasis, point_samples_are_values) {
  const auto basis = sampled(Sampling::point);
  for_each_filter(basis, [&](const Filter& filter) {
    const double h = basis.grid.width(filter.s) / 2;
    const double factor = basis.paper_coefficient(filter.k) / (h * h);
    for (int y = -filter.radius(); y <= filter.radius(); ++y)
      for (int x = -filter.radius(); x <= filter.radius(); ++x)
        EXPECT_NEAR(filter(y, x), factor * basis.basis->value(filter.k, y / h, x / h), 1e-13);
  });
}

TEST_P(AnySampledBasis, the_pixels_cover_the_support_and_no_ring_more) {
  const auto basis = sampled();
  for (int s = 0; s < basis.grid.count(); ++s) {
    const int radius = basis.scales[static_cast<size_t>(s)].radius;
    EXPECT_GE(radius + 0.5, basis.grid.width(s) / 2);
    EXPECT_LT(radius - 0.5, basis.grid.width(s) / 2);
  }
  EXPECT_EQ(basis.largest_radius(), basis.scales.back().radius);
}

TEST_P(AnySampledBasis, paper_coefficient_is_the_squared_half_width_over_the_norm) {
  const auto basis = sampled();
  for (int k = 0; k < basis.modes(); ++k)
    EXPECT_DOUBLE_EQ(basis.paper_coefficient(k) * basis.norms[static_cast<size_t>(k)], 3.15 * 3.15);
}

INSTANTIATE_TEST_SUITE_P(Bases, AnySampledBasis,
                         ::testing::Values("sine", "hermite-gauss", "bspline", "fourier-bessel"));

TEST(SampledBasis, the_sum_of_a_filter_is_the_integral_over_the_support_at_every_scale) {
  for (const char* name : {"sine", "hermite-gauss", "bspline"}) {
    const auto basis = sample_basis(make_spatial_basis(name, 15), ScaleGrid(9, 0.25, 5.3));
    for_each_filter(basis, [&](const Filter& filter) {
      const double integral = basis.paper_coefficient(filter.k) * basis.basis->integral(filter.k, -1, 1, -1, 1);
      EXPECT_NEAR(filter.sum(), integral, 1e-12) << name << " mode " << filter.k << ", scale " << filter.s;
    });
  }
}

TEST(SampledBasis, fourier_bessel_filters_keep_their_sum_to_the_accuracy_of_the_quadrature) {
  if (!has_basis("fourier-bessel")) GTEST_SKIP() << "built without Boost.Math";
  const auto basis = sample_basis(make_spatial_basis("fourier-bessel", 15), ScaleGrid(5, 0.25, 10));
  for_each_filter(basis, [&](const Filter& filter) {
    // On the disk: zero for m > 0, else 2 sqrt(pi)/j_0q, signed as J_1(j_0q).
    const auto& mode = basis.basis->mode(filter.k);
    const double sign = mode.row % 2 == 1 ? 1 : -1, zero = std::sqrt(mode.eigenvalue);
    const double integral = mode.column != 0 ? 0 : sign * 4 * std::sqrt(std::atan(1.0)) / zero;
    EXPECT_NEAR(filter.sum(), basis.paper_coefficient(filter.k) * integral, 1e-7) << "mode " << filter.k;
  });
}

TEST(SampledBasis, separable_filters_are_outer_products) {
  const auto basis = sample_basis(make_spatial_basis("sine", 15), ScaleGrid(3, 0.5, 5));
  EXPECT_EQ(basis.column_modes, 4);
  EXPECT_EQ(basis.row_modes, 4);
  for_each_filter(basis, [&](const Filter& filter) {
    const auto& mode = basis.basis->mode(filter.k);
    const int size = filter.scale().size(), radius = filter.radius();
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x)
        EXPECT_EQ(filter(y, x), filter.scale().columns.at(static_cast<size_t>(mode.column * size + y + radius)) *
                                    filter.scale().rows.at(static_cast<size_t>(mode.row * size + x + radius)));
  });
}

TEST(SampledBasis, filters_have_the_parity_of_their_mode) {
  for (const char* name : {"sine", "hermite-gauss"}) {
    const auto basis = sample_basis(make_spatial_basis(name, 15), ScaleGrid(3, 0.37, 5.9));
    for_each_filter(basis, [&](const Filter& filter) {
      const auto& mode = basis.basis->mode(filter.k);
      const double flip_y = mode.column % 2 == 0 ? 1 : -1, flip_x = mode.row % 2 == 0 ? 1 : -1;
      for (int y = 0; y <= filter.radius(); ++y)
        for (int x = 0; x <= filter.radius(); ++x) {
          EXPECT_NEAR(filter(-y, x), flip_y * filter(y, x), 1e-13);
          EXPECT_NEAR(filter(y, -x), flip_x * filter(y, x), 1e-13);
        }
    });
  }
}

TEST(SampledBasis, radius_is_the_smallest_that_covers_the_width) {
  for (const auto& [width, radius] : {std::pair{1.0, 0},
                                      {0.3, 0},
                                      {1.01, 1},
                                      {3.0, 1},
                                      {5.0, 2},
                                      {5.01, 3},
                                      {6.0, 3},
                                      {7.0, 3},
                                      {7.3, 4},
                                      {10.0, 5},
                                      {11.0, 5},
                                      {20.0, 10}})
    EXPECT_EQ(radius_for_width(width), radius) << "width " << width;
  EXPECT_EQ(radius_for_width(ScaleGrid(3, 1.0 / 3, 5).width(2) / std::exp2(2.0 / 3)), 2);  // 5 up to rounding
}

TEST(SampledBasis, max_kernel_size_crops_the_larger_filters) {
  const ScaleGrid grid(3, 0.5, 5);  // radii 2, 4, 5
  const auto whole = sample_basis(make_spatial_basis("sine", 8), grid);
  const auto cropped = sample_basis(make_spatial_basis("sine", 8), grid, Sampling::area, 7);
  EXPECT_EQ(cropped.scales[0].radius, 2);
  EXPECT_EQ(cropped.scales[1].radius, 3);
  EXPECT_EQ(cropped.scales[2].radius, 3);
  for_each_filter(cropped, [&](const Filter& filter) {
    for (int y = -filter.radius(); y <= filter.radius(); ++y)
      for (int x = -filter.radius(); x <= filter.radius(); ++x)
        EXPECT_EQ(filter(y, x), (Filter{whole, filter.k, filter.s}(y, x)));
  });
}

TEST(SampledBasis, bad_arguments_fail_by_name) {
  const auto sines = make_spatial_basis("sine", 8);
  const ScaleGrid grid(3, 0.5, 5);
  testing::expect_error([&] { sample_basis(nullptr, grid); }, "basis");
  testing::expect_error([&] { sample_basis(sines, grid, Sampling::area, 6); }, "max_kernel_size", "6", "odd");
  testing::expect_error([&] { sample_basis(sines, grid, Sampling::area, -3); }, "max_kernel_size", "-3");
  testing::expect_error([&] { sample_basis(sines, ScaleGrid(1, 1, 1)); }, "finest_width", "too narrow");
  testing::expect_error([&] { sample_basis(sines, grid, Sampling::area, 1); }, "vanishes");
}

}  // namespace
}  // namespace scdcf::basis
