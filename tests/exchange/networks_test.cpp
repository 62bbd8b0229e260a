// Every network, as it is and as others read it. The ONNX files are left, with images and what is to be said of them,
// for the test `onnx_runtime`, which runs them.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "scdcf/exchange/network.h"
#include "scdcf/exchange/onnx.h"
#include "scdcf/exchange/torchscript.h"
#include "support/onnx_file.h"
#include "support/small_networks.h"

namespace scdcf::exchange {
namespace {

using Words = std::vector<std::string>;

/// How far outputs may be apart. A size is read between planes, off the small differences of their scores.
double allowed(const std::string& output) { return output == "size" ? 1e-4 : 1e-5; }

/// A network to export, under a name of its own.
struct Case {
  std::string name;
  models::ModelOptions options;
};

/// All that there are, and options that bring in operators of their own.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& entry : models::all_models()) all.push_back({entry.name, testing::small_network(entry.name)});
  const auto add = [&](const char* name, const char* model, auto&& change) {
    all.push_back({name, testing::small_network(model)});
    change(all.back().options);
  };
  add("scdcfnet-max-zero", "scdcfnet", [](auto& options) {
    options.pooling = "max";
    options.scale_padding = "zero";
  });
  add("scdcfnet-composed", "scdcfnet", [](auto& options) { options.algorithm = "composed"; });
  add("cnn-average", "cnn", [](auto& options) { options.pooling = "average"; });
  for (const char* model : {"cnn", "scdcfnet"})
    add(model == std::string("cnn") ? "cnn-norm-first" : "scdcfnet-norm-first", model, [](auto& options) {
      options.pooling = "max";
      options.block = "norm-relu-pool";
    });
  add("sesn-relu-average-norm", "sesn", [](auto& options) {
    options.pooling = "average";
    options.block = "relu-pool-norm";
  });
  for (const char* model : {"scdcfnet-full", "pyramid-cnn"})
    add(model == std::string("pyramid-cnn") ? "pyramid-cnn-anywhere" : "scdcfnet-full-anywhere", model,
        [](auto& options) {
          options.read_out = "anywhere";
          options.padding = "replicate";
        });
  add("scdcfnet-full-planes", "scdcfnet-full", [](auto& options) { options.planes_per_level = 2; });
  return all;
}

/// With norms and biases as training leaves them: not zeros and ones.
std::shared_ptr<models::Network> trained(const models::ModelOptions& options) {
  torch::manual_seed(1);
  auto network = models::make_model(options);
  network->eval();
  const torch::NoGradGuard no_grad;
  for (auto& item : network->named_buffers())
    if (item.key().find("mean") != std::string::npos) item.value().normal_(0, 0.1);
  for (auto& item : network->named_buffers())
    if (item.key().find("var") != std::string::npos) item.value().uniform_(0.5, 1.5);
  for (auto& parameter : network->parameters())
    if (parameter.dim() == 1) parameter.add_(0.2 * torch::randn_like(parameter));
  return network;
}

Surroundings around(const models::ModelOptions& options) {
  const auto channels = static_cast<size_t>(options.in_channels);
  return {std::vector<double>(channels, 0.3), std::vector<double>(channels, 0.5), 1.25};
}

torch::Tensor pictures(const models::ModelOptions& options, int64_t count) {
  return torch::rand({count, options.in_channels, options.image_size, options.image_size});
}

/// Traced once for all tests of a network.
struct Traced {
  models::ModelOptions options;
  std::shared_ptr<models::Network> network;
  Graph graph, with_torch;
  torch::Tensor images;
  std::vector<torch::Tensor> answers;

  explicit Traced(const models::ModelOptions& given)
      : options(models::resolve(given)),
        network(trained(given)),
        graph(trace_network(network, around(options), pictures(options, 2))),
        with_torch(with_torch_operators(graph)),
        images(pictures(options, 3)) {
    const torch::NoGradGuard no_grad;
    answers = pictures_to_answers(network, around(options))(images);
  }
};

class EveryNetwork : public ::testing::TestWithParam<Case> {
 protected:
  static const Traced& traced() {
    static std::map<std::string, std::unique_ptr<Traced>> all;
    auto& found = all[GetParam().name];
    if (found == nullptr) found = std::make_unique<Traced>(GetParam().options);
    return *found;
  }
  static void expect_answers(const std::vector<torch::Tensor>& got) {
    const auto& expected = traced().answers;
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_LE(relative_difference(expected[i], got[i]), allowed(traced().graph.outputs[i]));
  }
};

TEST_P(EveryNetwork, says_the_same_as_a_graph_of_another_count_of_images) {
  expect_answers(run(traced().graph, traced().images));
  expect_answers(run(traced().with_torch, traced().images));
  expect_answers(run(with_composed_filters(traced().with_torch), traced().images));
}

TEST_P(EveryNetwork, says_the_same_as_torchscript) {
  for (const auto& graph : {traced().graph, with_composed_filters(traced().with_torch)})
    expect_answers(run_torchscript(to_torchscript(graph), traced().images));
}

TEST_P(EveryNetwork, is_written_as_onnx) {
  const auto& [options, network, graph, with_torch, images, answers] = traced();
  const auto bytes = to_onnx(with_torch, {{"model", options.name}});
  const testing::OnnxFile file(bytes);
  EXPECT_EQ(file.format_version, 7);
  EXPECT_EQ(file.operator_set, 13);
  EXPECT_EQ(file.metadata.at("model"), options.name);
  const auto side = std::to_string(options.image_size);
  EXPECT_EQ(file.shapes.at("images"), (Words{"N", std::to_string(options.in_channels), side, side}));
  EXPECT_EQ(file.shapes.at("scores"), (Words{"N", std::to_string(options.classes)}));
  EXPECT_EQ(file.shapes.count("size"), models::find_model(options.name).fits_objects ? 1U : 0U);

  const std::filesystem::path folder = SCDCF_ONNX_CASES;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / (GetParam().name + ".onnx"), std::ios::binary) << bytes;
  const auto numbers = [](const torch::Tensor& tensor) {
    const auto dense = tensor.to(torch::kFloat).contiguous();
    return std::vector<float>(dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel());
  };
  nlohmann::json data = {{"shape", images.sizes().vec()}, {"images", numbers(images)}};
  for (size_t i = 0; i < answers.size(); ++i) data["outputs"][graph.outputs[i]] = numbers(answers[i]);
  std::ofstream(folder / (GetParam().name + ".json")) << data;
}

INSTANTIATE_TEST_SUITE_P(exchange, EveryNetwork, ::testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Network, is_left_as_it_was) {
  auto network = trained(testing::small_network("cnn"));
  network->train();
  const auto options = models::resolve(testing::small_network("cnn"));
  trace_network(network, around(options), pictures(options, 2));
  EXPECT_TRUE(network->is_training());
  for (const auto& parameter : network->parameters()) EXPECT_TRUE(parameter.requires_grad());
}

TEST(Network, that_learns_on_does_not_change_its_graph) {
  const auto options = models::resolve(testing::small_network("scdcfnet"));
  const auto network = trained(options);
  const auto graph = trace_network(network, around(options), pictures(options, 2));
  const auto images = pictures(options, 3), before = run(graph, images).front();
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network->parameters()) parameter.add_(1);
  EXPECT_TRUE(run(graph, images).front().equal(before));
}

}  // namespace
}  // namespace scdcf::exchange
