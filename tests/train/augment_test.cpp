// What augmentation does to an image, for draws whose outcome is known.
#include "scdcf/train/augment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scdcf/theory/group_action.h"
#include "scdcf/train/random.h"
#include "support/device.h"

namespace {

using namespace scdcf;
using scdcf::testing::on_device;
using train::AugmentOptions;

/// 0.5 everywhere: the size and the place stay, nothing is flipped, a hole is in the middle.
torch::Tensor middling_draws(int64_t count) {
  return torch::full({count, train::kDraws}, 0.5, on_device(torch::kFloat));
}

torch::Tensor noise_images(int64_t count, int64_t channels = 2) {
  torch::manual_seed(3);
  return torch::randn({count, channels, 28, 28}).to(scdcf::testing::device());
}

torch::Tensor black_of(const torch::Tensor& images) {
  return torch::tensor({-0.4F, 0.3F}).view({1, 2, 1, 1}).to(images.device());
}

/// Of sampling noise of deviation 1 at whole pixels: coordinates in [-1, 1] are rounded to float.
constexpr double kRounding = 3e-5;

double farthest(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

TEST(Augment, middling_draws_change_nothing) {
  const auto images = noise_images(3);
  const auto result = train::augment(images, middling_draws(3), {1.0, 4, true, 0}, black_of(images));
  EXPECT_LE(farthest(result, images), kRounding);
}

TEST(Augment, without_options_the_images_are_returned_as_they_are) {
  const auto images = noise_images(2);
  EXPECT_TRUE(train::augment(images, {}, {}, black_of(images)).is_same(images));
  EXPECT_FALSE(AugmentOptions{}.any());
  EXPECT_TRUE((AugmentOptions{0, 0, false, 2}.any()));
}

TEST(Augment, a_flip_mirrors_left_and_right) {
  const auto images = noise_images(2);
  auto draws = middling_draws(2);
  draws[1][train::kDrawFlip] = 0.49;
  const auto result = train::augment(images, draws, {0, 0, true, 0}, black_of(images));
  EXPECT_LE(farthest(result[0], images[0]), kRounding);
  EXPECT_LE(farthest(result[1], images[1].flip(2)), kRounding);
}

TEST(Augment, a_crop_moves_by_whole_pixels_and_black_comes_in) {
  const int padding = 2;
  const auto images = noise_images(25);
  const auto black = black_of(images);
  auto draws = middling_draws(25);
  for (int64_t i = 0; i < 25; ++i) {  // every one of the 5 x 5 places
    draws[i][train::kDrawShiftX] = (static_cast<double>(i % 5) + 0.5) / 5;
    draws[i][train::kDrawShiftY] = (static_cast<double>(i / 5) + 0.5) / 5;
  }
  const auto result = train::augment(images, draws, {0, padding, false, 0}, black);
  auto padded = black.expand({25, 2, 28 + 2 * padding, 28 + 2 * padding}).clone();
  padded.slice(2, padding, 28 + padding).slice(3, padding, 28 + padding).copy_(images);
  for (int64_t i = 0; i < 25; ++i) {
    const auto expected = padded[i].slice(1, i / 5, i / 5 + 28).slice(2, i % 5, i % 5 + 28);
    EXPECT_LE(farthest(result[i], expected), kRounding) << i;
  }
}

TEST(Augment, the_extreme_draws_stay_within_the_padding) {
  const auto images = noise_images(2);
  auto draws = torch::zeros({2, train::kDraws}, on_device(torch::kFloat));
  draws[1].fill_(std::nextafter(1.0F, 0.0F));
  const auto result = train::augment(images, draws, {0, 3, false, 0}, black_of(images));
  EXPECT_LE(farthest(result[0].slice(1, 3).slice(2, 3), images[0].slice(1, 0, 25).slice(2, 0, 25)), kRounding);
  EXPECT_LE(farthest(result[1].slice(1, 0, 25).slice(2, 0, 25), images[1].slice(1, 3).slice(2, 3)), kRounding);
}

TEST(Augment, scale_jitter_enlarges_about_the_centre) {
  const auto images = noise_images(5);
  const auto black = black_of(images);
  auto draws = middling_draws(5);
  const double octaves = 0.8;
  for (int64_t i = 0; i < 5; ++i) draws[i][train::kDrawScale] = static_cast<double>(i) / 4;
  AugmentOptions options;
  options.scale_octaves = octaves;
  options.interpolation = "bilinear";
  const auto result = train::augment(images, draws, options, black);
  for (int64_t i = 0; i < 5; ++i) {
    const double beta = (2 * static_cast<double>(i) / 4 - 1) * octaves;
    const auto expected =
        theory::act_on_image((images[i] - black[0]).cpu(), {beta, 0, 0}, theory::Interpolation::bilinear) +
        black[0].cpu();
    // At the border the two differ in what lies half a pixel outside.
    const int64_t border = beta >= 0 ? 1 : 10;
    const auto inner = [&](const torch::Tensor& t) {
      return t.slice(1, border, 28 - border).slice(2, border, 28 - border);
    };
    EXPECT_LE(farthest(inner(result[i].cpu()), inner(expected)), 1e-4) << beta;
  }
}

/// Keys' kernel for a = -3/4, as torch's grid_sampler has it.
double keys(double t) {
  t = std::abs(t);
  if (t <= 1) return (1.25 * t - 2.25) * t * t + 1;
  return t < 2 ? ((-0.75 * t + 3.75) * t - 6) * t + 3 : 0;
}

TEST(Augment, bicubic_is_keys_interpolation_with_black_beyond_the_border) {
  const auto images = noise_images(1);
  const auto black = black_of(images);
  const auto in = (images - black).cpu();
  const auto pixel = in.accessor<float, 4>();
  AugmentOptions options;
  options.scale_octaves = 1;
  for (const double draw : {0.2, 0.9}) {
    auto draws = middling_draws(1);
    draws[0][train::kDrawScale] = draw;
    const auto result = train::augment(images, draws, options, black).cpu();
    const double factor = std::exp2(2 * draw - 1);
    const auto looked_up = [&](int64_t at) { return (static_cast<double>(at) - 13.5) / factor + 13.5; };
    for (const auto& [y, x] : {std::pair<int64_t, int64_t>{0, 0}, {3, 7}, {14, 14}, {20, 27}, {27, 1}}) {
      double expected = 0.3;
      for (int64_t i = 0; i < 28; ++i)
        for (int64_t j = 0; j < 28; ++j)
          expected += keys(looked_up(y) - static_cast<double>(i)) * keys(looked_up(x) - static_cast<double>(j)) *
                      pixel[0][1][i][j];
      EXPECT_NEAR(result[0][1][y][x].item<double>(), expected, 1e-4) << y << " " << x << " " << draw;
    }
  }
}

TEST(Augment, a_factor_of_one_changes_nothing_under_either_law_and_interpolation) {
  const auto images = noise_images(2);
  for (const char* law : {"octaves", "factor"})
    for (const char* interpolation : {"bilinear", "bicubic"}) {
      AugmentOptions options;
      options.scale_octaves = 1;
      options.scale_law = law;
      options.interpolation = interpolation;
      auto draws = middling_draws(2);
      if (options.scale_law == "factor") draws.select(1, train::kDrawScale).fill_(1.0 / 3);  // 0.5 + 1.5 / 3
      EXPECT_LE(farthest(train::augment(images, draws, options, black_of(images)), images), kRounding)
          << law << " " << interpolation;
    }
}

TEST(Augment, the_law_of_the_factor_is_uniform_between_the_same_ends) {
  const auto images = noise_images(1);
  AugmentOptions octaves, factor;
  octaves.scale_octaves = factor.scale_octaves = 1;
  factor.scale_law = "factor";
  for (const double draw : {0.0, 0.25, 0.9}) {
    auto draws = middling_draws(1), same = middling_draws(1);
    draws[0][train::kDrawScale] = draw;
    same[0][train::kDrawScale] = (std::log2(0.5 + 1.5 * draw) + 1) / 2;
    EXPECT_LE(farthest(train::augment(images, draws, factor, black_of(images)),
                       train::augment(images, same, octaves, black_of(images))),
              1e-4)
        << draw;
  }
}

TEST(Augment, the_hole_has_its_size_and_is_black) {
  const auto images = noise_images(3);
  const auto black = black_of(images);
  for (const int side : {1, 4, 7}) {
    auto draws = middling_draws(3);
    draws[1][train::kDrawHoleX] = 0;  // half of it lies beyond the left border
    draws[2][train::kDrawHoleX] = 0.25;
    const auto result = train::augment(images, draws, {0, 0, false, side}, black);
    const auto changed = (result != images).any(1);
    EXPECT_EQ(changed[0].sum().item<int64_t>(), side * side);
    EXPECT_EQ(changed[1].sum().item<int64_t>(), side * (side - side / 2));
    EXPECT_EQ(changed[2].sum().item<int64_t>(), side * side);
    EXPECT_TRUE(changed[2][14][7].item<bool>()) << "centre at pixel floor(0.25 * 28)";
    EXPECT_EQ(farthest(torch::where(changed.unsqueeze(1), black, images), result), 0);
  }
}

double keys_kernel(double t) {
  constexpr double a = -0.75;
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// A line sampled at places a factor apart, and the line that these samples give back: one sum after the other.
std::vector<double> sampled_and_enlarged(const std::vector<double>& line, double factor, double phase) {
  const auto side = static_cast<int>(line.size());
  std::vector<double> result(line.size(), 0);
  for (int k = -2 * side; k <= 2 * side; ++k) {
    const double place = (side - 1) / 2.0 + factor * (k + phase);
    double sample = 0;
    for (int j = 0; j < side; ++j) sample += keys_kernel(place - j) * line[static_cast<size_t>(j)];
    for (int i = 0; i < side; ++i) result[static_cast<size_t>(i)] += keys_kernel((i - place) / factor) * sample;
  }
  return result;
}

TEST(Augment, lost_detail_is_what_sampling_further_apart_leaves) {
  const double octaves = 1.5, share = 0.5;
  const auto images = noise_images(4);
  const auto black = black_of(images);
  auto draws = middling_draws(4);
  const std::vector<double> places = {0, 0.4, 1 - 1e-6, 1};  // of the share: the last image is not of it
  const std::vector<double> phases = {0, 0.9, 0.3, 0.2};
  for (int64_t i = 0; i < 4; ++i) {
    draws[i][train::kDrawDetail] = share * places[static_cast<size_t>(i)];
    draws[i][train::kDrawDetailX] = phases[static_cast<size_t>(i)];
    draws[i][train::kDrawDetailY] = 1 - phases[static_cast<size_t>(i)];
  }
  const auto result = train::augment(images, draws, {0, 0, false, 0, octaves, share}, black);
  EXPECT_LE(farthest(result[0], images[0]), 1e-5)
      << "reduced by nothing, sampled at the pixels, which lie half a pixel from the centre";
  EXPECT_TRUE(torch::equal(result[3], images[3]));
  for (int64_t i = 0; i < 3; ++i) {
    const double factor = std::exp2(octaves * places[static_cast<size_t>(i)]);
    const auto along = [&](const torch::Tensor& lines, double phase) {  // each line of [n, side]
      auto changed = lines.clone();
      for (int64_t y = 0; y < lines.size(0); ++y) {
        const auto line = lines[y].contiguous();
        const std::vector<double> values(line.data_ptr<double>(), line.data_ptr<double>() + line.numel());
        changed[y] = torch::tensor(sampled_and_enlarged(values, factor, phase - 0.5), torch::kDouble);
      }
      return changed;
    };
    const auto image = (images - black)[i][1].cpu().to(torch::kDouble);
    const auto x = phases[static_cast<size_t>(i)];
    const auto expected = along(along(image, x).t().contiguous(), 1 - x).t();
    EXPECT_LE(farthest((result - black)[i][1].cpu().to(torch::kDouble), expected), 1e-4) << factor;
  }
}

TEST(Augment, what_has_no_detail_keeps_all_of_itself) {
  const auto images = torch::ones({3, 2, 28, 28}, on_device(torch::kFloat));
  auto draws = torch::rand({3, train::kDraws}, on_device(torch::kFloat));
  draws.select(1, train::kDrawDetail).fill_(0.9);
  const auto result = train::augment(images, draws, {0, 0, false, 0, 1.5, 1.0}, black_of(images));
  const auto inner = [](const torch::Tensor& all) { return all.slice(2, 9, 19).slice(3, 9, 19); };  // black comes in
  EXPECT_LE(farthest(inner(result), inner(images)), 1e-4);
}

TEST(Augment, lost_detail_takes_black_to_lie_beyond_the_border) {
  const auto black = black_of(noise_images(1));
  const auto images = black.expand({2, 2, 28, 28}).contiguous();
  auto draws = torch::zeros({2, train::kDraws}, on_device(torch::kFloat));
  draws.select(1, train::kDrawDetail).fill_(0.9);
  EXPECT_LE(farthest(train::augment(images, draws, {0, 0, false, 0, 2.0, 1.0}, black), images), 1e-6);
}

TEST(Augment, draws_repeat_with_the_seed_and_change_with_the_epoch) {
  const auto draw = [](uint64_t seed, uint64_t epoch) {
    return train::draw_augmentation(
        50, at::detail::createCPUGenerator(train::stream_seed(seed, train::Purpose::augmentation, epoch)));
  };
  const auto first = draw(1, 0);
  EXPECT_EQ(first.sizes(), torch::IntArrayRef({50, train::kDraws}));
  EXPECT_TRUE(torch::equal(first, draw(1, 0)));
  EXPECT_EQ((first == draw(1, 1)).sum().item<int64_t>(), 0);
  EXPECT_EQ((first == draw(2, 0)).sum().item<int64_t>(), 0);
  EXPECT_GE(first.min().item<double>(), 0);
  EXPECT_LT(first.max().item<double>(), 1);
}

}  // namespace
