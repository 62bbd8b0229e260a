// Batch-norm, ReLU and average pooling in one operator must be those three of torch, on the device under test.
#include "scdcf/ops/norm_relu_pool.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/core/runtime.h"
#include "scdcf/ops/cpu/separable_kernel.h"
#include "support/gradcheck.h"
#include "support/norm_problem.h"

namespace scdcf::ops {
namespace {

using testing::NormProblem;

const char* const kResults[] = {"y", "grad_x", "grad_weight", "grad_bias", "running_mean", "running_var"};

/// Everything that the operator computes in `type`, against torch in double on the same numbers.
void expect_torch(const NormProblem& problem, torch::ScalarType type, double tolerance) {
  torch::manual_seed(1);
  const auto a = testing::cast_arguments(problem.arguments(), type);
  auto exact = a;
  for (auto& tensor : exact) tensor = tensor.to(torch::kDouble);
  const auto cotangent = torch::randn_like(problem.run(testing::cast_arguments(problem.arguments(), type)));
  const auto got = problem.results(a, cotangent);
  const auto expected = problem.results(exact, cotangent.to(torch::kDouble), true);
  EXPECT_EQ(got[0].scalar_type(), type);
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].sizes(), expected[i].sizes()) << kResults[i];
    EXPECT_LT(testing::relative_error(got[i], expected[i]), tolerance)
        << kResults[i] << ", x " << torch::IntArrayRef(problem.shape) << ", window " << problem.pool.window
        << ", stride " << problem.pool.stride << ", padding " << problem.pool.padding;
  }
}

/// Shapes and pools that between them reach every path: whole and broken windows, pixels in no window or in several,
/// channels that fill vectors and that do not, more channels than a block has threads.
std::vector<NormProblem> problems() {
  std::vector<NormProblem> list;
  const std::vector<AveragePool> pools{{1, 1, 0}, {2, 2, 0}, {4, 4, 2}, {3, 2, 1}, {2, 1, 0}, {2, 3, 1}, {1, 2, 0}};
  const std::vector<std::vector<int64_t>> shapes{{3, 5, 2, 7, 6}, {2, 1, 3, 5, 8},   {2, 63, 1, 6, 7}, {4, 32, 5, 7, 7},
                                                 {5, 96, 4, 5},   {1, 300, 2, 4, 5}, {2, 8, 6, 9},     {2, 1100, 4, 4}};
  for (const auto& shape : shapes)
    for (const auto& pool : pools) {
      NormProblem problem;
      problem.shape = shape;
      problem.pool = pool;
      list.push_back(problem);
    }
  NormProblem last;  // the last pooling of the SMNIST network at 56 x 56
  last.shape = {3, 96, 5, 14, 14};
  last.pool = {8, 8, 2};
  list.push_back(last);
  for (size_t i = 0, count = list.size(); i < count; ++i) {
    list.push_back(list[i]);
    list.back().keeps_zero = true;
  }
  return list;
}

TEST(NormReluPool, has_the_second_derivatives_of_torch) {
  torch::manual_seed(22);
  for (const auto& shape : {std::vector<int64_t>{3, 4, 2, 6, 5}, {3, 4, 6, 5}})
    for (const bool training : {true, false})
      for (const bool keeps_zero : {true, false}) {
        NormProblem problem;
        problem.shape = shape;
        problem.pool = {3, 2, 1};
        problem.training = training;
        problem.keeps_zero = keeps_zero;
        const auto given = problem.arguments();
        const auto second = [&](bool by_torch) {
          std::vector<torch::Tensor> a;
          for (size_t i = 0; i < given.size(); ++i) a.push_back(given[i].detach().clone().requires_grad_(i < 3));
          const auto y = by_torch ? problem.run_torch(a) : problem.run(a);
          const auto first = torch::autograd::grad({y.pow(3).sum()}, {a[0], a[1], a[2]}, {}, true, true);
          auto penalty = first[0].square().sum() + first[1].square().sum() + first[2].square().sum();
          auto found = torch::autograd::grad({penalty}, {a[0], a[1], a[2]});
          for (const auto& gradient : first) found.push_back(gradient.detach());
          return found;
        };
        const auto got = second(false), expected = second(true);
        for (size_t i = 0; i < got.size(); ++i)
          EXPECT_LT(testing::relative_error(got[i], expected[i]), 1e-11) << i << training << keeps_zero;
      }
}

