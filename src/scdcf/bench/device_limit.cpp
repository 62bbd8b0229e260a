#include "scdcf/bench/device_limit.h"

#include <torch/torch.h>

#include <algorithm>

#include "scdcf/core/parallel.h"
#include "scdcf/core/runtime.h"

namespace scdcf::bench {

double DeviceLimit::least_ms(double multiply_adds, double bytes) const {
  return std::max(multiply_adds / multiply_adds_per_ms, bytes / bytes_per_ms);
}

DeviceLimit measured_limit(torch::Device device, torch::ScalarType type, Timer timer) {
  // Large enough for the best rate; on the CPU every thread has a product and a copy of its own, out of its cache.
  const int64_t side = device.is_cuda() ? 8192 : 1024, numbers = device.is_cuda() ? int64_t{1} << 30 : int64_t{1} << 24;
  const int64_t parts = device.is_cuda() ? 1 : threads();
  const auto options = torch::TensorOptions(type).device(device);
  const auto on_every_part = [parts](const std::function<void(int64_t)>& work) {
    return [parts, work] {
      run_parallel(parts, [&work](int64_t part) {
        const torch::NoGradGuard no_grad;
        work(part);
      });
    };
  };
  std::vector<torch::Tensor> left, from, to;
  for (int64_t i = 0; i < parts; ++i) {
    left.push_back(torch::randn({side, side}, options));
    from.push_back(torch::ones({numbers}, options));
    to.push_back(torch::zeros({numbers}, options));
  }
  const auto product = on_every_part([&left](int64_t part) {
    const auto& matrix = left[static_cast<size_t>(part)];
    matrix.mm(matrix);
  });
  const auto copy =
      on_every_part([&](int64_t part) { to[static_cast<size_t>(part)].copy_(from[static_cast<size_t>(part)]); });
  const auto ms = median_ms({product, copy}, device, /*budget_seconds=*/1, timer);
  const auto all = static_cast<double>(parts);
  const double cube = static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(side);
  const double bytes = 2 * static_cast<double>(numbers * from.front().element_size());
  return {all * cube / ms[0], all * bytes / ms[1]};
}

}  // namespace scdcf::bench
