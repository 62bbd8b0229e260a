#include "scdcf/ops/separable.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

#include "scdcf/core/runtime.h"
#include "scdcf/ops/cpu/separable_kernel.h"
#include "support/conv_problem.h"
#include "support/expect_error.h"

namespace scdcf::ops {
namespace {

using testing::ConvProblem;
using testing::relative_error;

ConvProblem separable_problem(torch::ScalarType type = torch::kDouble) {
  ConvProblem problem;
  problem.algorithm = Algorithm::separable;
  problem.type = type;
  return problem;
}

/// Output and both gradients in one vector, for a fixed random cotangent.
std::vector<torch::Tensor> all_results(const ConvProblem& problem, const torch::Tensor& input,
                                       const torch::Tensor& coefficients, uint64_t seed = 99) {
  const auto x = input.detach().clone().requires_grad_(true), a = coefficients.detach().clone().requires_grad_(true);
  const auto out = problem.run(x, a);
  torch::manual_seed(seed);
  const auto cotangent = torch::randn(out.sizes(), torch::kDouble).to(out.device(), out.scalar_type());
  (out * cotangent).sum().backward();
  return {out.detach(), x.grad(), a.grad()};
}

/// The largest relative error of output and gradients against the composed reference in double.
double worst_error(ConvProblem problem) {
  const auto x = problem.input(), a = problem.coefficients();
  problem.algorithm = Algorithm::separable;
  const auto got = all_results(problem, x, a);
  problem.algorithm = Algorithm::composed;
  problem.type = torch::kDouble;
  const auto expected = all_results(problem, x.to(torch::kDouble), a.to(torch::kDouble));
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].sizes(), expected[i].sizes());
    worst = std::max(worst, relative_error(got[i], expected[i]));
  }
  return worst;
}

ConvProblem random_problem(std::mt19937& engine) {
  const auto pick = [&engine](int lo, int hi) {
    return lo + static_cast<int>(engine() % static_cast<unsigned>(hi - lo + 1));
  };
  ConvProblem problem;
  problem.lifting = pick(0, 4) == 0;
  problem.scales = pick(1, 5);
  problem.taps = pick(1, 4);
  problem.scale_modes = pick(1, problem.taps);
  problem.modes = pick(1, 15);
  problem.batch = pick(1, 3);
  const std::vector<int64_t> channels{1, 2, 3, 5, 16, 17, 31, 63};
  problem.in = channels[static_cast<size_t>(pick(0, problem.lifting ? 3 : 7))];
  problem.out = channels[static_cast<size_t>(pick(0, 7))];
  problem.height = pick(1, 13);
  problem.width = pick(1, 13);
  problem.finest_width = pick(20, 60) / 10.0;
  problem.basis = std::vector<std::string>{"sine", "hermite-gauss", "bspline"}[static_cast<size_t>(pick(0, 2))];
  problem.judge.stride = pick(1, 2);
  problem.judge.padding = static_cast<SpatialPadding>(pick(0, 1));
  problem.judge.support = problem.taps % 2 == 1 ? static_cast<ScaleSupport>(pick(0, 1)) : ScaleSupport::one_sided;
  problem.judge.scale_padding = static_cast<ScalePadding>(pick(0, 1));
  return problem;
}

/// Runs `check` on problems whose filters are wide enough for their modes.
template <class Check>
void over_random_problems(int count, uint32_t seed, Check check) {
  std::mt19937 engine(seed);
  for (int i = 0; i < count;) {
    const auto problem = random_problem(engine);
    try {
      problem.filters();
    } catch (const Error&) {
      continue;
    }
    check(problem);
    ++i;
  }
}

TEST(Separable, equals_the_direct_sum) {
  torch::manual_seed(1);
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none})
    for (const int64_t stride : {1, 2})
      for (const bool lifting : {false, true}) {
        auto problem = separable_problem();
        problem.lifting = lifting;
        problem.height = 9;
        problem.width = 8;
        problem.judge.stride = stride;
        problem.judge.padding = padding;
        EXPECT_LT(problem.error(), 1e-12);
      }
}

/// grad(|grad(sum f^2)|^2), for all leaves: what a gradient penalty needs.
std::vector<torch::Tensor> penalty_gradients(const ConvProblem& problem, const torch::Tensor& x,
                                             const torch::Tensor& a) {
  const auto leaf = [](const torch::Tensor& t) { return t.detach().clone().requires_grad_(true); };
  const auto input = leaf(x), coefficients = leaf(a);
  const auto gradients = torch::autograd::grad({problem.run(input, coefficients).square().sum()}, {input, coefficients},
                                               {}, /*retain_graph=*/true, /*create_graph=*/true);
  auto penalty = gradients[0].square().sum() + gradients[1].square().sum();
  auto found = torch::autograd::grad({penalty}, {input, coefficients});
  found.push_back(gradients[0].detach());
  found.push_back(gradients[1].detach());
  return found;
}

