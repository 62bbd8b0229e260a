// What only a GPU has: TF32, bfloat16 under autocast, CUDA graphs. Skipped elsewhere.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <thread>

#include "scdcf/ops/separable.h"
#include "support/conv_problem.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/autocast_mode.h>
#  include <ATen/cuda/CUDAGraph.h>
#  include <c10/cuda/CUDAFunctions.h>
#  include <c10/cuda/CUDAGuard.h>
#  include <c10/cuda/CUDAStream.h>
#endif

namespace scdcf::ops {
namespace {

#ifdef SCDCF_WITH_CUDA

class SeparableCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::device().is_cuda()) GTEST_SKIP() << "set SCDCF_TEST_DEVICE=cuda";
  }
  void TearDown() override { testing::allow_tf32(false); }

  /// A layer of the paper's kind, small; output, input gradient and coefficient gradient.
  static testing::ConvProblem layer(int64_t in, int64_t out) {
    testing::ConvProblem problem;
    problem.type = torch::kFloat;
    problem.scales = problem.taps = problem.scale_modes = 3;
    problem.modes = 15;
    problem.finest_width = 5;
    problem.batch = 3;
    problem.in = in;
    problem.out = out;
    problem.height = 14;
    problem.width = 13;
    return problem;
  }
  static std::vector<torch::Tensor> results(testing::ConvProblem problem, Algorithm algorithm, const torch::Tensor& x,
                                            const torch::Tensor& a, const torch::Tensor& cotangent) {
    problem.algorithm = algorithm;
    problem.type = a.scalar_type();
    const auto x_leaf = x.detach().clone().requires_grad_(true), a_leaf = a.detach().clone().requires_grad_(true);
    const auto out = problem.run(x_leaf, a_leaf);
    const auto gradients = torch::autograd::grad({out}, {x_leaf, a_leaf}, {cotangent.to(out.scalar_type())});
    return {out.detach(), gradients[0], gradients[1]};
  }
  /// The worst error of the separable form against the composed one in double.
  static double worst_error(const testing::ConvProblem& problem) {
    const auto x = problem.input(), a = problem.coefficients();
    const auto cotangent = torch::randn_like(problem.run(x, a));
    const auto got = results(problem, Algorithm::separable, x, a, cotangent);
    const auto expected =
        results(problem, Algorithm::composed, x.to(torch::kDouble), a.to(torch::kDouble), cotangent.to(torch::kDouble));
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, testing::relative_error(got[i], expected[i]));
    return worst;
  }
};

TEST_F(SeparableCuda, tf32_is_within_2e_3_and_fp32_within_1e_5) {
  torch::manual_seed(1);
  for (const auto& [in, out] : std::vector<std::pair<int64_t, int64_t>>{{32, 64}, {63, 95}, {1, 32}, {5, 3}}) {
    const auto problem = layer(in, out);
    EXPECT_LT(worst_error(problem), 1e-5);
    testing::allow_tf32(true);
    const double reduced = worst_error(problem);
    EXPECT_LT(reduced, 2e-3);
    testing::allow_tf32(false);
  }
}

TEST_F(SeparableCuda, the_switch_for_tf32_changes_every_result_and_back) {
  torch::manual_seed(4);
  for (const auto& [in, out] : std::vector<std::pair<int64_t, int64_t>>{{32, 64}, {63, 95}}) {
    const auto problem = layer(in, out);
    const auto x = problem.input(), a = problem.coefficients();
    const auto cotangent = torch::randn_like(problem.run(x, a));
    const auto with = [&](bool tf32) {
      testing::allow_tf32(tf32);
      return results(problem, Algorithm::separable, x, a, cotangent);
    };
    const auto exact = with(false), reduced = with(true), again = with(false);
    for (size_t i = 0; i < exact.size(); ++i) {
      EXPECT_FALSE(torch::equal(exact[i], reduced[i])) << in << "->" << out << ", result " << i;
      EXPECT_TRUE(torch::equal(exact[i], again[i])) << in << "->" << out << ", result " << i;
    }
  }
}

