// What must be true of every network of the registry.
#include "scdcf/models/registry.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>
#include <utility>

#include "support/expect_error.h"
#include "support/patterns.h"
#include "support/small_networks.h"
#include "support/traced.h"

namespace scdcf::models {
namespace {

using testing::for_natural_images;

/// Whether it has no layer of its own between features and scores.
bool without_hidden(const std::string& name) { return for_natural_images(name) && name != "resnet16-full"; }

std::shared_ptr<Network> made(const ModelOptions& options, uint64_t seed = 1) {
  torch::manual_seed(seed);
  auto network = make_model(options);
  network->to(testing::device());
  return network;
}

torch::Tensor images_for(const ModelOptions& options, int64_t count) {
  return torch::randn({count, options.in_channels, options.image_size, options.image_size},
                      testing::on_device(torch::kFloat));
}

/// Whole batches on one set of images, with Adam; the losses of the first and the last step.
std::pair<double, double> train_on(Network& network, const testing::Labelled& data, int steps) {
  torch::optim::Adam adam(network.parameters(), torch::optim::AdamOptions(0.01));
  double first = 0, last = 0;
  for (int step = 0; step < steps; ++step) {
    adam.zero_grad();
    const auto loss = torch::cross_entropy_loss(network.forward(data.images), data.labels);
    (step == 0 ? first : last) = loss.item<double>();
    loss.backward();
    for (const auto& item : network.named_parameters()) EXPECT_TRUE(item.value().grad().defined()) << item.key();
    adam.step();
  }
  return {first, last};
}

class EveryNetwork : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryNetwork, learns_and_is_the_network_that_was_trained_in_eval_mode_too) {
  const auto options = testing::small_network(GetParam());
  auto network = made(options);
  const auto data = testing::stripes(64, options.image_size, options.in_channels, options.classes);
  const auto [first, last] = train_on(*network, data, 21);
  EXPECT_LT(last, first / 2);
  const torch::NoGradGuard no_grad;
  if (GetParam() == "sevf") {
    // Its hidden features lie about zero before their norm, however the weights in front of them moved.
    const auto buffers = network->named_buffers();
    const auto deviations = buffers["head.1.running_mean"] / buffers["head.1.running_var"].sqrt();
    EXPECT_LT(deviations.abs().max().item<double>(), 1e-3);
  }
  // With resting weights nothing at all is left between the modes.
  for (int i = 0; i < 60; ++i) network->forward(data.images);
  const auto expected = network->forward(data.images);
  network->eval();
  EXPECT_LT(testing::relative_error(network->forward(data.images), expected), 0.01);
}

TEST_P(EveryNetwork, refuses_images_that_it_was_not_made_for) {
  const auto options = testing::small_network(GetParam());
  auto network = made(options);
  const auto images = images_for(options, 2);
  const auto side = options.image_size;
  for (const auto& other : {torch::cat({images, images}, 1), torch::constant_pad_nd(images, {0, 4, 0, 4}),
                            images.narrow(3, 0, side - 1), images[0]}) {
    const std::string name = GetParam() + ": images: got shape [";
    testing::expect_error([&] { network->forward(other); }, name, "expected [N, ");
    testing::expect_error([&] { network->features(other); }, name);
  }
  testing::expect_error([&] { network->forward(images.to(torch::kByte)); }, GetParam() + ": input: got type Byte");
}

/// Runs `compute` with this many threads.
template <class Compute>
auto with_threads(int threads, Compute compute) {
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  auto result = compute();
  at::set_num_threads(before);
  return result;
}

TEST_P(EveryNetwork, predicts_the_same_with_any_number_of_threads) {
  const auto options = testing::small_network(GetParam());
  auto network = made(options);
  network->eval();
  const auto images = images_for(options, 8);
  const auto scores = [&] {
    const torch::NoGradGuard no_grad;
    return network->forward(images);
  };
  const auto expected = with_threads(1, scores);
  for (const int threads : {2, 3}) {
    const auto got = with_threads(threads, scores);
#if TORCH_VERSION_MAJOR == 1
    EXPECT_TRUE(torch::equal(got, expected)) << threads;
#else  // whose matrix products add up in another order
    EXPECT_LT(testing::relative_error(got, expected), 1e-5) << threads;
#endif
  }
}

TEST(Networks, train_the_same_with_the_same_number_of_threads) {
  for (const char* name : {"scdcfnet", "cnn"}) {
    const auto options = testing::small_network(name);
    const auto data = testing::stripes(32, options.image_size, options.in_channels, options.classes);
    const auto losses = [&] { return train_on(*made(options), data, 3); };
    EXPECT_EQ(with_threads(2, losses), with_threads(2, losses)) << name;
  }
}

TEST_P(EveryNetwork, traced_before_its_first_forward_and_freed_computes_the_same) {
  const auto options = testing::small_network(GetParam());
  auto network = made(options);
  const auto same = made(options);
  const torch::NoGradGuard no_grad;
  for (const auto& each : {network, same}) each->eval();
  for (auto& parameter : network->parameters()) parameter.requires_grad_(false);
  const auto images = images_for(options, 2), expected = same->forward(images);
  auto forward = [network = std::exchange(network, nullptr)](const auto& x) { return network->forward(x); };
  EXPECT_LT(testing::relative_error(testing::traced_and_freed(std::move(forward), images), expected), 1e-5);
}

TEST_P(EveryNetwork, learns_after_a_first_forward_in_inference_mode) {
  const auto options = testing::small_network(GetParam());
  const auto network = made(options);
  const auto images = images_for(options, 4);
  const auto labels = torch::arange(4, images.options().dtype(torch::kLong));
  network->eval();  // statistics of batch-norms would become tensors of that mode
  {
    const c10::InferenceMode mode;
    network->forward(images);
  }
  network->train();
  EXPECT_NO_THROW(network->training_scores(images, labels).sum().backward());
}

TEST_P(EveryNetwork, judges_an_image_by_itself_in_eval_mode) {
  const auto options = testing::small_network(GetParam());
  const torch::NoGradGuard no_grad;
  auto network = made(options);
  const auto images = images_for(options, 8);
  network->forward(images);  // so that the batch-norms have statistics of their own
  network->eval();
  const auto together = network->forward(images);
  EXPECT_EQ(together.sizes(), (std::vector<int64_t>{8, options.classes}));
  for (const int64_t i : {0, 5})
    EXPECT_LT(testing::relative_error(network->forward(images.narrow(0, i, 1))[0], together[i]), 1e-4);
}

TEST_P(EveryNetwork, comes_back_from_its_state) {
  const auto options = testing::small_network(GetParam());
  const torch::NoGradGuard no_grad;
  auto network = made(options, 1), other = made(options, 2);
  const auto images = images_for(options, 3);
  network->forward(images);
  network->eval();
  other->eval();
  const auto expected = network->forward(images);
  EXPECT_GT(testing::relative_error(other->forward(images), expected), 1e-3);
  std::stringstream file;
  torch::serialize::OutputArchive out;
  network->save(out);
  out.save_to(file);
  torch::serialize::InputArchive in;
  in.load_from(file);
  other->load(in);
  EXPECT_TRUE(torch::equal(other->forward(images), expected));
}

TEST_P(EveryNetwork, computes_in_double_what_it_computes_in_float) {
  const auto options = testing::small_network(GetParam());
  const torch::NoGradGuard no_grad;
  auto network = made(options);
  network->eval();
  const auto images = images_for(options, 2);
  const auto single = network->forward(images);
  network->to(torch::kDouble);
  EXPECT_LT(testing::relative_error(single, network->forward(images.to(torch::kDouble))), 1e-4);
}

TEST_P(EveryNetwork, shows_the_maps_of_its_blocks) {
  const auto options = testing::small_network(GetParam());
  const torch::NoGradGuard no_grad;
  auto network = made(options);
  const auto features = network->features(images_for(options, 2));
  EXPECT_GE(features.size(), 3u);
  for (const auto& feature : features) {
    EXPECT_EQ(feature.maps.dim(), network->scale_step() > 0 ? 5 : 4) << feature.layer;
    EXPECT_EQ(feature.maps.size(0), 2);
  }
}

TEST_P(EveryNetwork, says_who_defined_it_and_refuses_options_it_has_not) {
  const auto& entry = find_model(GetParam());
  EXPECT_FALSE(entry.source.empty());
  EXPECT_FALSE(entry.symmetry.empty());
  auto options = testing::small_network(GetParam());
  if (without_hidden(GetParam())) {
    options.hidden = 7;
    testing::expect_error([&] { resolve(options); }, GetParam(), "hidden");
  } else {
    options.width = 2;
    testing::expect_error([&] { resolve(options); }, GetParam(), "width");
  }
  options = testing::small_network(GetParam());
  options.channels = {4};
  testing::expect_error([&] { resolve(options); }, GetParam(), "channels");
}

TEST_P(EveryNetwork, is_described_whole_by_its_resolved_options) {
  ModelOptions options;
  options.name = GetParam();
  const auto once = resolve(options), twice = resolve(once);
  EXPECT_FALSE(once.channels.empty());
  EXPECT_EQ(once.channels, twice.channels);
  EXPECT_EQ(once.dropout, twice.dropout);
  EXPECT_EQ(once.scales, twice.scales);
  EXPECT_EQ(once.scale_step, twice.scale_step);
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const auto& entry : all_models()) names.push_back(entry.name);
  return names;
}

