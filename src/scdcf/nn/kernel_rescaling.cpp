#include "scdcf/nn/kernel_rescaling.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

double hat(double x) { return std::max(0.0, 1 - std::abs(x)); }

/// The largest whole number below the reach of the outermost sample; 1e-9 keeps rounding from adding a line of zeros.
int64_t radius_of(int64_t source_radius, double factor) {
  const auto r = static_cast<double>(source_radius);
  return static_cast<int64_t>(std::ceil((factor >= 1 ? factor * (r + 1) : factor * r + 1) - 1e-9)) - 1;
}

ops::Constant interpolation(int64_t kernel_size, double factor) {
  const int64_t source = kernel_size / 2, target = radius_of(source, factor);
  std::vector<double> values;
  for (int64_t u = -target; u <= target; ++u)
    for (int64_t j = -source; j <= source; ++j) {
      const auto to = static_cast<double>(u), from = static_cast<double>(j);
      values.push_back(factor >= 1 ? hat(to / factor - from) / factor : hat(to - factor * from));
    }
  return ops::Constant(std::move(values), {2 * target + 1, kernel_size});
}

}  // namespace

KernelRescaling::KernelRescaling(int64_t kernel_size, std::vector<double> factors) : factors_(std::move(factors)) {
  require(kernel_size >= 1 && kernel_size % 2 == 1, "KernelRescaling: kernel_size: got ", kernel_size,
          ", expected an odd number");
  for (const double factor : factors_) {
    require(std::isfinite(factor) && factor > 0 && factor <= 1024, "KernelRescaling: factor: got ", factor,
            ", expected a positive number up to 1024");
    matrices_.push_back(interpolation(kernel_size, factor));
  }
}

at::Tensor KernelRescaling::operator()(const at::Tensor& weight, size_t i) const {
  if (factors_.at(i) == 1) return weight;
  const auto matrix = matrices_[i].like(weight);
  return at::matmul(at::matmul(matrix, weight), matrix.t());
}

}  // namespace scdcf::nn
