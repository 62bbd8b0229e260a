// Time and memory of a piece of work on a device.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <vector>

namespace scdcf::bench {

/// What the CPU's time is: that of the clock, or that of the processor, summed over this process' threads, which a busy
/// machine disturbs less. On a GPU the time is between events on the stream.
enum class Timer { clock, processor };

/// Milliseconds per call, the median over samples. Several pieces of work are timed in turn, sample by sample, so that
/// a busy moment of the machine meets all of them alike. The samples of all together take about `budget_seconds`; what
/// takes more than its share of them at once is not run again. On a GPU there is a warm-up first.
std::vector<double> median_ms(const std::vector<std::function<void()>>& works, c10::Device device,
                              double budget_seconds, Timer timer = Timer::clock);

/// Bytes by which the memory in use rises at its highest while `work` runs: from the allocator on a GPU, from the
/// resident memory of the process on the CPU.
double peak_extra_bytes(const std::function<void()>& work, c10::Device device);

/// Gives memory that torch keeps for later back to the device, so that one network does not take it from the next.
void release_kept_memory(c10::Device device);

}  // namespace scdcf::bench
