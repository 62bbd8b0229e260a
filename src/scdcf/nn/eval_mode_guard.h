// Eval mode for the length of a scope.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

namespace scdcf::nn {

/// Puts a module and all modules in it into eval mode. At the end of the scope, however it ends, each of them is back
/// in its own mode: layers that were frozen inside a network in training stay frozen.
class EvalModeGuard {
 public:
  explicit EvalModeGuard(torch::nn::Module& module) : module_(module), was_training_(module.is_training()) {
    for (auto& part : module.modules(/*include_self=*/false)) parts_.emplace_back(part, part->is_training());
    module.eval();
  }
  ~EvalModeGuard() {
    module_.train(was_training_);
    for (const auto& [part, was_training] : parts_) part->train(was_training);  // outer modules come before inner ones
  }
  EvalModeGuard(const EvalModeGuard&) = delete;
  EvalModeGuard& operator=(const EvalModeGuard&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> parts_;
};

}  // namespace scdcf::nn
