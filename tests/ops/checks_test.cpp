// Every registered operator, called through the dispatcher as any program may call it, refuses what it cannot compute
// before it reads a number: one line that names the operator and the argument, the same with data and without.
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/torch.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scdcf/core/error.h"
#include "support/device.h"

namespace scdcf::ops {
namespace {

using torch::Tensor;
Tensor ones(const std::vector<int64_t>& sizes, torch::ScalarType type = torch::kFloat) {
  return torch::ones(sizes, testing::on_device(type));
}

constexpr int64_t kHuge = int64_t{1} << 40;

/// A call that is in order: the arguments by name.
struct Call {
  std::string op;
  std::vector<std::pair<std::string, c10::IValue>> arguments;

  c10::IValue& operator[](const std::string& name) {
    for (auto& [key, value] : arguments)
      if (key == name) return value;
    throw std::out_of_range(op + " has no argument " + name);
  }
  Call with(const std::string& name, const c10::IValue& value) const {
    Call changed = *this;
    changed[name] = value;
    return changed;
  }
  /// The same on tensors without data, with their strides.
  Call without_data() const {
    Call changed = *this;
    for (auto& argument : changed.arguments)
      if (auto& value = argument.second; value.isTensor() && value.toTensor().defined()) {
        const auto tensor = value.toTensor();
        if (!tensor.is_meta())
          value = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(torch::kMeta));
      }
    return changed;
  }
  /// The results, or the complaint.
  std::string run() const {
    const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(("scdcf::" + op).c_str(), "");
    torch::jit::Stack stack;
    for (const auto& argument : arguments) stack.push_back(argument.second);
    try {
      handle.callBoxed(&stack);
    } catch (const Error& error) {
      return error.what();
    } catch (const std::exception& error) {
      return std::string("not an Error of this library: ") + error.what();
    }
    return "";
  }
};

using Ints = std::vector<int64_t>;

std::vector<Call> good_calls() {
  const auto channels = ones({3}), saved = ones({3}, torch::kDouble);
  const Call conv{"separable_joint_conv",
                  {{"input", ones({2, 3, 2, 9, 8})},
                   {"mixing", ones({1, 2, 3, 5})},
                   {"factors", ones({36})},
                   {"modes", Ints{0, 0, 0, 1}},
                   {"radii", Ints{2, 3}},
                   {"sources", Ints{0, 0, 0, 1, 1, 0}},
                   {"column_modes", int64_t{1}},
                   {"row_modes", int64_t{2}},
                   {"stride", int64_t{2}},
                   {"padding", int64_t{0}}}};
  const Call norm{"norm_relu_pool",
                  {{"input", ones({2, 3, 2, 9, 8})},
                   {"weight", channels},
                   {"bias", channels},
                   {"running_mean", channels.clone()},
                   {"running_var", channels.clone()},
                   {"training", true},
                   {"momentum", 0.1},
                   {"eps", 1e-5},
                   {"window", int64_t{3}},
                   {"stride", int64_t{2}},
                   {"padding", int64_t{1}},
                   {"keeps_zero", true}}};
  Call conv_backward = conv, norm_backward{"norm_relu_pool_backward",
                                           {{"grad", ones({2, 3, 2, 5, 4})},
                                            {"input", ones({2, 3, 2, 9, 8})},
                                            {"weight", channels},
                                            {"bias", channels},
                                            {"mean", saved},
                                            {"invstd", saved},
                                            {"training", true},
                                            {"window", int64_t{3}},
                                            {"stride", int64_t{2}},
                                            {"padding", int64_t{1}},
                                            {"input_grad", true},
                                            {"keeps_zero", true}}};
  conv_backward.op += "_backward";
  conv_backward.arguments.insert(conv_backward.arguments.begin(), {"grad", ones({2, 5, 2, 5, 4})});
  conv_backward.arguments.insert(conv_backward.arguments.end(), {{"input_grad", true}, {"mixing_grad", true}});
  return {conv, conv_backward, norm, norm_backward};
}

void expect_refusal(const Call& call, const std::string& argument) {
  const auto message = call.run();
  EXPECT_EQ(message.rfind(call.op + ": " + argument, 0), 0u) << "got: " << message;
  EXPECT_NE(message.find("expected"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

void expect_refusal_everywhere(const Call& call, const std::string& argument) {
  expect_refusal(call, argument);
  EXPECT_EQ(call.run(), call.without_data().run());
}

/// A tensor of these sizes that takes no memory.
Tensor expanded(Ints sizes) { return ones({1}).expand(sizes); }

TEST(Checks, what_is_in_order_passes) {
  for (const auto& call : good_calls()) {
    EXPECT_EQ(call.run(), "");
    EXPECT_EQ(call.without_data().run(), "");
  }
}

TEST(Checks, every_operator_with_a_kernel_of_its_own_is_tried) {
  std::set<std::string> tried;
  for (const auto& call : good_calls()) tried.insert("scdcf::" + call.op);
  size_t found = 0;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (name.name.rfind("scdcf::", 0) != 0 || !op || !op->hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    EXPECT_TRUE(tried.count(name.name)) << name.name;
    ++found;
  }
  EXPECT_EQ(found, tried.size());
}

/// The tensors of every call, each replaced by what no operator takes.
TEST(Checks, every_tensor_is_checked) {
  for (const auto& call : good_calls())
    for (const auto& [name, value] : call.arguments) {
      if (!value.isTensor()) continue;
      SCOPED_TRACE(call.op + " " + name);
      const Tensor tensor = value.toTensor();
      // Others are compared with the input, so a wrong input may be told as a wrong neighbour.
      const std::string blamed = name == "input" ? "" : name;
      expect_refusal_everywhere(call.with(name, Tensor()), name);
      for (const auto type : {torch::kLong, torch::kHalf, torch::kBool, torch::kComplexFloat})
        expect_refusal_everywhere(call.with(name, tensor.to(type)), name);
      expect_refusal_everywhere(
          call.with(name, tensor.to(tensor.scalar_type() == torch::kFloat ? torch::kDouble : torch::kFloat)),
          name == "input" || name == "mixing" ? "" : name);
      expect_refusal(call.with(name, tensor.to(torch::kMeta)), blamed);
      expect_refusal(call.without_data().with(name, tensor), blamed);
      if (!tensor.is_cpu()) expect_refusal(call.with(name, tensor.cpu()), blamed);
      if (name != "factors") expect_refusal_everywhere(call.with(name, tensor.unsqueeze(0).unsqueeze(0)), name);
      for (int64_t d = 0; d < tensor.dim(); ++d) {
        Ints sizes = tensor.sizes().vec();
        sizes[static_cast<size_t>(d)] = kHuge;
        expect_refusal_everywhere(call.with(name, ones({1}, tensor.scalar_type()).expand(sizes)), name);
      }
    }
}

TEST(Checks, a_gradient_must_have_the_shape_of_the_result) {
  for (const auto& call : good_calls()) {
    if (call.arguments[0].first != "grad") continue;
    const auto grad = call.arguments[0].second.toTensor();
    for (int64_t d = 0; d < grad.dim(); ++d)
      for (const int64_t size : {int64_t{0}, grad.size(d) - 1, grad.size(d) + 1}) {
        Ints sizes = grad.sizes().vec();
        sizes[static_cast<size_t>(d)] = size;
        expect_refusal_everywhere(call.with("grad", ones(sizes)), "grad: got shape");
      }
    expect_refusal_everywhere(call.with("grad", grad.flatten()), "grad: got shape");
  }
}

struct BadCall {
  std::string op, argument;  // of every operator whose name begins so
  c10::IValue value;
  std::string blamed;
};

const std::string kConv = "separable_joint_conv", kNorm = "norm_relu_pool";

std::vector<BadCall> bad_calls() {
  return {
      {kConv, "input", ones({2, 4, 2, 9, 8}), "mixing: got shape"},
      {kConv, "input", ones({2, 3, 1, 9, 8}), "sources: got plane 1"},
      {kConv, "input", ones({2, 3, 0, 9, 8}), "sources: got plane 0"},
      {kConv, "input", ones({2, 3, 2, 0, 8}), "input: got 0 x 8 pixels"},
      {kConv, "input", ones({2, 3, 2, 9, 0}), "input: got 9 x 0 pixels"},
      {kConv, "input", expanded({1 << 29, 3, 2, 1 << 15, 1 << 15}), "input: got shape"},
      {kConv, "input", expanded({0, 3, 1 << 20, 1 << 20, 1 << 20}), "input: got shape"},
      {kConv, "mixing", ones({0, 2, 3, 5}), "sources: got mixing 0"},
      {kConv, "mixing", ones({1, 3, 3, 5}), "modes: got 4"},
      {kConv, "mixing", ones({1, 0, 3, 5}), "modes: got 4"},
      {kConv, "mixing", ones({1, 2, 0, 5}), "mixing: got shape"},
      {kConv, "factors", ones({35}), "factors: got 35 numbers, expected 36"},
      {kConv, "factors", ones({0}), "factors: got 0"},
      {kConv, "modes", Ints{0, 0, 0}, "modes: got 3"},
      {kConv, "modes", Ints{}, "modes: got 0"},
      {kConv, "modes", Ints{0, 0, 0, 2}, "modes: got (0, 2)"},
      {kConv, "modes", Ints{0, 0, -1, 1}, "modes: got (-1, 1)"},
      {kConv, "modes", Ints{0, 1, 0, 1}, "modes: got (0, 1) twice"},
      {kConv, "radii", Ints{}, "radii: got none"},
      {kConv, "radii", Ints{2, -1}, "radii: got -1"},
      {kConv, "radii", Ints{2, kHuge}, "radii: got 1099511627776"},
      {kConv, "radii", Ints{2}, "sources: got one for scale 1"},
      {kConv, "radii", Ints{2, 4}, "factors: got 36 numbers, expected 42"},
      {kConv, "sources", Ints{0, 0}, "sources: got 2"},
      {kConv, "sources", Ints{1, 0, 0, 0, 0, 0}, "sources: got one for scale 0"},
      {kConv, "sources", Ints{-1, 0, 0}, "sources: got one for scale -1"},
      {kConv, "sources", Ints{0, -1, 0}, "sources: got plane -1"},
      {kConv, "sources", Ints{0, kHuge, 0}, "sources: got plane"},
      {kConv, "sources", Ints{0, 0, -1}, "sources: got mixing -1"},
      {kConv, "sources", Ints{0, 0, 1}, "sources: got mixing 1"},
      {kConv, "column_modes", int64_t{0}, "modes: got (0, 0)"},
      {kConv, "column_modes", int64_t{-1}, "column_modes: got -1"},
      {kConv, "column_modes", kHuge, "column_modes: got"},
      {kConv, "row_modes", int64_t{-1}, "row_modes: got -1"},
      {kConv, "row_modes", std::numeric_limits<int64_t>::max(), "row_modes: got"},
      {kConv, "stride", int64_t{0}, "stride: got 0"},
      {kConv, "stride", int64_t{3}, "stride: got 3"},
      {kConv, "padding", int64_t{-1}, "padding: got -1"},
      {kConv, "padding", int64_t{3}, "padding: got 3"},
      {kNorm, "input", ones({2, 4, 2, 9, 8}), "weight: got shape [3], expected [4]"},
      {kNorm, "input", ones({2, 0, 2, 9, 8}), "weight: got shape [3], expected [0]"},
      {kNorm, "input", ones({2, 3, 2, 0, 8}), "input: got 0 x 8 pixels"},
      {kNorm, "input", expanded({1 << 29, 3, 2, 1 << 15, 1 << 15}), "input: got shape"},
      {kNorm, "weight", ones({0}), "weight: got shape [0]"},
      {kNorm, "weight", ones({4}), "weight: got shape [4]"},
      {kNorm, "bias", ones({4}), "bias: got shape [4]"},
      {kNorm, "window", int64_t{0}, "window: got 0"},
      {kNorm, "window", int64_t{12}, "input: got 9 x 8 pixels"},
      {kNorm, "window", std::numeric_limits<int64_t>::max(), "window: got"},
      {kNorm, "stride", int64_t{0}, "stride: got 0"},
      {kNorm, "stride", std::numeric_limits<int64_t>::max(), "stride: got"},
      {kNorm, "padding", int64_t{-1}, "padding: got -1"},
      {kNorm, "padding", int64_t{2}, "padding: got 2"},
      {kNorm, "padding", std::numeric_limits<int64_t>::max(), "padding: got"},
      {"norm_relu_pool_backward", "mean", ones({4}, torch::kDouble), "mean: got shape [4]"},
      {"norm_relu_pool_backward", "invstd", ones({2}, torch::kDouble), "invstd: got shape [2]"},
  };
}

TEST(Checks, a_bad_call_is_refused_with_and_without_data) {
  for (const auto& bad : bad_calls())
    for (const auto& call : good_calls())
      if (call.op.rfind(bad.op, 0) == 0) {
        SCOPED_TRACE(call.op + " with another " + bad.argument);
        expect_refusal_everywhere(call.with(bad.argument, bad.value), bad.blamed);
      }
}

TEST(Checks, a_result_with_too_many_numbers_is_refused) {
  for (const auto& call : {good_calls()[0], good_calls()[1]})
    expect_refusal_everywhere(
        call.with("mixing", expanded({1, 2, 3, 1 << 29})).with("input", expanded({1 << 20, 3, 2, 1 << 9, 1 << 9})),
        "result: got shape");
}

TEST(Checks, a_forward_mode_derivative_is_refused_instead_of_dropped) {
  const auto level = torch::autograd::ForwardADLevel::get_next_idx();
  for (const auto& call : {good_calls()[0], good_calls()[2]}) {
    const auto x = call.arguments[0].second.toTensor();
    expect_refusal(call.with("input", at::_make_dual(x, torch::ones_like(x), static_cast<int64_t>(level))),
                   "got a tangent");
  }
  torch::autograd::ForwardADLevel::release_idx(level);
}

TEST(Checks, running_statistics_are_checked_as_they_are_written) {
  const auto norm = good_calls()[2];
  for (const std::string name : {"running_mean", "running_var"}) {
    expect_refusal_everywhere(norm.with(name, ones({4})), name + ": got shape [4]");
    expect_refusal_everywhere(norm.with(name, expanded({3})), name + ": got a strided view");
  }
  const auto single = norm.with("input", ones({1, 3, 1, 1, 1})).with("window", int64_t{1}).with("padding", int64_t{0});
  expect_refusal_everywhere(single, "input: got one value per channel");
}

TEST(Checks, empty_calls_give_empty_or_zero_results) {
  const auto calls = good_calls();
  // No image, no channel out, no source, no mode.
  for (const auto& [name, value] : std::vector<std::pair<std::string, c10::IValue>>{
           {"input", ones({0, 3, 2, 9, 8})}, {"mixing", ones({1, 2, 3, 0})}, {"sources", Ints{}}}) {
    EXPECT_EQ(calls[0].with(name, value).run(), "") << name;
    EXPECT_EQ(calls[0].with(name, value).without_data().run(), "") << name;
  }
  EXPECT_EQ(calls[0].with("mixing", ones({1, 0, 3, 5})).with("modes", Ints{}).run(), "");
  EXPECT_EQ(calls[1].with("input", ones({0, 3, 2, 9, 8})).with("grad", ones({0, 5, 2, 5, 4})).run(), "");
  EXPECT_EQ(calls[2].with("input", ones({0, 3, 2, 9, 8})).run(), "");
  EXPECT_EQ(calls[3].with("input", ones({0, 3, 2, 9, 8})).with("grad", ones({0, 3, 2, 5, 4})).run(), "");
}

}  // namespace
}  // namespace scdcf::ops
