// What only a GPU has: bfloat16 under autocast, CUDA graphs. Skipped elsewhere.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/norm_problem.h"

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

class NormReluPoolCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::device().is_cuda()) GTEST_SKIP() << "set SCDCF_TEST_DEVICE=cuda";
  }
};

TEST_F(NormReluPoolCuda, keeps_the_features_type_under_autocast_as_batch_norm_does) {
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  const testing::NormProblem problem;
  for (const auto autocast : {at::kBFloat16, at::kHalf}) {
    at::autocast::set_autocast_dtype(at::kCUDA, autocast);
    for (const auto type : {torch::kFloat, torch::kBFloat16})
      EXPECT_EQ(problem.run(testing::cast_arguments(problem.arguments(), type)).scalar_type(), type);
    auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
    a[0] = a[0].to(torch::kHalf);
    EXPECT_EQ(problem.run(a).scalar_type(), torch::kFloat);
  }
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCUDA, false);
}

TEST_F(NormReluPoolCuda, can_be_captured_in_a_graph_with_its_backward_and_replayed_on_new_data) {
  torch::manual_seed(1);
  testing::NormProblem problem;
  problem.shape = {4, 32, 5, 14, 14};
  auto a = testing::cast_arguments(problem.arguments(), torch::kFloat);
  for (size_t i = 0; i < 3; ++i) a[i].requires_grad_(true);
  const auto cotangent = torch::randn({4, 32, 5, 7, 7}, a[0].options().requires_grad(false));
  std::vector<torch::Tensor> found;
  at::cuda::CUDAGraph graph;
  const auto run = [&] {
    const auto y = problem.run(a);
    found = torch::autograd::grad({y}, {a[0], a[1], a[2]}, {cotangent});
    found.push_back(y.detach());
  };
  {
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    run();
    c10::cuda::device_synchronize();
    graph.capture_begin();
    run();
    graph.capture_end();
  }
  const auto captured = found;
  a[0].detach().copy_(torch::randn_like(a[0]));
  const auto mean_before = a[3].clone();
  graph.replay();
  c10::cuda::device_synchronize();
  EXPECT_FALSE(torch::equal(mean_before, a[3]));  // the running statistics move with every replay
  run();
  c10::cuda::device_synchronize();
  for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(torch::equal(captured[i], found[i])) << i;
}

#endif

}  // namespace
}  // namespace scdcf::ops
