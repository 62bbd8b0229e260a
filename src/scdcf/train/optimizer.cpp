#include "scdcf/train/optimizer.h"

#include <torch/torch.h>

#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::train {
namespace {
constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
/// Every parameter begins at a multiple of so many numbers, that is of 16 bytes at least: libraries read that much at
/// once from where a tensor begins (cuDNN's batch-norm stops with "misaligned address" otherwise).
constexpr int64_t kStart = 4;
}  // namespace

Optimizer::Optimizer(torch::nn::Module& network, const TrainOptions& options) : options_(options) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network.parameters())
    if (parameter.requires_grad()) parameters_.push_back(parameter);
  require(!parameters_.empty(), "optimizer: the network has no parameters to train");
  gap_ = torch::zeros({kStart - 1}, parameters_.front().options());
  values_ = in_one_piece(parameters_);
  int64_t offset = 0;
  for (auto& parameter : parameters_) {
    parameter.set_data(values_.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
    offset += (parameter.numel() + kStart - 1) / kStart * kStart;
  }
  first_moment_ = torch::zeros_like(values_);
  if (options_.optimizer != "sgd") second_moment_ = torch::zeros_like(values_);
  steps_ = torch::zeros({}, values_.options());
  log_betas_ = torch::tensor({std::log(kBeta1), std::log(kBeta2)}, values_.options());
  learning_rate_ = torch::full({}, options_.learning_rate, values_.options());
  if (!decouples_decay()) return;
  std::vector<torch::Tensor> decays;
  for (const auto& parameter : parameters_)
    decays.push_back(torch::full_like(parameter, parameter.dim() > 1 ? options_.weight_decay : 0));
  decays_ = in_one_piece(decays);
}

torch::Tensor Optimizer::in_one_piece(const std::vector<torch::Tensor>& tensors) const {
  std::vector<torch::Tensor> flat;
  flat.reserve(2 * tensors.size());
  for (const auto& tensor : tensors) {
    if (!flat.empty()) flat.push_back(gap_.narrow(0, 0, (kStart - flat.back().numel() % kStart) % kStart));
    flat.push_back(tensor.reshape(-1));
  }
  return torch::cat(flat);
}

void Optimizer::step(const std::vector<torch::Tensor>& gradients, const torch::Tensor& broken) {
  const torch::NoGradGuard no_grad;
  auto gradient = in_one_piece(gradients);
  if (options_.weight_decay > 0 && !decouples_decay()) gradient.add_(values_, options_.weight_decay);
  steps_.add_(1);
  auto change = options_.optimizer == "sgd" ? sgd_update(gradient) : adam_update(gradient);
  if (decouples_decay()) change.addcmul_(values_, decays_ * learning_rate_);
  // The weights of a step that failed are kept: they are what tells where it failed.
  values_.sub_(change.masked_fill_(broken, 0));
}

torch::Tensor Optimizer::adam_update(const torch::Tensor& gradient) {
  first_moment_.lerp_(gradient, 1 - kBeta1);
  second_moment_.mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
  const auto corrections = torch::expm1(log_betas_ * steps_).neg_();  // 1 - beta^steps
  const auto deviation = (second_moment_ / corrections[1]).sqrt_().add_(kEpsilon);
  return (first_moment_ * (learning_rate_ / corrections[0])).div_(deviation);
}

torch::Tensor Optimizer::sgd_update(const torch::Tensor& gradient) {
  first_moment_.mul_(options_.momentum).add_(gradient);
  return (gradient + options_.momentum * first_moment_).mul_(learning_rate_);
}

std::map<std::string, torch::Tensor> Optimizer::state() const {
  std::map<std::string, torch::Tensor> state = {{"steps", steps_}, {"first_moment", first_moment_}};
  if (second_moment_.defined()) state["second_moment"] = second_moment_;
  return state;
}

void Optimizer::load_state(const std::map<std::string, torch::Tensor>& saved) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : state()) {
    const auto found = saved.find(name);
    require(found != saved.end(), "optimizer state: \"", name, "\" is missing");
    require(found->second.sizes() == tensor.sizes(), "optimizer state: \"", name, "\": got shape ",
            found->second.sizes(), ", expected ", tensor.sizes());
    torch::Tensor live = tensor;
    live.copy_(found->second);
  }
}

}  // namespace scdcf::train
