#include "scdcf/ops/constant.h"

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <thread>

#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::ops {
namespace {

const Constant kThirds({1.0 / 3, 2.0 / 3}, {2, 1});

TEST(Constant, is_converted_from_double_once_for_each_type_and_device) {
  const auto& single = kThirds.on(torch::kFloat, testing::device());
  const auto& full = kThirds.like(torch::zeros({5}, testing::on_device(torch::kDouble)));
  EXPECT_EQ(single.sizes(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(full[0].item<double>(), 1.0 / 3);
  EXPECT_EQ(single[0].item<float>(), 1.0F / 3);
  const auto copy = kThirds;
  EXPECT_TRUE(copy.on(torch::kFloat, testing::device()).is_same(single));
  EXPECT_TRUE(kThirds.on(torch::kDouble, testing::device()).is_same(full));
}

TEST(Constant, is_an_ordinary_tensor_wherever_it_is_first_used) {
  const Constant constant({2.0}, {1});
  {
    const c10::InferenceMode mode;
    EXPECT_FALSE(constant.on(torch::kFloat, testing::device()).is_inference());
  }
  const auto x = torch::ones({1}, testing::on_device(torch::kFloat)).requires_grad_();
  (x * constant.like(x)).sum().backward();
  EXPECT_EQ(x.grad().item<float>(), 2);
}

TEST(Constant, is_one_tensor_for_threads_that_use_it_first) {
  for (int round = 0; round < 50; ++round) {
    const Constant constant(std::vector<double>(1000, 3.0), {1000});
    std::vector<torch::Tensor> seen(6);
    std::vector<std::thread> threads;
    for (auto& tensor : seen) threads.emplace_back([&] { tensor = constant.on(torch::kFloat, torch::kCPU); });
    for (auto& thread : threads) thread.join();
    for (const auto& tensor : seen) EXPECT_TRUE(tensor.is_same(seen.front()) && tensor.eq(3).all().item<bool>());
  }
}

TEST(Constant, refuses_values_that_do_not_fill_its_shape) {
  testing::expect_error([] { Constant({1.0, 2.0}, {3, 1}); }, "got 2 values", "expected 3");
}

}  // namespace
}  // namespace scdcf::ops
