// From functions to graphs: the count of images stays free, what does not depend on them is computed.
#include "scdcf/exchange/trace.h"

#include <gtest/gtest.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/torch.h>

#include <algorithm>

#include "scdcf/exchange/onnx.h"
#include "scdcf/exchange/torchscript.h"
#include "scdcf/nn/enlarge.h"
#include "scdcf/nn/joint_conv.h"
#include "scdcf/nn/lifting_conv.h"
#include "support/expect_error.h"
#include "support/onnx_file.h"

namespace scdcf::exchange {
namespace {

/// A function without weights.
Graph traced(const Function& function, const std::vector<std::string>& outputs = {"scores"}) {
  torch::nn::Module none;
  return trace(none, function, torch::rand({2, 1, 4, 4}), outputs);
}

size_t count_of(const Graph& graph, const std::string& kind) {
  size_t count = 0;
  for (const auto* node : graph.operators->nodes()) count += node->kind().toQualString() == kind ? 1 : 0;
  return count;
}

TEST(Trace, counts_of_images_may_stand_anywhere) {
  const Function function = [](const torch::Tensor& x) -> std::vector<torch::Tensor> {
    const int64_t n = x.size(0);
    const auto twice = torch::cat({x, 2 * x}).view({2 * n, 16});
    const auto ends = torch::cat({twice.narrow(0, n, n), twice.narrow(0, n - 1, 1).expand({n, 16})}, 1);
    return {ends, x.view({n * 4, 4}).sum(1).view({n, 2, 2}), torch::zeros({n, 3}) + x.amax({1, 2, 3}).unsqueeze(1)};
  };
  const auto graph = traced(function, {"a", "b", "c"});
  for (const int64_t count : {1, 2, 3, 7}) {
    const auto images = torch::rand({count, 1, 4, 4});
    const auto expected = function(images), got = run(graph, images);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(got[i].equal(expected[i])) << count << ", " << i;
    EXPECT_TRUE(run_torchscript(to_torchscript(graph), images)[0].equal(expected[0])) << count;
  }
}

TEST(Trace, what_does_not_depend_on_the_images_is_computed) {
  const auto table = torch::rand({4, 4});
  const auto graph = traced([&](const auto& x) -> std::vector<torch::Tensor> {
    return {x * (table.t() + 1).exp().sum(0, /*keepdim=*/true)};
  });
  EXPECT_EQ(count_of(graph, "aten::mul"), 1U);
  for (const char* folded : {"aten::t", "aten::add", "aten::exp", "aten::sum"}) EXPECT_EQ(count_of(graph, folded), 0U);
}

TEST(Trace, products_larger_than_their_factors_stay_unless_composed) {
  const auto tall = torch::rand({16, 1}), wide = torch::rand({1, 16}), square = torch::rand({4, 4});
  const auto graph = traced([&](const auto& x) -> std::vector<torch::Tensor> {
    return {x.flatten(1).matmul(tall.matmul(wide)) + square.matmul(square).sum()};
  });
  EXPECT_EQ(count_of(graph, "aten::matmul"), 2U);
  EXPECT_EQ(count_of(with_composed_filters(graph), "aten::matmul"), 1U);
  EXPECT_LT(to_onnx(graph).size(), to_onnx(graph, {}, Filters::composed).size());
}

TEST(Trace, filters_are_written_as_coefficients_times_basis) {
  const basis::ScaleGrid grid(3, 0.5, 8.0);
  torch::nn::Sequential layers(
      nn::LiftingConv(nn::LiftingConvOptions(1, 8, grid)),
      nn::JointConv(nn::JointConvOptions(8, 8, grid).scale_taps(2).algorithm(nn::Algorithm::separable)));
  const auto graph = trace(*layers, [&](const auto& x) -> std::vector<torch::Tensor> { return {layers->forward(x)}; },
                           torch::rand({2, 1, 12, 12}), {"maps"});
  EXPECT_EQ(count_of(graph, "scdcf::separable_joint_conv"), 2U);
  const auto factored = to_onnx(graph), composed = to_onnx(graph, {}, Filters::composed);
  EXPECT_LT(factored.size() * 4, composed.size());
  const auto products = [](const std::string& bytes) {
    const auto operators = testing::OnnxFile(bytes).operators;
    return std::count(operators.begin(), operators.end(), "MatMul");
  };
  EXPECT_GE(products(factored), 3);  // a bank for each scale; that of one input channel is smaller than its basis
  EXPECT_EQ(products(composed), 0);
}

TEST(Trace, matrices_made_from_the_size_of_a_map_are_computed) {
  const basis::ScaleGrid grid(2, 0.5, 4.0);
  torch::nn::Sequential layers(nn::LiftingConv(nn::LiftingConvOptions(1, 3, grid)),
                               nn::JointConv(nn::JointConvOptions(3, 4, grid).scale_taps(1)));
  nn::Enlarge enlarge(nn::EnlargeOptions(1.5).frame(10).padding(nn::SpatialPadding::replicate));
  const Function function = [&](const torch::Tensor& x) -> std::vector<torch::Tensor> {
    const auto features = layers[0]->as<nn::LiftingConv>()->forward(enlarge(x));
    return {layers[1]->as<nn::JointConv>()->at_centre(features)};
  };
  const auto graph = trace(*layers, function, torch::rand({2, 1, 8, 8}), {"scores"});
  for (const char* folded : {"aten::arange", "aten::cumsum", "aten::cat"}) EXPECT_EQ(count_of(graph, folded), 0U);
  const auto images = torch::rand({5, 1, 8, 8}), expected = function(images)[0];
  EXPECT_TRUE(torch::allclose(run(graph, images)[0], expected, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(run_torchscript(to_torchscript(graph), images)[0], expected, 1e-5, 1e-6));
  EXPECT_FALSE(to_onnx(graph).empty());
}

TEST(Trace, what_cannot_be_traced_is_refused_in_one_line) {
  const auto other_things = [](const torch::Tensor& x) -> std::vector<torch::Tensor> {
    return {x.size(0) > 2 ? x.relu() : x.sqrt()};
  };
  testing::expect_error([&] { traced(other_things); }, "other counts of images");
  const auto mean = [](const torch::Tensor& x) -> std::vector<torch::Tensor> {
    return {x * (1.0 / static_cast<double>(x.size(0)))};
  };
  testing::expect_error([&] { traced(mean); }, "depends on that count");
  const auto one = [](const torch::Tensor& x) -> std::vector<torch::Tensor> { return {x}; };
  testing::expect_error([&] { traced(one, {"a", "b"}); }, "outputs", "got 1", "expected 2");
  torch::nn::Module none;
  testing::expect_error([&] { trace(none, one, torch::rand({1, 1, 4, 4}), {"a"}); }, "two or more images");
}

TEST(Onnx, names_the_operator_that_it_does_not_know) {
  const auto graph = traced([](const auto& x) -> std::vector<torch::Tensor> { return {x.cumsum(1)}; });
  testing::expect_error([&] { to_onnx(graph); }, "aten::cumsum", "no counterpart");
}

TEST(Onnx, has_no_output_that_is_always_the_same) {
  const auto table = torch::ones({2});
  testing::expect_error([&] { traced([&](const auto&) -> std::vector<torch::Tensor> { return {table}; }); }, "scores",
                        "does not depend on the images");
  const auto graph = traced([&](const auto&) -> std::vector<torch::Tensor> { return {table + 1}; });
  testing::expect_error([&] { to_onnx(graph); }, "scores", "does not depend on the images");
}

}  // namespace
}  // namespace scdcf::exchange
