// Moments as they are written into files.
#pragma once

#include <array>
#include <ctime>
#include <string>

namespace scdcf::files {

/// Now, in ISO 8601: 2024-05-06T07:08:09Z.
inline std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace scdcf::files