TEST(Separable, has_the_second_derivatives_of_the_composed_form) {
  torch::manual_seed(21);
  for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate, SpatialPadding::none})
    for (const int64_t stride : {1, 2})
      for (const bool lifting : {false, true}) {
        auto problem = separable_problem(), composed = problem;
        problem.lifting = composed.lifting = lifting;
        problem.judge.stride = composed.judge.stride = stride;
        problem.judge.padding = composed.judge.padding = padding;
        problem.height = problem.width = composed.height = composed.width = 9;
        composed.algorithm = Algorithm::composed;
        const auto x = problem.input(), a = problem.coefficients();
        const auto got = penalty_gradients(problem, x, a), expected = penalty_gradients(composed, x, a);
        for (size_t i = 0; i < got.size(); ++i)
          EXPECT_LT(testing::relative_error(got[i], expected[i]), 1e-12) << i << name_of(padding) << stride << lifting;
      }
}

TEST(Separable, equals_the_composed_form_in_double) {
  torch::manual_seed(2);
  over_random_problems(60, 7, [](const ConvProblem& problem) { EXPECT_LT(worst_error(problem), 1e-11); });
}

TEST(Separable, float32_is_within_1e_5) {
  torch::manual_seed(3);
  over_random_problems(60, 8, [](ConvProblem problem) {
    problem.type = torch::kFloat;
    EXPECT_LT(worst_error(problem), 1e-5);
  });
}

TEST(Separable, handles_unfriendly_sizes) {
  torch::manual_seed(4);
  const std::vector<std::pair<ConvProblem, double>> sizes = {
      {ConvProblem::of_size(1, 1, 1, 1, 1, 1), 5},    {ConvProblem::of_size(7, 7, 63, 95, 3, 3), 7},
      {ConvProblem::of_size(2, 3, 95, 63, 2, 2), 11}, {ConvProblem::of_size(1, 40, 33, 1, 2, 1), 8},
      {ConvProblem::of_size(40, 1, 1, 33, 2, 3), 8},  {ConvProblem::of_size(5, 5, 7, 2, 1, 4), 33}};
  for (auto [problem, finest_width] : sizes)
    for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate}) {
      problem.type = torch::kFloat;
      problem.modes = 8;
      problem.finest_width = finest_width;
      problem.judge.padding = padding;
      EXPECT_LT(worst_error(problem), 1e-5)
          << problem.height << "x" << problem.width << " " << problem.in << "->" << problem.out;
    }
}

TEST(Separable, gradients_match_central_differences) {
  torch::manual_seed(5);
  for (const bool lifting : {false, true})
    for (const int64_t stride : {1, 2}) {
      auto problem = separable_problem();
      problem.lifting = lifting;
      problem.batch = 1;
      problem.out = problem.scales = 2;
      problem.height = problem.width = 4;
      problem.judge.stride = stride;
      problem.check_gradients();
    }
}

TEST(Separable, gives_the_same_gradient_whether_one_or_both_are_asked_for) {
  torch::manual_seed(6);
  auto problem = separable_problem();
  const auto x = problem.input().requires_grad_(true), a = problem.coefficients().requires_grad_(true);
  const auto both = torch::autograd::grad({problem.run(x, a).sum()}, {x, a});
  const auto of_input = torch::autograd::grad({problem.run(x, a.detach()).sum()}, {x})[0];
  const auto of_coefficients = torch::autograd::grad({problem.run(x.detach(), a).sum()}, {a})[0];
  EXPECT_LT(relative_error(of_input, both[0]), 1e-14);
  EXPECT_LT(relative_error(of_coefficients, both[1]), 1e-14);
}

TEST(Separable, any_memory_layout_gives_the_same_bits) {
  torch::manual_seed(7);
  auto problem = separable_problem();
  const auto x = problem.input(), a = problem.coefficients();
  const auto expected = all_results(problem, x, a);
  const auto last = all_results(problem, x.contiguous(at::MemoryFormat::ChannelsLast3d), a);
  const auto strided = all_results(problem, torch::cat({x, x}, 4).slice(4, 0, problem.width), a);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(torch::equal(expected[i], last[i]));
    EXPECT_TRUE(torch::equal(expected[i], strided[i]));
  }
  EXPECT_TRUE(expected[0].is_contiguous(at::MemoryFormat::ChannelsLast3d));
}

