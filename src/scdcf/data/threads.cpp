#include "scdcf/data/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace scdcf::data {

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  constexpr std::int64_t kBlock = 64;
  std::atomic<std::int64_t> next_block{0}, first_failed{count};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&] {
    for (;;) {
      const std::int64_t begin = kBlock * next_block++;
      if (begin >= first_failed) return;  // blocks are handed out in order: nothing smaller can fail any more
      for (std::int64_t index = begin; index < std::min(begin + kBlock, count); ++index) {
        try {
          work(index);
        } catch (...) {
          const std::lock_guard<std::mutex> guard(failure_lock);
          if (index < first_failed) {
            first_failed = index;
            failure = std::current_exception();
          }
          return;
        }
      }
    }
  };
  const std::int64_t wanted = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (std::int64_t i = 1; i < std::min(wanted, (count + kBlock - 1) / kBlock); ++i) helpers.emplace_back(run);
  run();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace scdcf::data
