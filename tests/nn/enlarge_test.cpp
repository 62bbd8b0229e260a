#include "scdcf/nn/enlarge.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "support/expect_error.h"
#include "support/patterns.h"

namespace scdcf::nn {
namespace {

TEST(Enlarge, by_one_is_the_image_itself) {
  const auto images = torch::rand({2, 3, 10, 12}, torch::kDouble);
  EXPECT_TRUE(torch::equal(Enlarge(EnlargeOptions(1))(images), images));
}

TEST(Enlarge, agrees_with_torch_inside_the_image_and_at_its_border_where_that_is_repeated) {
  const auto images = torch::rand({2, 1, 9, 12}, torch::kDouble);
  const auto expected = torch::nn::functional::interpolate(images, torch::nn::functional::InterpolateFuncOptions()
                                                                       .scale_factor(std::vector<double>{2, 2})
                                                                       .mode(torch::kBicubic)
                                                                       .align_corners(false));
  const auto enlarged = Enlarge(EnlargeOptions(2).padding(SpatialPadding::replicate))(images);
  EXPECT_LT((enlarged - expected).abs().max().item<double>(), 1e-12);
}

TEST(Enlarge, computes_of_a_frame_what_the_whole_has_in_its_middle) {
  const auto images = torch::rand({1, 1, 14, 14}, torch::kDouble);
  const auto whole = Enlarge(EnlargeOptions(3))(images), frame = Enlarge(EnlargeOptions(3).frame(20))(images);
  EXPECT_TRUE(torch::allclose(frame, whole.narrow(2, 11, 20).narrow(3, 11, 20), 0, 1e-12));
  const auto beyond = Enlarge(EnlargeOptions(1).frame(18))(images);
  EXPECT_EQ(beyond.narrow(2, 0, 2).abs().max().item<double>(), 0);
  EXPECT_TRUE(torch::allclose(beyond.narrow(2, 2, 14).narrow(3, 2, 14), images, 0, 1e-12));
}

TEST(Enlarge, by_each_of_several_is_one_after_the_other) {
  const auto images = torch::rand({3, 2, 10, 12}, torch::kDouble);
  std::vector<torch::Tensor> rows, columns, expected;
  for (const double factor : {0.7, 1.0, 1.9}) {
    const auto options = EnlargeOptions(factor).frame(8);
    rows.push_back(resampling_matrix(options, 10));
    columns.push_back(resampling_matrix(options, 12));
    expected.push_back(enlarge(images, options));
  }
  EXPECT_TRUE(
      torch::allclose(resample_by_each(images, torch::stack(rows), torch::stack(columns)), torch::cat(expected)));
}

TEST(Enlarge, weighs_the_pixels_as_the_sum_over_them_says) {
  const auto keys = [](double t) {
    t = std::abs(t);
    if (t <= 1) return (1.25 * t - 2.25) * t * t + 1;
    return t < 2 ? ((-0.75 * t + 3.75) * t - 6) * t + 3 : 0.0;
  };
  for (const bool replicate : {false, true})
    for (const double factor : {0.05, 0.4, 1.0, 2.6})
      for (const int64_t size : {1, 7, 20}) {
        const int64_t frame = 9;  // narrower than the image, and wider
        const auto padding = replicate ? SpatialPadding::replicate : SpatialPadding::zero;
        const auto got = resampling_matrix(EnlargeOptions(factor).frame(frame).padding(padding), size);
        const auto expected = torch::zeros({frame, size}, torch::kDouble);
        auto expected_of = expected.accessor<double, 2>();
        for (int64_t i = 0; i < frame; ++i) {
          const double place = (static_cast<double>(i) - 4) / factor + (static_cast<double>(size) - 1) / 2;
          const auto weight = [&](int64_t p) { return keys((place - static_cast<double>(p)) * std::min(1.0, factor)); };
          double sum = 0;
          for (int64_t p = -400; p < 400; ++p) sum += weight(p);
          for (int64_t p = -400; p < 400; ++p)
            if (replicate || (p >= 0 && p < size))
              expected_of[i][std::clamp<int64_t>(p, 0, size - 1)] += weight(p) / sum;
        }
        EXPECT_TRUE(torch::allclose(got, expected, 0, 1e-13)) << factor << " of " << size << " pixels, " << replicate;
      }
}

TEST(Enlarge, keeps_a_constant_and_does_not_alias_where_it_shrinks) {
  const auto replicate = EnlargeOptions(0.3).padding(SpatialPadding::replicate);
  const auto constant = torch::ones({1, 1, 30, 30}, torch::kDouble);
  EXPECT_TRUE(torch::allclose(Enlarge(replicate)(constant), torch::ones({1, 1, 9, 9}, torch::kDouble), 0, 1e-12));
  // The finest checks that pixels can have, of which a third of the pixels can show nothing.
  const auto place = torch::arange(30, torch::kDouble);
  const auto checks = torch::cos(M_PI * (place.view({-1, 1}) + place)).view({1, 1, 30, 30});
  const auto inside = Enlarge(replicate)(checks).narrow(2, 2, 5).narrow(3, 2, 5);
  EXPECT_LT(inside.abs().max().item<double>(), 0.05);
}

TEST(Enlarge, refuses_what_makes_no_sense) {
  testing::expect_error([] { Enlarge(EnlargeOptions(0)); }, "factor", "0");
  testing::expect_error([] { Enlarge(EnlargeOptions(2).frame(-1)); }, "frame", "-1");
  testing::expect_error([] { Enlarge(EnlargeOptions(2))(torch::zeros({3, 3})); }, "[3, 3]", "[N, C, H, W]");
}

}  // namespace
}  // namespace scdcf::nn
