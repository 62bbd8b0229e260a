#include "scdcf/experiments/measure.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAEvent.h>
#  include <c10/cuda/CUDACachingAllocator.h>
#  include <c10/cuda/CUDAFunctions.h>
#endif

namespace scdcf::experiments {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Milliseconds per call of `calls` calls in a row.
double time_once(const std::function<void()>& work, int calls, c10::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) {
    at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
    begin.record();
    for (int i = 0; i < calls; ++i) work();
    end.record();
    end.synchronize();
    return begin.elapsed_time(end) / calls;
  }
#endif
  (void)device;
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) work();
  return 1e3 * seconds_since(start) / calls;
}

/// A line "NAME: 123 kB" of /proc/self/status, in bytes.
double process_memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, name.size(), name) == 0) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

}  // namespace

std::vector<double> median_ms(const std::vector<std::function<void()>>& works, c10::Device device,
                              double budget_seconds) {
  constexpr int kMost = 25, kLeast = 3;
  std::vector<int> calls;
  for (const auto& work : works) {
    time_once(work, 1, device);  // warm-up: first use of kernels, caches, autotuners
    const double first = time_once(work, 1, device);
    calls.push_back(std::max(1, std::min(50, static_cast<int>(5.0 / std::max(first, 1e-3)))));  // samples of about 5 ms
  }
  std::vector<std::vector<double>> samples(works.size());
  const auto start = Clock::now();
  for (int i = 0; i < kMost && (i < kLeast || seconds_since(start) < budget_seconds); ++i)
    for (size_t w = 0; w < works.size(); ++w) samples[w].push_back(time_once(works[w], calls[w], device));
  std::vector<double> medians;
  for (auto& list : samples) {
    std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
    medians.push_back(list[list.size() / 2]);
  }
  return medians;
}

double peak_extra_bytes(const std::function<void()>& work, c10::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const auto index = device.has_index() ? device.index() : c10::cuda::current_device();
    c10::cuda::device_synchronize();
    allocator::resetPeakStats(index);
    const auto before = allocator::getDeviceStats(index).allocated_bytes[0].current;
    work();
    c10::cuda::device_synchronize();
    return static_cast<double>(allocator::getDeviceStats(index).allocated_bytes[0].peak - before);
  }
#endif
  (void)device;
  malloc_trim(0);                                 // memory kept from earlier work would hide what this work needs
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the high-water mark
  const double before = process_memory("VmRSS");
  work();
  return std::max(0.0, process_memory("VmHWM") - before);
}

}  // namespace scdcf::experiments
