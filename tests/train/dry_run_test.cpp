#include "scdcf/train/dry_run.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/joint_conv.h"

namespace {

using scdcf::train::DryRun;
using scdcf::train::Heap;

TEST(Heap, takes_the_smallest_gap_that_fits_at_any_alignment) {
  Heap heap;
  const auto first = heap.take(10000), second = heap.take(1000), third = heap.take(5000);
  heap.take(1000);
  heap.give_back(first, 10000);
  heap.give_back(third, 5000);
  EXPECT_EQ(heap.take(4000), third);
  EXPECT_EQ(heap.take(5000), first);
  EXPECT_GT(heap.take(10000), second) << "what is left of the first is too small";
}

TEST(Heap, gaps_grow_together_and_the_top_falls) {
  Heap heap;
  const auto first = heap.take(1000), second = heap.take(1000), third = heap.take(1000);
  heap.give_back(first, 1000);
  heap.give_back(second, 1000);
  EXPECT_EQ(heap.take(1900), first);
  heap.give_back(first, 1900);
  heap.give_back(third, 1000);
  EXPECT_EQ(heap.take(100000), first);
  EXPECT_EQ(heap.most_used(), 100000);
}

TEST(DryRun, counts_tensors_that_would_not_fit_into_any_machine) {
  const DryRun dry;
  {
    const auto whole = torch::randn({1 << 20, 1 << 20, 16}).mul_(2);
    EXPECT_EQ(whole.sizes(), (std::vector<int64_t>{1 << 20, 1 << 20, 16}));
    EXPECT_EQ(dry.heap().used(), int64_t{1} << 46);
    EXPECT_EQ(whole.view({-1}).narrow(0, 3, 5).relu().numel(), 5);
  }
  EXPECT_EQ(dry.heap().used(), 0);
  EXPECT_GE(dry.heap().most(), int64_t{1} << 46);
}

TEST(DryRun, leaves_constants_random_numbers_and_what_comes_after_it_alone) {
  torch::manual_seed(1);
  const auto expected = torch::randn({4});
  torch::manual_seed(1);
  {
    const DryRun dry;
    EXPECT_TRUE(torch::randn({4}).is_meta());
    EXPECT_DOUBLE_EQ(torch::tensor({2.5}, torch::kDouble).item<double>(), 2.5);
    EXPECT_EQ(at::tensor(std::vector<uint8_t>{1, 2}, at::kByte)[1].item<int>(), 2);
  }
  EXPECT_TRUE(torch::equal(torch::randn({4}), expected));
}

/// Operators with and without a shape function of LibTorch's, and the shapes that they have on the CPU.
TEST(DryRun, has_the_shapes_of_a_run_with_values_forward_and_backward) {
  const auto run = [] {
    torch::nn::Sequential net(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, {3, 5}).stride({2, 1}).padding({1, 0}).dilation({1, 2})),
        torch::nn::BatchNorm2d(8), torch::nn::GELU(), torch::nn::Dropout(0.5),
        torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(8, 4, 3).stride(2).output_padding(1)),
        torch::nn::AdaptiveAvgPool2d(5), torch::nn::Flatten(), torch::nn::LayerNorm(std::vector<int64_t>{100}));
    const auto images = torch::randn({6, 3, 20, 18}).requires_grad_();
    const auto scores = net->forward(images);
    const auto chosen = scores.index_select(0, torch::zeros({4}, torch::kLong)).sort(1);
    auto parameters = net->parameters();
    parameters.push_back(images);
    auto shapes = torch::autograd::grad({std::get<0>(chosen).cumsum(1).sum()}, parameters);
    shapes.push_back(scores);
    shapes.push_back(std::get<1>(chosen));
    return shapes;
  };
  const auto expected = run();
  const DryRun dry;
  const auto shapes = run();
  ASSERT_EQ(shapes.size(), expected.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_TRUE(shapes[i].is_meta());
    EXPECT_EQ(shapes[i].sizes(), expected[i].sizes()) << i;
    EXPECT_EQ(shapes[i].scalar_type(), expected[i].scalar_type()) << i;
  }
}

}  // namespace
