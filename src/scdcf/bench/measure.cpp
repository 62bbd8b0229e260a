#include "scdcf/bench/measure.h"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "scdcf/core/clock.h"

#ifdef SCDCF_WITH_CUDA
#  include <ATen/cuda/CUDAEvent.h>
#  include <c10/cuda/CUDACachingAllocator.h>
#  include <c10/cuda/CUDAFunctions.h>
#endif

namespace scdcf::bench {
namespace {

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Milliseconds per call of `calls` calls in a row.
double time_once(const std::function<void()>& work, int calls, c10::Device device, Timer timer) {
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
  const auto now = [timer] { return timer == Timer::clock ? scdcf::now() : processor_seconds(); };
  const double start = now();
  for (int i = 0; i < calls; ++i) work();
  return 1e3 * (now() - start) / calls;
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
                              double budget_seconds, Timer timer) {
  constexpr int kMost = 25;
  const double share = 1e3 * budget_seconds / static_cast<double>(works.size());
  std::vector<std::vector<double>> samples(works.size());
  std::vector<int> calls;  // per sample of about 5 ms; none where the first call was enough
  for (size_t w = 0; w < works.size(); ++w) {
    double first = time_once(works[w], 1, device, timer);
    if (device.is_cuda()) first = time_once(works[w], 1, device, timer);  // there the first call is mostly autotuning
    calls.push_back(first > share ? 0 : std::max(1, std::min(50, static_cast<int>(5.0 / std::max(first, 1e-3)))));
    if (calls.back() == 0) samples[w].push_back(first);
  }
  const double start = scdcf::now();
  for (int i = 0; i < kMost && (i == 0 || scdcf::now() - start < budget_seconds); ++i)
    for (size_t w = 0; w < works.size(); ++w)
      if (calls[w] > 0) samples[w].push_back(time_once(works[w], calls[w], device, timer));
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

void release_kept_memory([[maybe_unused]] c10::Device device) {
#ifdef SCDCF_WITH_CUDA
  if (device.is_cuda()) c10::cuda::CUDACachingAllocator::emptyCache();
#endif
}

}  // namespace scdcf::bench
