#include "scdcf/distributed/data_parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/nn/batch_norm.h"
#include "scdcf/nn/centring.h"
#include "scdcf/nn/dropout.h"
#include "scdcf/nn/norm_relu_pool.h"
#include "scdcf/nn/vector_field.h"
#include "support/ranks.h"

namespace scdcf::distributed {
namespace {

using torch::nn::Sequential;

/// Every layer that looks across a batch, or draws noise for it.
Sequential network() {
  torch::manual_seed(1);
  return Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 4, 3)),
                    nn::NormReluPool(nn::NormReluPoolOptions(4).window(2)),
                    torch::nn::Conv2d(torch::nn::Conv2dOptions(4, 4, 3)), nn::VectorBatchNorm(2), nn::BatchNorm(4),
                    nn::Dropout(0.3), torch::nn::Flatten(), nn::Centring(4 * 3 * 3), torch::nn::Linear(36, 3));
}

torch::Tensor loss_of(Sequential& layers, const torch::Tensor& images, const torch::Tensor& labels) {
  const nn::RandomScope random(at::detail::createCPUGenerator(5));
  return torch::nn::functional::cross_entropy(layers->forward(images), labels);
}

struct Result {
  torch::Tensor gradients, buffers;
};

torch::Tensor flat(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> parts;
  for (const auto& tensor : tensors) parts.push_back(tensor.detach().to(torch::kDouble).reshape(-1));
  return torch::cat(parts);
}

struct Batch {
  torch::Tensor images, labels;
};
Batch batch_of(int64_t count) {
  const auto generator = at::detail::createCPUGenerator(3);
  return {torch::randn({count, 2, 12, 12}, generator) * 2 + 1, torch::arange(count) % 3};
}

Result in_one_piece(int64_t count) {
  const auto [images, labels] = batch_of(count);
  auto layers = network();
  const auto loss = loss_of(layers, images, labels);
  const auto gradients = torch::autograd::grad({loss}, layers->parameters());
  return {flat(gradients), flat(layers->buffers())};
}

constexpr int64_t kCounts[] = {8, 7, 3};  // even parts, odd ones, and more ranks than images

/// By rank and by kCounts.
std::vector<std::vector<Result>> in_parts(int ranks) {
  std::vector<std::vector<Result>> results(static_cast<size_t>(ranks));
  std::vector<std::vector<Sequential>> networks(static_cast<size_t>(ranks));
  for (auto& layers : networks)  // not in threads: one generator makes them
    for (size_t i = 0; i < std::size(kCounts); ++i) layers.push_back(network());
  testing::in_ranks(ranks, [&](Group& group) {
    const auto rank = static_cast<size_t>(group.rank());
    for (size_t i = 0; i < std::size(kCounts); ++i) {
      auto& layers = networks[rank][i];
      DataParallel parallel(group, /*whole_batch_norms=*/true, layers->parameters());
      const auto part = parallel.part_of(kCounts[i]);
      const auto [images, labels] = batch_of(kCounts[i]);
      const nn::BatchPartScope scope(part);
      const auto loss =
          loss_of(layers, images.narrow(0, part.first, part.count), labels.narrow(0, part.first, part.count));
      const auto gradients = parallel.gradients(loss * DataParallel::weight_of(part));
      results[rank].push_back({flat(gradients), flat(layers->buffers())});
    }
  });
  return results;
}

using DataParallelRanks = testing::RanksTest;

TEST_F(DataParallelRanks, what_is_told_is_summed_beside_the_gradients) {
  testing::in_ranks(2, [](Group& group) {
    const auto weights = torch::ones({5}, torch::requires_grad());
    DataParallel parallel(group, /*whole_batch_norms=*/false, {weights}, /*told=*/3);
    for (int step = 1; step <= 2; ++step) {
      const float own = static_cast<float>(10 * step + group.rank());
      const auto gradients = parallel.gradients(weights.sum() * step, {torch::full({2}, own), torch::ones({1})});
      EXPECT_TRUE(torch::equal(gradients.at(0), torch::full({5}, 2.0F * static_cast<float>(step))));
      EXPECT_TRUE(torch::equal(parallel.told(), torch::tensor({20.0F * step + 1, 20.0F * step + 1, 2.0F})));
    }
  });
}

TEST_F(DataParallelRanks, gradients_and_statistics_are_those_of_the_whole_batch) {
  for (const int ranks : {2, 4}) {
    const auto results = in_parts(ranks);
    for (size_t i = 0; i < std::size(kCounts); ++i) {
      const auto whole = in_one_piece(kCounts[i]);
      const auto& first = results[0][i];
      EXPECT_LT((first.gradients - whole.gradients).abs().max().item<double>(), 1e-5) << kCounts[i] << " " << ranks;
      EXPECT_LT((first.buffers - whole.buffers).abs().max().item<double>(), 1e-5) << kCounts[i] << " " << ranks;
      for (const auto& rank : results) {
        EXPECT_TRUE(torch::equal(rank[i].gradients, first.gradients)) << "ranks differ";
        EXPECT_TRUE(torch::equal(rank[i].buffers, first.buffers)) << "ranks differ";
      }
    }
  }
}

TEST_F(DataParallelRanks, parts_are_the_batch_and_none_has_one_image_where_a_norm_needs_two) {
  testing::in_ranks(3, [](Group& group) {
    for (const bool whole_norms : {false, true}) {
      const DataParallel parallel(group, whole_norms, {torch::zeros({1}, torch::requires_grad())});
      for (int64_t count = 2; count < 20; ++count) {
        const auto part = parallel.part_of(count);
        EXPECT_GE(part.count, whole_norms ? 1 : 2);
        EXPECT_LE(part.first + part.count, count);
        const auto seen = torch::zeros({count});
        if (part.counts) seen.narrow(0, part.first, part.count).fill_(1);
        const auto weight = torch::full({1}, DataParallel::weight_of(part), torch::kDouble);
        group.sum(seen);
        group.sum(weight);
        EXPECT_TRUE(torch::equal(seen, torch::ones({count})));
        EXPECT_NEAR(weight.item<double>(), 1, 1e-12);
      }
    }
  });
}

}  // namespace
}  // namespace scdcf::distributed