TEST(NormReluPool, equals_torch_in_double) {
  for (const auto& problem : problems()) expect_torch(problem, torch::kDouble, 1e-12);
}

TEST(NormReluPool, equals_torch_in_float_to_1e_5) {
  for (const auto& problem : problems()) expect_torch(problem, torch::kFloat, 1e-5);
}

TEST(NormReluPool, equals_torch_in_bfloat16_to_1e_2) {
  if (!testing::device().is_cuda()) GTEST_SKIP() << "bfloat16 has kernels on a GPU alone";
  for (const auto& problem : problems()) expect_torch(problem, torch::kBFloat16, 1e-2);
}

TEST(NormReluPool, evaluation_uses_the_running_statistics_and_leaves_them) {
  for (auto problem : problems()) {
    problem.training = false;
    expect_torch(problem, torch::kFloat, 1e-5);
    const auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
    const auto after = problem.results(a, torch::ones_like(problem.run(a)));
    EXPECT_TRUE(torch::equal(after[4], a[3]) && torch::equal(after[5], a[4]));
  }
}

TEST(NormReluPool, gradients_are_those_of_finite_differences) {
  for (const auto& [training, keeps_zero] :
       {std::pair{true, false}, std::pair{false, false}, std::pair{true, true}, std::pair{false, true}})
    for (const AveragePool& pool : {AveragePool{1, 1, 0}, AveragePool{2, 2, 0}, AveragePool{3, 2, 1}}) {
      torch::manual_seed(2);
      NormProblem problem;
      problem.shape = {2, 3, 2, 5, 4};
      problem.pool = pool;
      problem.training = training;
      problem.keeps_zero = keeps_zero;
      const auto a = problem.arguments();
      testing::expect_gradients(
          [&](const std::vector<torch::Tensor>& in) {
            return problem.run({in[0], in[1], in[2], a[3].clone(), a[4].clone()});
          },
          {a[0], a[1], a[2]});
    }
}

TEST(NormReluPool, keeps_zero_where_asked_to) {
  for (auto problem : problems()) {
    if (!problem.keeps_zero) continue;
    auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
    a[0].narrow(0, 0, 1).zero_();
    EXPECT_LT(problem.run(a)[0].abs().max().item<double>(), 1e-5);
    a[2].fill_(10);  // all is above zero, and zero not left as it is
    problem.keeps_zero = false;
    EXPECT_GT(problem.run(a)[0].abs().max().item<double>(), 1);
  }
}