TEST(Separable, an_empty_batch_gives_an_empty_result_and_zero_gradients) {
  auto problem = separable_problem();
  problem.batch = 0;
  const auto results = all_results(problem, problem.input(), problem.coefficients());
  EXPECT_EQ(results[0].size(0), 0);
  EXPECT_EQ(results[2].abs().sum().item<double>(), 0);
}

TEST(Separable, repeats_bit_for_bit) {
  torch::manual_seed(8);
  auto problem = separable_problem(torch::kFloat);
  problem.batch = 5;
  problem.in = 19;
  problem.out = 33;
  const auto x = problem.input(), a = problem.coefficients();
  const auto once = all_results(problem, x, a), again = all_results(problem, x, a);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(torch::equal(once[i], again[i]));
}

TEST(Separable, does_not_depend_on_the_number_of_threads) {
  if (testing::device().is_cuda()) GTEST_SKIP() << "threads of the CPU";
  torch::manual_seed(9);
  auto problem = separable_problem(torch::kFloat);
  problem.batch = 3;
  problem.in = 19;
  const auto x = problem.input(), a = problem.coefficients();
  const int before = threads();
  set_threads(1);
  const auto one = all_results(problem, x, a);
  set_threads(2);
  const auto two = all_results(problem, x, a);
  set_threads(before);
  EXPECT_TRUE(torch::equal(one[0], two[0]));
  EXPECT_TRUE(torch::equal(one[1], two[1]));
  EXPECT_LT(relative_error(one[2], two[2]), 1e-6);  // the coefficients' gradient is summed thread by thread
}

TEST(Separable, every_simd_level_of_this_processor_is_right) {
  if (testing::device().is_cuda()) GTEST_SKIP() << "instruction sets of the CPU";
  const auto best = cpu::best_simd_level();
  for (int level = 0; level <= static_cast<int>(best); ++level) {
    cpu::set_simd_level(static_cast<cpu::SimdLevel>(level));
    torch::manual_seed(10);
    over_random_problems(25, 11, [](ConvProblem problem) {
      EXPECT_LT(worst_error(problem), 1e-11) << cpu::simd_level_name();
      problem.type = torch::kFloat;
      EXPECT_LT(worst_error(problem), 1e-5) << cpu::simd_level_name();
    });
  }
  cpu::set_simd_level(best);
}

/// Where `values` is not a number must be exactly where `reached` is not zero.
void expect_nan_exactly_where(const torch::Tensor& values, const torch::Tensor& reached, const ConvProblem& problem) {
  EXPECT_TRUE(torch::equal(values.isnan(), reached != 0))
      << problem.in << "->" << problem.out << ", batch " << problem.batch << ", stride " << problem.judge.stride
      << ", padding " << static_cast<int>(problem.judge.padding) << ": " << values.isnan().sum().item<int64_t>()
      << " not a number, expected " << (reached != 0).sum().item<int64_t>();
}

TEST(Separable, a_nan_stays_within_its_receptive_field) {
  if (testing::device().is_cuda()) GTEST_SKIP() << "zeros that fill up tensor-core tiles meet the NaN there";
  const auto best = cpu::best_simd_level();
  struct Layer {
    int64_t in, out, batch;
    bool lifting;
  };
  for (int level = 0; level <= static_cast<int>(best); ++level) {
    cpu::set_simd_level(static_cast<cpu::SimdLevel>(level));
    for (const Layer& layer : {Layer{1, 32, 3, true}, Layer{1, 5, 17, true}, Layer{3, 5, 16, false},
                               Layer{17, 17, 2, false}, Layer{32, 33, 1, false}, Layer{48, 32, 2, false}})
      for (const auto padding : {SpatialPadding::zero, SpatialPadding::replicate})
        for (const int64_t stride : {1, 2}) {
          auto problem = separable_problem();
          problem.lifting = layer.lifting;
          problem.in = layer.in;
          problem.out = layer.out;
          problem.batch = layer.batch;
          problem.height = 19;
          problem.width = 21;
          problem.modes = 8;
          problem.judge.padding = padding;
          problem.judge.stride = stride;
          // Coefficients are random: what a pixel reaches is not zero.
          auto x = torch::zeros_like(problem.input()), a = problem.coefficients();
          const auto filters = problem.filters();
          const auto pixel = [&](torch::Tensor map, double value) {
            map.index_put_({layer.batch - 1, torch::indexing::Slice(), 0, 9, 13}, value);
            return map;
          };
          const auto out = problem.run(pixel(x, 1.0), a);
          expect_nan_exactly_where(problem.run(pixel(x, NAN), a), out, problem);
          auto cotangent = torch::zeros_like(out);
          const auto gradient = [&](double value) {
            const auto input = torch::ones_like(x).requires_grad_(true);
            cotangent.index_put_({0, torch::indexing::Slice(), problem.scales - 1, 4, 5}, value);
            return torch::autograd::grad({problem.run(input, a)}, {input}, {cotangent})[0];
          };
          expect_nan_exactly_where(gradient(NAN), gradient(1.0), problem);
        }
  }
  cpu::set_simd_level(best);
}

