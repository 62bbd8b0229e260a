// Mixing matrices as the stacks of expanded_layout.h, in the type of the maps, and gradients of stacks as gradients of
// the matrices.
#pragma once

#include "scdcf/ops/cuda/expanded/expanded_layout.h"

namespace scdcf::ops::cuda {

void stack_mixing(const DeviceProblem& p, const ExpandedLayout& layout, const void* mixing, void* stacks, DataType type,
                  cudaStream_t stream);
/// A matrix that several stacks hold gets the sum of its gradients, slot after slot; one that none holds gets zero.
void unstack_gradient(const DeviceProblem& p, const ExpandedLayout& layout, const void* stacks, void* grad_mixing,
                      DataType type, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
