// Plain threads for work on pictures: whoever reads data need not link OpenMP.
#pragma once

#include <cstdint>
#include <functional>

namespace scdcf::data {

/// Calls work(0) .. work(count - 1), each once, on all processors. Where several throw, the one of the smallest index
/// is thrown on, so that the same bad input gives the same message every time.
void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace scdcf::data
