// Gradients of gradients. Our kernels compute first derivatives. Where a gradient is to be differentiated again
// (create_graph), the backward repeats the operator by torch's own operators and differentiates these.
#pragma once

#include <torch/csrc/autograd/autograd.h>

namespace scdcf::ops {

/// The gradients of `out` for those of `inputs` that require one, with a graph of their own.
inline torch::autograd::variable_list differentiable_gradients(const at::Tensor& out, const at::Tensor& grad,
                                                               const torch::autograd::variable_list& inputs) {
  torch::autograd::variable_list differentiable, gradients;
  for (const auto& input : inputs)
    if (input.requires_grad()) differentiable.push_back(input);
  const auto found = torch::autograd::grad({out}, differentiable, {grad}, /*retain_graph=*/true, /*create_graph=*/true,
                                           /*allow_unused=*/true);
  auto next = found.begin();
  for (const auto& input : inputs) gradients.push_back(input.requires_grad() ? *next++ : at::Tensor());
  return gradients;
}

}  // namespace scdcf::ops