TEST(NormReluPool, accepts_any_layout_and_returns_channels_last) {
  torch::manual_seed(3);
  NormProblem problem;
  problem.shape = {2, 8, 3, 6, 5};
  const auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
  const auto plain = a[0].contiguous();
  const auto expected = problem.run(a);
  EXPECT_TRUE(expected.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  auto spread =
      torch::empty({2, 8, 3, 6, 11}, a[0].options()).narrow(4, 2, 9).slice(4, 0, 9, 2);  // every second column
  spread.copy_(plain);
  // Channels last, but beginning at an address that no vector load may use.
  auto shifted = torch::empty({plain.numel() + 1}, a[0].options())
                     .narrow(0, 1, plain.numel())
                     .view({2, 3, 6, 5, 8})
                     .permute({0, 4, 1, 2, 3});
  shifted.copy_(plain);
  for (const auto& x : {plain, plain.contiguous(at::MemoryFormat::ChannelsLast3d), spread, shifted}) {
    auto b = a;
    b[0] = x;
    b[3] = a[3].clone();
    b[4] = a[4].clone();
    EXPECT_LT(testing::relative_error(problem.run(b), expected), 1e-6);
  }
  problem.shape = {2, 8, 6, 5};
  EXPECT_TRUE(problem.run(problem.arguments()).is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(NormReluPool, a_large_mean_beside_a_small_deviation_costs_no_digits) {
  torch::manual_seed(4);
  NormProblem problem;
  problem.shape = {8, 12, 2, 9, 9};
  for (const double deviation : {1.0, 0.05}) {
    auto a = problem.arguments();
    a[0] = a[0] * deviation + 1e4;
    a = testing::cast_arguments(a, torch::kFloat);  // x is exact in both from here on
    auto exact = a;
    for (auto& tensor : exact) tensor = tensor.to(torch::kDouble);
    const auto cotangent = torch::randn_like(problem.run(testing::cast_arguments(problem.arguments(), torch::kFloat)));
    const auto got = problem.results(a, cotangent);
    const auto expected = problem.results(exact, cotangent.to(torch::kDouble), true);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_LT(testing::relative_error(got[i], expected[i]), 1e-5) << kResults[i];
  }
}

TEST(NormReluPool, lets_a_bad_number_through_instead_of_hiding_it) {
  NormProblem problem;
  auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
  a[0][0][2][0][0][0] = std::numeric_limits<float>::quiet_NaN();
  const auto y = problem.run(a);
  EXPECT_TRUE(y.select(1, 2).isnan().all().item<bool>());
  EXPECT_FALSE(y.select(1, 1).isnan().any().item<bool>());
}

TEST(NormReluPool, repeats_bit_for_bit_and_for_any_number_of_threads) {
  torch::manual_seed(5);
  NormProblem problem;
  problem.shape = {16, 33, 5, 14, 13};
  const auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
  const auto cotangent = torch::randn_like(problem.run(a));
  const int before = threads();
  set_threads(1);
  const auto one = problem.results(a, cotangent);
  set_threads(2);
  const auto two = problem.results(a, cotangent), again = problem.results(a, cotangent);
  set_threads(before);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(torch::equal(one[i], two[i])) << kResults[i];
    EXPECT_TRUE(torch::equal(two[i], again[i])) << kResults[i];
  }
}

TEST(NormReluPool, every_simd_level_of_this_processor_is_right) {
  if (testing::device().is_cuda()) GTEST_SKIP() << "levels of the CPU";
  for (int level = 0; level <= static_cast<int>(cpu::best_simd_level()); ++level) {
    cpu::set_simd_level(static_cast<cpu::SimdLevel>(level));
    for (const auto& problem : problems()) expect_torch(problem, torch::kFloat, 1e-5);
  }
  cpu::set_simd_level(cpu::best_simd_level());
}

TEST(NormReluPool, an_empty_batch_gives_an_empty_result_and_changes_no_statistics) {
  for (const bool training : {true, false}) {
    NormProblem problem;
    problem.shape = {0, 5, 2, 6, 6};
    problem.training = training;
    const auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
    const auto found = problem.results(a, torch::empty({0, 5, 2, 3, 3}, a[0].options()));
    EXPECT_EQ(found[0].sizes(), (std::vector<int64_t>{0, 5, 2, 3, 3}));
    EXPECT_EQ(found[1].sizes(), a[0].sizes());
    EXPECT_TRUE(torch::equal(found[2], torch::zeros_like(a[1])) && torch::equal(found[3], torch::zeros_like(a[2])));
    EXPECT_TRUE(torch::equal(found[4], a[3]) && torch::equal(found[5], a[4]));
  }
}

TEST(NormReluPool, gradients_that_nobody_asks_for_are_not_needed) {
  NormProblem problem;
  auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
  a[1].requires_grad_(true);
  const auto y = problem.run(a);
  y.sum().backward();
  EXPECT_TRUE(a[1].grad().defined());
  EXPECT_FALSE(a[0].grad().defined());
}

TEST(NormReluPool, has_a_shape_without_data) {
  const auto meta = torch::TensorOptions(torch::kFloat).device(torch::kMeta);
  const auto channel = torch::empty({32}, meta);
  const auto y =
      norm_relu_pool(torch::empty({2, 32, 5, 7, 7}, meta), channel, channel, channel, channel, {}, {4, 4, 2});
  EXPECT_EQ(y.sizes(), (std::vector<int64_t>{2, 32, 5, 2, 2}));
}

}  // namespace
}  // namespace scdcf::ops