std::string readable(const ::testing::TestParamInfo<std::string>& info) {
  auto name = info.param;
  for (auto& letter : name)
    if (letter == '-') letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetwork, ::testing::ValuesIn(names_of_all()), readable);

TEST(Registry, an_unknown_name_is_answered_with_the_known_ones) {
  testing::expect_error([] { find_model("vgg"); }, "vgg", "scdcfnet", "sesn", "lsi-cnn");
}

TEST(Registry, refuses_a_name_that_is_taken_and_an_entry_that_makes_nothing) {
  testing::expect_error([] { register_model(find_model("cnn")); }, "cnn", "taken");
  testing::expect_error([] { register_model({"test-nothing", "", "", nullptr, nullptr}); }, "test-nothing", "make");
}

TEST(Registry, has_the_networks_in_the_order_of_the_comparison) {
  const std::vector<std::string> expected = {
      "scdcfnet",     "cnn",           "lsi-cnn",        "si-cnn",        "ss-cnn",        "sevf",
      "dss",          "sesn",          "resnet16",       "resnet16-lsi",  "resnet16-si",   "resnet16-ss",
      "resnet16-dss", "resnet16-sesn", "resnet16-scdcf", "scdcfnet-full", "resnet16-full", "pyramid-cnn"};
  auto names = names_of_all();
  names.resize(expected.size());  // a program may have added its own behind them
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace scdcf::models
