// The fused kernel: first pass, mix and second pass in one block, for the forward pass and for the gradient of the
// input.
#pragma once

#include "scdcf/ops/cuda/fused_plan.h"

namespace scdcf::ops::cuda {

/// `packed` holds plan.packed_words() words, which this call writes.
void pack_mixing(const DeviceProblem& p, const FusedPlan& plan, bool forward, const float* mixing, uint32_t* packed,
                 DataType type, Precision precision, cudaStream_t stream);
/// `first` and `second` are the fragments of the plan's two banks.
void run_fused(const FusedPlan& plan, const void* source, const float4* first, const float4* second,
               const uint32_t* packed, void* target, DataType type, Precision precision, cudaStream_t stream);

}  // namespace scdcf::ops::cuda
