// What a sum over processes of this machine takes, by its size: what the model of docs/distributed.md adds to a step.
//   bench_distributed 4
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "scdcf/core/runtime.h"
#include "scdcf/distributed/group.h"
#include "scdcf/distributed/launch.h"

namespace {

namespace distributed = scdcf::distributed;

double median_microseconds(distributed::Group& group, int64_t numbers) {
  const auto tensor = torch::zeros({numbers});
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    const auto started = std::chrono::steady_clock::now();
    group.sum(tensor);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - started).count());
  }
  std::nth_element(times.begin(), times.begin() + 100, times.end());
  return times[100];
}

int as_rank() {
  const distributed::Pulse pulse;
  scdcf::set_threads(1);
  distributed::Group group(*distributed::place_from_environment(), torch::kCPU);
  for (const int64_t bytes : {4, 4 << 10, 64 << 10, 1 << 20, 2 << 20}) {
    const double time = median_microseconds(group, bytes / 4);
    if (group.is_first()) std::printf("%8lld bytes  %8.0f us\n", static_cast<long long>(bytes), time);
  }
  return 0;
}

int start(int count) {
  constexpr double kTimeout = 40;  // seconds
  const auto result = distributed::launch_ranks(count, kTimeout, [] { return false; });
  if (!result.error.empty()) std::cerr << result.error << '\n';
  return result.code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int count = argc < 2 ? 2 : std::stoi(argv[1]);
    return distributed::is_launched() ? as_rank() : start(count);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
