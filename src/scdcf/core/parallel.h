// Parallel work on torch's own threads, so that its setting of their number holds here too.
#pragma once

#include <cstdint>
#include <functional>

namespace scdcf {

/// Calls fn(0) .. fn(count - 1), each once, on up to threads() threads at a time, and returns when all are done.
/// Compiled inside the library on purpose: at::parallel_for is a template that runs on one thread, without a word, in
/// code that is built without OpenMP.
void run_parallel(int64_t count, const std::function<void(int64_t)>& fn);

}  // namespace scdcf
