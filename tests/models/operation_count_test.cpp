#include "scdcf/models/operation_count.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scdcf/models/registry.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::models {
namespace {

std::shared_ptr<Network> counted_network(const std::string& name) {
  ModelOptions options;
  options.name = name;
  options.channels = {2, 3, 4};
  options.hidden = 8;
  const auto network = make_model(options);
  network->to(testing::device());
  return network;
}

torch::Tensor blank(int64_t count = 1) { return torch::zeros({count, 1, 28, 28}, testing::on_device(torch::kFloat)); }

TEST(OperationCount, is_the_sum_over_convolutions_and_linear_layers) {
  const auto network = counted_network("cnn");
  const int64_t convolutions = 49 * (28 * 28 * 1 * 2 + 14 * 14 * 2 * 3 + 7 * 7 * 3 * 4), linear = 16 * 8 + 8 * 10;
  EXPECT_EQ(count_multiply_adds(*network, blank()), convolutions + linear);
  EXPECT_EQ(count_multiply_adds(*network, blank(3)), 3 * (convolutions + linear));
}

TEST(OperationCount, of_one_kernel_at_several_sizes_is_more_than_of_one) {
  EXPECT_GT(count_multiply_adds(*counted_network("si-cnn"), blank()),
            3 * count_multiply_adds(*counted_network("cnn"), blank()));
}

TEST(OperationCount, leaves_the_network_in_its_mode_and_counts_in_eval_mode) {
  const auto network = counted_network("cnn");
  const auto batches = [&] { return network->named_buffers()["block1.3.num_batches_tracked"].item<int64_t>(); };
  network->train();
  count_multiply_adds(*network, blank());
  EXPECT_TRUE(network->is_training());
  EXPECT_EQ(batches(), 0);
  network->eval();
  count_multiply_adds(*network, blank());
  EXPECT_FALSE(network->is_training());
}

TEST(OperationCount, of_a_pass_that_fails_leaves_no_trace) {
  const auto network = counted_network("cnn");
  const auto whole = count_multiply_adds(*network, blank());
  network->train();
  EXPECT_ANY_THROW(count_multiply_adds(*network, torch::zeros({1, 2, 28, 28}, testing::on_device(torch::kFloat))));
  EXPECT_TRUE(network->is_training());
  // A count that still went on would count this one twice.
  EXPECT_EQ(count_multiply_adds(*network, blank()), whole);
}

}  // namespace
}  // namespace scdcf::models
