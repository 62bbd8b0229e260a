// A time span as a clock shows it.
#pragma once

#include <algorithm>
#include <cmath>

#include "scdcf/core/format.h"

namespace scdcf::terminal {

/// 75 as "1:15", 3700 as "1:01:40"; nothing is below 0:00.
inline std::string clock_text(double seconds) {
  const long all = std::lround(std::clamp(seconds, 0.0, 3.6e9));
  const long hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? format("%ld:%02ld:%02ld", hours, minutes, all % 60) : format("%ld:%02ld", minutes, all % 60);
}

}  // namespace scdcf::terminal