TEST_F(SeparableCuda, bfloat16_under_autocast_is_within_1e_2) {
  torch::manual_seed(2);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  const auto problem = layer(32, 64);
  const auto x = problem.input(), a = problem.coefficients();
  auto separable = problem;
  separable.algorithm = Algorithm::separable;
  const auto out = separable.run(x, a);
  EXPECT_EQ(out.scalar_type(), torch::kBFloat16);
  const auto cotangent = torch::randn_like(out);
  const auto got = results(problem, Algorithm::separable, x, a, cotangent);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  const auto expected =
      results(problem, Algorithm::composed, x.to(torch::kDouble), a.to(torch::kDouble), cotangent.to(torch::kDouble));
  for (size_t i = 0; i < 3; ++i) EXPECT_LT(testing::relative_error(got[i], expected[i]), 1e-2) << i;
}

TEST_F(SeparableCuda, maps_may_begin_anywhere_in_their_storage) {
  torch::manual_seed(5);
  const auto moved = [](const torch::Tensor& map) {  // one number further: no 16 bytes of it are aligned
    const auto dense = map.contiguous(at::MemoryFormat::ChannelsLast3d);
    const auto view = torch::empty({dense.numel() + 1}, dense.options()).narrow(0, 1, dense.numel());
    return view.as_strided(dense.sizes(), dense.strides()).copy_(dense);
  };
  for (const bool tf32 : {true, false})
    for (const auto& [in, out] : std::vector<std::pair<int64_t, int64_t>>{{32, 64}, {16, 16}, {1, 32}, {4, 6}}) {
      testing::allow_tf32(tf32);
      const auto problem = layer(in, out);
      const auto x = problem.input(), a = problem.coefficients();
      const auto cotangent = torch::randn_like(problem.run(x, a));
      const auto with = [&](const torch::Tensor& input, const torch::Tensor& grad) {
        auto separable = problem;
        separable.algorithm = Algorithm::separable;
        const auto x_leaf = input.detach().requires_grad_(true), a_leaf = a.detach().clone().requires_grad_(true);
        const auto result = separable.run(x_leaf, a_leaf);
        const auto gradients = torch::autograd::grad({result}, {x_leaf, a_leaf}, {grad});
        return std::vector<torch::Tensor>{result.detach(), gradients[0], gradients[1]};
      };
      const auto expected = with(x, cotangent), got = with(moved(x), moved(cotangent));
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(torch::equal(got[i], expected[i])) << in << "->" << out << ", result " << i;
    }
}

TEST_F(SeparableCuda, threads_whose_filters_differ_do_not_disturb_each_other) {
  std::atomic<int> failures{0};
  const auto work = [&](int modes) {
    auto problem = layer(32, 64);
    problem.modes = modes;  // other tiles, other amounts of shared memory
    const auto x = problem.input(), a = problem.coefficients();
    const auto cotangent = torch::randn_like(problem.run(x, a));
    try {
      for (int i = 0; i < 200; ++i) results(problem, Algorithm::separable, x, a, cotangent);
      c10::cuda::device_synchronize();
    } catch (const std::exception& error) {
      ++failures;
      ADD_FAILURE() << "K = " << modes << ": " << error.what();
    }
  };
  std::vector<std::thread> threads;
  for (const int modes : {5, 10, 15, 25}) threads.emplace_back(work, modes);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(SeparableCuda, can_be_captured_in_a_graph_and_replayed_on_new_data) {
  torch::manual_seed(3);
  auto problem = layer(32, 64);
  problem.algorithm = Algorithm::separable;
  const auto filters = problem.filters();  // constants live as long as the graph
  const auto phi = problem.phi();
  const auto sources = problem.sources();
  auto x = problem.input();
  const auto a = problem.coefficients();
  torch::Tensor out;
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    const torch::NoGradGuard no_grad;
    const auto run = [&] { return joint_conv(x, a, phi, filters, sources, problem.geometry(), Algorithm::separable); };
    run();
    c10::cuda::device_synchronize();
    graph.capture_begin();
    out = run();
    graph.capture_end();
  }
  x.copy_(problem.input());
  graph.replay();
  c10::cuda::device_synchronize();
  EXPECT_TRUE(torch::equal(out, problem.run(x, a)));
}

#endif

}  // namespace
}  // namespace scdcf::ops
