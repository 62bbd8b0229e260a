// Adam, AdamW and Nesterov's SGD over one flat buffer: a handful of kernels for all parameters together, nothing asked
// of the host, so that a step can be captured in a CUDA graph; and a state that is easy to save.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <map>
#include <string>

#include "scdcf/train/config.h"

namespace scdcf::train {

/// Moves the parameters of a network into one buffer, of which they become views, and steps them. The decay of AdamW is
/// for weights alone: biases and what scales a normalised channel, one number for each, keep theirs.
class Optimizer {
 public:
  Optimizer(torch::nn::Module& network, const TrainOptions& options);

  const std::vector<torch::Tensor>& parameters() const { return parameters_; }
  void set_learning_rate(double rate) { learning_rate_.fill_(rate); }
  /// One step with the gradients of parameters(). The parameters stay as they are if `broken`, a boolean on the device,
  /// is true.
  void step(const std::vector<torch::Tensor>& gradients, const torch::Tensor& broken);

  /// What must be saved to go on as if nothing had happened. The tensors are the live ones.
  std::map<std::string, torch::Tensor> state() const;
  void load_state(const std::map<std::string, torch::Tensor>& state);

 private:
  /// Tensors of the parameters' sizes as the buffer holds them: each at its place, zeros in the gaps.
  torch::Tensor in_one_piece(const std::vector<torch::Tensor>& tensors) const;
  bool decouples_decay() const { return options_.optimizer == "adamw"; }
  torch::Tensor adam_update(const torch::Tensor& gradient);
  torch::Tensor sgd_update(const torch::Tensor& gradient);

  TrainOptions options_;
  std::vector<torch::Tensor> parameters_;
  torch::Tensor gap_, values_, first_moment_, second_moment_, steps_, learning_rate_, log_betas_;
  torch::Tensor decays_;  // of adamw: what is taken off each number, times the learning rate
};

}  // namespace scdcf::train
