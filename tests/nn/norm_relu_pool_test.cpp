#include "scdcf/nn/norm_relu_pool.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "scdcf/nn/pooling.h"
#include "support/device.h"
#include "support/expect_error.h"

namespace scdcf::nn {
namespace {

TEST(NormReluPoolLayer, is_the_three_layers_it_replaces_and_shares_their_state) {
  torch::manual_seed(1);
  ScaleBatchNorm norm(6);
  NormReluPool fused(NormReluPoolOptions(6).window(4).padding(2));
  norm->to(testing::device());
  fused->to(testing::device());
  const SpatialPoolOptions pool = SpatialPoolOptions(4).padding(2);
  const auto x = torch::randn({3, 6, 2, 7, 7}, testing::on_device(torch::kFloat));
  for (int step = 0; step < 3; ++step)
    EXPECT_LT(testing::relative_error(fused(x + step), SpatialAvgPool(pool)(torch::relu(norm(x + step)))), 1e-5);
  for (auto* module : std::initializer_list<torch::nn::Module*>{fused.get(), norm.get()}) module->eval();
  EXPECT_LT(testing::relative_error(fused(x), SpatialAvgPool(pool)(torch::relu(norm(x)))), 1e-5);
  const auto names = [](const torch::nn::Module& module) {
    std::vector<std::string> found = module.named_parameters().keys();
    for (const auto& name : module.named_buffers().keys()) found.push_back(name);
    return found;
  };
  EXPECT_EQ(names(*fused), names(*norm));
  EXPECT_EQ(fused->num_batches_tracked.item<int64_t>(), 3);

  std::stringstream stream;  // torch's state into the fused layer
  torch::save(norm, stream);
  NormReluPool loaded(NormReluPoolOptions(6).window(4).padding(2));
  torch::load(loaded, stream);
  loaded->to(testing::device());
  loaded->eval();
  EXPECT_LT(testing::relative_error(loaded(x), fused(x)), 1e-5);
}

TEST(NormReluPoolLayer, can_be_cloned_and_printed) {
  NormReluPool layer(NormReluPoolOptions(4).window(3).stride(2).padding(1));
  const auto copy = std::dynamic_pointer_cast<NormReluPoolImpl>(layer->clone());
  EXPECT_TRUE(torch::equal(copy->weight, layer->weight));
  std::ostringstream text;
  text << layer;
  EXPECT_EQ(text.str(), "scdcf::nn::NormReluPool(4, window 3, stride 2, padding 1)");
}

TEST(NormReluPoolLayer, refuses_options_that_make_no_sense) {
  testing::expect_error([] { NormReluPool(NormReluPoolOptions(0)); }, "channels", "0");
  testing::expect_error([] { NormReluPool(NormReluPoolOptions(4).window(2).padding(2)); }, "padding", "2");
  testing::expect_error([] { NormReluPool(NormReluPoolOptions(4).eps(0)); }, "eps", "0");
  testing::expect_error([] { NormReluPool(NormReluPoolOptions(4).momentum(1.5)); }, "momentum", "1.5");
}

}  // namespace
}  // namespace scdcf::nn
