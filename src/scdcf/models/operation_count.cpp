#include "scdcf/models/operation_count.h"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <numeric>
#include <string>

#include "scdcf/nn/eval_mode_guard.h"

namespace scdcf::models {
namespace {

thread_local int64_t counted = 0;

/// The multiply-adds of one operator call; 0 for those that only move or compare numbers.
int64_t multiply_adds(const std::string& name, const std::vector<c10::IValue>& inputs,
                      const std::vector<c10::IValue>& outputs) {
  if (outputs.empty() || !outputs[0].isTensor() || !outputs[0].toTensor().defined()) return 0;
  const int64_t results = outputs[0].toTensor().numel();
  const auto tensor = [&](size_t i) { return inputs[i].toTensor(); };
  if (name == "aten::convolution") {
    const bool transposed = inputs[6].toBool();
    const auto weight = tensor(1);
    return (transposed ? tensor(0).numel() : results) * (weight.numel() / weight.size(0));
  }
  if (name == "aten::mm" || name == "aten::bmm") return results * tensor(0).size(-1);
  if (name == "aten::addmm") return results * tensor(1).size(-1);
  if (name == "aten::upsample_bilinear2d" || name == "aten::grid_sampler_2d") return results * 4;
  if (name == "aten::upsample_bicubic2d") return results * 16;
  if (name == "scdcf::separable_joint_conv") {
    // docs/algorithm.md: products over [G, K, C, O], row passes for every group, column passes for every scale.
    const auto mixing = tensor(1);
    const auto radii = inputs[4].toIntVector();
    const int64_t columns = inputs[6].toInt(), rows = inputs[7].toInt();
    const auto output = outputs[0].toTensor();
    const int64_t pixels = output.size(0) * output.size(3) * output.size(4);
    const int64_t widths = 2 * std::accumulate(radii.begin(), radii.end(), int64_t{0}) + output.size(2);
    const int64_t row_pass = rows * mixing.size(0) * mixing.size(2) * widths / output.size(2);
    const int64_t column_pass = columns * widths * mixing.size(3);
    return pixels * (mixing.numel() + row_pass + column_pass);
  }
  return 0;
}

/// Inputs may be gone when a call ends, so they are kept from its start.
struct Inputs : at::ObserverContext {
  std::vector<c10::IValue> values;
};

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& call) {
  auto kept = std::make_unique<Inputs>();
  kept->values.assign(call.inputs().begin(), call.inputs().end());
  return kept;
}

void on_end(const at::RecordFunction& call, at::ObserverContext* context) {
  counted += multiply_adds(call.name(), static_cast<const Inputs*>(context)->values, call.outputs());
}

/// Counts what this thread calls while it lives, the network in eval mode.
class Counting {
 public:
  explicit Counting(Network& network) : in_eval_mode_(network) {
    counted = 0;
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
  }
  ~Counting() { at::removeCallback(handle_); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  nn::EvalModeGuard in_eval_mode_;
  at::CallbackHandle handle_;
};

}  // namespace

int64_t count_multiply_adds(Network& network, const torch::Tensor& image) {
  const torch::NoGradGuard no_grad;
  const Counting counting(network);
  network.forward(image);
  return counted;
}

}  // namespace scdcf::models
