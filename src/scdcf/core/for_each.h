// Independent pieces of work on a few threads. Torch-free: what runs on torch's own threads is core/parallel.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace scdcf {

/// The threads of this machine, at least one.
inline std::int64_t cores() { return std::max<std::int64_t>(1, std::thread::hardware_concurrency()); }

/// Calls work(0) .. work(count - 1), begun in this order, at most `at_once` at a time. Where calls throw, the exception
/// of the smallest index is thrown here after the work under way has ended; what had not begun is then left undone.
template <class Work>
void for_each(std::int64_t count, std::int64_t at_once, const Work& work) {
  std::atomic<std::int64_t> next{0}, end{count};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    // Indices are handed out in order: nothing smaller than a failed one is still to begin.
    for (std::int64_t i = next++; i < end; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < end) {
          end = i;
          failure = std::current_exception();
        }
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (std::int64_t t = 1; t < std::min(at_once, count); ++t) helpers.emplace_back(take);
  } catch (const std::system_error&) {  // no more threads to be had: those that there are do the work
  }
  take();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace scdcf
