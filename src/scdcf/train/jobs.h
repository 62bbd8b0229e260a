// Several runs in one process: one after the other on the CPU, a few at a time where they share a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace scdcf::train {

/// Refuses less than one run at a time, and on the CPU more than one.
void check_jobs(int jobs, const std::string& device);

/// Calls make(0) .. make(count - 1), each of which tells whether its run came to its end: at most `jobs` at a time, and
/// none is begun once stop() is true or one has thrown; that exception is rethrown here. Tells whether all came to
/// their end.
bool make_runs(std::int64_t count, int jobs, const std::function<bool()>& stop,
               const std::function<bool(std::int64_t)>& make);

}  // namespace scdcf::train
