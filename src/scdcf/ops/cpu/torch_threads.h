// The threads that torch would use here.
#pragma once

#include <ATen/Parallel.h>

#include "scdcf/core/parallel.h"
#include "scdcf/ops/cpu/separable_kernel.h"

namespace scdcf::ops::cpu {

inline Parallel torch_threads() { return {at::in_parallel_region() ? 1 : at::get_num_threads(), run_parallel}; }

}  // namespace scdcf::ops::cpu
