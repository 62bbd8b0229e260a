// How long something takes.
#pragma once

#include <chrono>

namespace scdcf {

/// Seconds of a clock that nobody sets: differences between two of its readings mean something, readings do not.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace scdcf