TEST(Separable, the_meta_device_knows_the_shape) {
  const auto options = torch::TensorOptions(torch::kFloat).device(torch::kMeta);
  const SeparableArguments arguments{{0, 0, 0, 1}, {2, 3}, {0, 0, 0, 1, 1, 0}, 1, 2, 2, 0};
  const auto out = separable_joint_conv(torch::empty({4, 3, 2, 9, 8}, options), torch::empty({1, 2, 3, 5}, options),
                                        torch::empty({3 * 5 + 3 * 7}, options), arguments);
  EXPECT_EQ(out.sizes(), (std::vector<int64_t>{4, 5, 2, 5, 4}));
}

TEST(Algorithm, automatic_is_separable_for_the_papers_layers_and_composed_where_there_are_no_factors) {
  ConvProblem problem;
  problem.modes = 15;
  problem.finest_width = 5;
  problem.in = 32;
  problem.out = 64;
  const auto choose = [](const ConvProblem& p) {
    return choose_algorithm(p.input().to(torch::kFloat), p.coefficients(), p.phi(), p.filters(), p.sources(),
                            p.geometry());
  };
  EXPECT_EQ(choose(problem), Algorithm::separable);
  try {
    problem.basis = "fourier-bessel";
    problem.filters();
  } catch (const Error&) {
    return;  // built without Boost
  }
  EXPECT_EQ(choose(problem), Algorithm::composed);
  problem.algorithm = Algorithm::separable;
  testing::expect_error([&] { problem.run(problem.input(), problem.coefficients()); }, "fourier-bessel", "separable");
}

/// Seconds of work: on a CPU those of this process alone, whatever else the machine does.
double work_so_far() {
  if (!testing::device().is_cuda()) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST(Algorithm, automatic_takes_the_form_that_takes_less_work) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers distort the times";
#endif
  torch::manual_seed(12);
  struct Layer {
    double finest_width;
    int modes, taps;
    int64_t in, out, size;
  };
  int decided = 0;
  for (const Layer& layer : {Layer{3, 8, 2, 16, 16, 12}, Layer{3, 4, 1, 16, 32, 12}, Layer{5, 15, 3, 16, 32, 12},
                             Layer{5, 15, 3, 64, 32, 7}, Layer{9, 15, 2, 16, 16, 20}, Layer{15, 8, 1, 8, 8, 24}}) {
    ConvProblem problem;
    problem.type = torch::kFloat;
    // With a batch of 4 the clock of a GPU would measure the launches, which both forms have, and not the work.
    problem.batch = testing::device().is_cuda() ? 128 : 4;
    problem.finest_width = layer.finest_width;
    problem.modes = layer.modes;
    problem.taps = problem.scale_modes = layer.taps;
    problem.in = layer.in;
    problem.out = layer.out;
    problem.height = problem.width = layer.size;
    const auto x = problem.input().requires_grad_(true), a = problem.coefficients().requires_grad_(true);
    // Made once: sampling filters and drawing cotangents on the host would be in the times of both forms.
    const auto phi = problem.phi();
    const auto filters = problem.filters();
    const auto sources = problem.sources();
    const auto cotangent = torch::randn_like(problem.run(x, a).detach());
    const auto best_of = [&](Algorithm algorithm) {
      double best = 1e9;
      for (int i = 0; i < 6; ++i) {  // the first one warms up
        if (testing::device().is_cuda()) torch::cuda::synchronize();
        const double start = work_so_far();
        joint_conv(x, a, phi, filters, sources, problem.geometry(), algorithm).backward(cotangent);
        if (testing::device().is_cuda()) torch::cuda::synchronize();
        if (i > 0) best = std::min(best, work_so_far() - start);
      }
      return best;
    };
    const double composed = best_of(Algorithm::composed), separable = best_of(Algorithm::separable);
    const auto chosen = choose_algorithm(x, a, phi, filters, sources, problem.geometry());
    // Only a clear difference counts: the rest is noise, and costs little either way.
    if (std::max(composed, separable) < 2 * std::min(composed, separable)) continue;
    ++decided;
    EXPECT_EQ(chosen, separable < composed ? Algorithm::separable : Algorithm::composed)
        << "width " << layer.finest_width << ", composed " << composed << " s, separable " << separable << " s";
  }
  EXPECT_GT(decided, 0) << "no layer showed a clear difference";
}

}  // namespace
}  // namespace scdcf::ops
