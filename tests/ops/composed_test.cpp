#include "scdcf/ops/composed.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/conv_problem.h"
#include "support/device.h"
#include "support/expect_error.h"
#include "support/gradcheck.h"

namespace scdcf::ops {
namespace {

using testing::ConvProblem;

TEST(Composed, equals_the_direct_sum_for_every_padding_support_and_stride) {
  torch::manual_seed(1);
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none})
    for (const auto support : {ScaleSupport::one_sided, ScaleSupport::centred})
      for (const auto scale_padding : {ScalePadding::replicate, ScalePadding::zero})
        for (const int64_t stride : {1, 2}) {
          ConvProblem problem;
          problem.height = 9;
          problem.width = 8;
          problem.taps = 3;
          problem.judge = {stride, padding, support, scale_padding};
          EXPECT_LT(problem.error(), 1e-12) << name_of(padding) << name_of(support) << name_of(scale_padding) << stride;
        }
}

TEST(Composed, equals_the_direct_sum_for_lifting) {
  torch::manual_seed(2);
  for (const int64_t stride : {1, 2}) {
    ConvProblem problem;
    problem.lifting = true;
    problem.judge.stride = stride;
    EXPECT_LT(problem.error(), 1e-12);
  }
}

TEST(Composed, equals_the_direct_sum_for_every_basis) {
  torch::manual_seed(3);
  for (const auto& name : {"sine", "hermite-gauss", "bspline", "fourier-bessel"}) {
    try {
      basis::make_spatial_basis(name, 1);
    } catch (const Error&) {
      continue;  // built without Boost
    }
    ConvProblem problem;
    problem.basis = name;
    problem.finest_width = 5;
    EXPECT_LT(problem.error(), 1e-12) << name;
  }
}

TEST(Composed, handles_odd_sizes) {
  torch::manual_seed(4);
  for (const auto& problem : {ConvProblem::of_size(1, 1, 1, 1, 1, 1), ConvProblem::of_size(1, 5, 3, 1, 2, 3),
                              ConvProblem::of_size(2, 3, 1, 5, 4, 2), ConvProblem::of_size(5, 5, 7, 2, 1, 4)})
    EXPECT_LT(problem.error(), 1e-12) << problem.height << "x" << problem.width;
}

TEST(Composed, float32_is_right_to_its_precision) {
  torch::manual_seed(5);
  ConvProblem problem;
  problem.type = torch::kFloat;
  EXPECT_LT(problem.error(), 1e-5);
}

TEST(Composed, gradients_match_central_differences) {
  torch::manual_seed(6);
  for (const bool lifting : {false, true})
    for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none}) {
      ConvProblem problem;
      problem.lifting = lifting;
      problem.batch = 1;
      problem.out = 2;
      problem.scales = 2;
      problem.judge.padding = padding;
      problem.check_gradients();
    }
}

TEST(Composed, any_memory_layout_gives_the_same_result) {
  torch::manual_seed(7);
  ConvProblem problem;
  const auto x = problem.input(), a = problem.coefficients();
  const auto expected = problem.run(x, a);
  EXPECT_LT(testing::relative_error(problem.run(x.contiguous(at::MemoryFormat::ChannelsLast3d), a), expected), 1e-14);
  const auto strided = torch::cat({x, x}, 4).slice(4, 0, problem.width);
  EXPECT_FALSE(strided.is_contiguous());
  EXPECT_LT(testing::relative_error(problem.run(strided, a), expected), 1e-14);
  EXPECT_LT(testing::relative_error(problem.run(x, a.transpose(0, 1).contiguous().transpose(0, 1)), expected), 1e-14);
}

TEST(Composed, an_empty_batch_gives_an_empty_result_and_zero_gradients) {
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none}) {
    ConvProblem problem;
    problem.batch = 0;
    problem.width = 8;
    problem.judge.padding = padding;
    const auto a = problem.coefficients().requires_grad_(true);
    const auto out = problem.run(problem.input(), a);
    EXPECT_EQ(out.size(0), 0);
    EXPECT_EQ(out.size(1), 3);
    out.sum().backward();
    EXPECT_EQ(a.grad().abs().sum().item<double>(), 0);
  }
}

TEST(Composed, shapes_that_do_not_fit_are_named) {
  ConvProblem problem;
  const auto x = problem.input(), a = problem.coefficients();
  testing::expect_error([&] { problem.run(x.select(2, 0), a); }, "input", "[N, C, S, H, W]");
  testing::expect_error([&] { problem.run(torch::cat({x, x}, 1), a); }, "4 channels", "expected 2");
  testing::expect_error([&] { problem.run(x.slice(2, 0, 1), a); }, "1 scales", "expected at least");
  testing::expect_error([&] { problem.run(x, a.slice(3, 0, 2)); }, "2 modes", "expected 4");
  testing::expect_error([&] { problem.run(x, a.slice(2, 0, 1)); }, "scale basis");
  testing::expect_error([&] { problem.run(x.to(torch::kFloat), a); }, "type", "Double");
  auto none = problem;
  none.judge.padding = SpatialPadding::none;
  testing::expect_error([&] { none.run(x.slice(3, 0, 2), a); }, "2 x 6 pixels", "expected at least");
  auto strided = problem;
  strided.judge.stride = 3;
  testing::expect_error([&] { strided.run(x, a); }, "stride", "got 3");
}

}  // namespace
}  // namespace scdcf::ops
