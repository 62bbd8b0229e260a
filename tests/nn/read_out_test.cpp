#include "scdcf/nn/read_out.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>

#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

TEST(ReadOut, finds_the_maximum_and_says_where_it_is) {
  auto scores = torch::zeros({2, 3, 4, 5, 6});
  scores[0][1][2][3][4] = 7;
  scores[1][2][0][0][5] = 3;
  const auto found = read_out(scores);
  EXPECT_EQ(found.scores[0][1].item<float>(), 7);
  EXPECT_EQ(found.plane[0][1].item<int64_t>(), 2);
  EXPECT_EQ(found.y[0][1].item<int64_t>(), 3);
  EXPECT_EQ(found.x[0][1].item<int64_t>(), 4);
  EXPECT_EQ(found.scores[1][2].item<float>(), 3);
  EXPECT_EQ(found.x[1][2].item<int64_t>(), 5);
}

TEST(ReadOut, looks_at_the_planes_it_is_told_to) {
  auto scores = torch::zeros({1, 1, 5});
  scores[0][0][1] = 2;
  scores[0][0][4] = 1;
  EXPECT_EQ(read_out(scores).plane.item<int64_t>(), 1);
  const auto coarse = read_out(scores, {2, 4});
  EXPECT_EQ(coarse.scores.item<float>(), 1);
  EXPECT_EQ(coarse.plane.item<int64_t>(), 4);
  testing::expect_error([&] { read_out(scores, {3, 5}); }, "3 to 5", "0 to 4");
  testing::expect_error([&] { read_out(torch::zeros({2, 2})); }, "[2, 2]");
}

TEST(ReadOut, does_not_change_where_scores_move_along_the_planes_and_in_the_plane) {
  const auto inner = torch::rand({2, 3, 2, 4, 4}) + 1;
  const auto at = [&](int64_t plane, int64_t y) {
    auto scores = torch::zeros({2, 3, 6, 9, 9});
    scores.narrow(2, plane, 2).narrow(3, y, 4).narrow(4, 1, 4).copy_(inner);
    return read_out(scores);
  };
  const auto here = at(0, 0), there = at(3, 5);
  EXPECT_TRUE(torch::equal(here.scores, there.scores));
  EXPECT_TRUE(torch::equal(here.plane + 3, there.plane));
  EXPECT_TRUE(torch::equal(here.y + 5, there.y));
}

TEST(ReadOut, the_centre_is_the_mean_of_the_pixels_about_it) {
  const auto odd = torch::rand({2, 3, 5, 7}), even = torch::rand({2, 4, 6});
  EXPECT_TRUE(torch::equal(centre_of(odd), odd.index({"...", 2, 3})));
  EXPECT_TRUE(torch::allclose(centre_of(even), even.narrow(1, 1, 2).narrow(2, 2, 2).mean(c10::IntArrayRef{1, 2})));
}

TEST(ReadOut, the_top_of_a_parabola_is_found_between_planes_and_beyond_the_ends) {
  const auto place = torch::arange(6, torch::kDouble);
  const std::vector<double> tops = {2.3, 3.5, 0.2, -0.3, -0.8, 5.4, 7};
  std::vector<torch::Tensor> parabolas;
  for (const double top : tops) parabolas.push_back(-(place - top).square());
  const auto scores = torch::stack(parabolas), plane = scores.argmax(1);
  const auto peak = peak_plane(scores, plane), between = interpolated_plane(scores, plane);
  for (size_t i = 0; i < tops.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    EXPECT_NEAR(peak[at].item<double>(), tops[i], 1e-9);
    EXPECT_NEAR(between[at].item<double>(), std::clamp(tops[i], -0.5, 5.5), 1e-9) << "half a plane beyond at most";
  }
}

TEST(ReadOut, where_scores_rise_to_the_end_without_bending_they_peak_far_beyond_it) {
  const auto place = torch::arange(5, torch::kDouble);
  const auto scores = torch::stack({place, -place, place.square()});
  const auto plane = scores.argmax(1), peak = peak_plane(scores, plane), between = interpolated_plane(scores, plane);
  EXPECT_GT(peak[0].item<double>(), 100);
  EXPECT_LT(peak[1].item<double>(), -100);
  EXPECT_GT(peak[2].item<double>(), 100);
  EXPECT_TRUE(torch::allclose(between, torch::tensor({4.5, -0.5, 4.5}, torch::kDouble)));
}

TEST(ReadOut, fewer_than_three_planes_say_no_more_than_which_is_the_highest) {
  for (const int64_t count : {1, 2}) {
    const auto scores = torch::rand({4, count}), plane = scores.argmax(1);
    EXPECT_TRUE(torch::equal(peak_plane(scores, plane), plane.to(torch::kFloat)));
    EXPECT_TRUE(torch::equal(interpolated_plane(scores, plane), plane.to(torch::kFloat)));
  }
  const auto flat = torch::ones({1, 5});
  EXPECT_EQ(interpolated_plane(flat, torch::tensor({2})).item<float>(), 2);
}

}  // namespace
}  // namespace scdcf::nn
