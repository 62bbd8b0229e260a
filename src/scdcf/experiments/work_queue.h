// Independent pieces of work on a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace scdcf::experiments {

/// Calls work(0) .. work(count - 1), in this order, at most `at_once` at a time. The first exception is thrown here
/// after the work under way has ended; what had not begun is then left undone.
inline void for_each_at_once(size_t count, int64_t at_once, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  const auto helpers =
      std::min<size_t>(static_cast<size_t>(std::max<int64_t>(at_once, 1)), count) - (count > 0 ? 1 : 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < helpers; ++t) threads.emplace_back(take);
  take();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace scdcf::experiments
