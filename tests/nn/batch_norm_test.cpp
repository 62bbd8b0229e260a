#include "scdcf/nn/batch_norm.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "support/expect_error.h"
#include "support/layers.h"

namespace scdcf::nn {
namespace {

TEST(BatchNorm, is_torchs_own_with_the_names_of_its_state) {
  torch::manual_seed(0);
  BatchNorm ours(3);
  torch::nn::BatchNorm2d theirs(3);
  for (int i = 0; i < 3; ++i) {
    const auto input = torch::randn({4, 3, 5, 5}) * 2 + 1;
    EXPECT_TRUE(torch::equal(ours(input), theirs(input)));
  }
  EXPECT_EQ(ours->named_parameters().keys(), theirs->named_parameters().keys());
  EXPECT_EQ(ours->named_buffers().keys(), theirs->named_buffers().keys());
  for (const auto& buffer : theirs->named_buffers())
    EXPECT_TRUE(torch::equal(ours->named_buffers()[buffer.key()], buffer.value())) << buffer.key();
  ours->eval();
  theirs->eval();
  const auto input = torch::randn({1, 3, 5, 5});
  EXPECT_TRUE(torch::equal(ours(input), theirs(input)));
}

TEST(BatchNorm, of_a_batch_that_is_a_part_has_the_statistics_of_the_sum) {
  torch::manual_seed(0);
  const auto input = torch::randn({4, 3, 5, 5}) * 2 + 100;
  BatchNorm alone(3), part(3);
  BatchPart whole;  // a sum of one part
  whole.count = whole.whole = 4;
  whole.sum = [](const torch::Tensor& tensor) { return tensor; };
  const BatchPartScope scope(whole);
  EXPECT_LT((part(input) - torch::batch_norm(input, alone->weight, alone->bias, alone->running_mean, alone->running_var,
                                             true, 0.1, 1e-5, false))
                .abs()
                .max()
                .item<double>(),
            1e-4);  // of values about 100
  EXPECT_TRUE(torch::allclose(part->running_mean, alone->running_mean, 1e-5));
  EXPECT_TRUE(torch::allclose(part->running_var, alone->running_var, 1e-4));
}

TEST(BatchNorm, refuses_what_it_cannot_normalise) {
  testing::expect_error([] { BatchNorm(0); }, "channels: got 0");
  testing::expect_error(
      [] {
        BatchNorm(3)(torch::zeros({2, 4}));
      },
      "got 4 channels (dimension 1 of [2, 4]), expected 3");
  testing::expect_error([] { BatchNorm(3)(torch::zeros({1, 3})); }, "more than one value");
}

}  // namespace
}  // namespace scdcf::nn
