#include "scdcf/core/parallel.h"

#include <ATen/Parallel.h>

#if AT_PARALLEL_OPENMP && !defined(_OPENMP)
#  error "build this file with OpenMP, or at::parallel_for does nothing in parallel"
#endif

namespace scdcf {

void run_parallel(int64_t count, const std::function<void(int64_t)>& fn) {
  at::parallel_for(0, count, 1, [&fn](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) fn(i);
  });
}

}  // namespace scdcf
