// Kernels of another size made from a canonical one by linear interpolation.
#pragma once

#include <vector>

#include "scdcf/ops/constant.h"

namespace scdcf::nn {

/// K_f = B_f K B_f^T, where B_f [2r+1, L] spreads or gathers the samples of K [.., L, L] linearly:
///   f >= 1: B_f[u, j] = hat(u/f - j)/f,   f < 1: B_f[u, j] = hat(u - f j),   hat(x) = max(0, 1 - |x|).
/// So K_1 = K, and the sum of a kernel stays (for f < 1 exactly, for whole f too, in between almost): K_f is
/// f^-2 K(./f), whose response to an image enlarged by f is the enlarged response.
class KernelRescaling {
 public:
  KernelRescaling(int64_t kernel_size, std::vector<double> factors);
  size_t count() const { return matrices_.size(); }
  /// The size of the kernel of factor i.
  int64_t size(size_t i) const { return matrices_.at(i).shape().front(); }
  /// weight [O, C, L, L] to [O, C, size(i), size(i)].
  at::Tensor operator()(const at::Tensor& weight, size_t i) const;

 private:
  std::vector<double> factors_;
  std::vector<ops::Constant> matrices_;
};

}  // namespace scdcf::nn
