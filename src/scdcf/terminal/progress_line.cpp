#include "scdcf/terminal/progress_line.h"

#include <algorithm>
#include <cmath>

#include "scdcf/core/format.h"
#include "scdcf/terminal/clock_text.h"

namespace scdcf::terminal {
namespace {

constexpr int kWidestBar = 30, kNarrowestBar = 8, kLogWidth = 200;
constexpr int kNumbersWidth = 46;  // reserved, so that the bar does not change its length from one line to the next

std::string bar(double share, int width) {
  const auto filled = static_cast<std::size_t>(share * width);
  return "  [" + std::string(filled, '#') + std::string(static_cast<std::size_t>(width) - filled, '.') + "]";
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  const char* unit = "B";
  auto value = static_cast<double>(bytes);
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  return format(*unit == 'B' || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, unit);
}

std::string progress_text(const Portion& portion, double seconds, int width) {
  const bool known = portion.total > 0;
  const double share = known ? std::clamp(static_cast<double>(portion.done) / portion.total, 0.0, 1.0) : 0;
  std::string numbers;
  if (known) numbers += format("  %3.0f%%", std::floor(100 * share));
  numbers += "  " + bytes_text(portion.done) + (known ? " of " + bytes_text(portion.total) : "");
  const double rate = seconds > 0.5 ? static_cast<double>(portion.done - portion.began_with) / seconds : 0;
  if (rate >= 1) {
    numbers += "  " + bytes_text(static_cast<std::int64_t>(rate)) + "/s";
    if (known && share < 1)
      numbers += "  " + clock_text(static_cast<double>(portion.total - portion.done) / rate) + " left";
  }
  const int room = width - static_cast<int>(portion.label.size()) - kNumbersWidth - 4;
  const std::string middle = known && room >= kNarrowestBar ? bar(share, std::min(room, kWidestBar)) : "";
  return (portion.label + middle + numbers).substr(0, static_cast<std::size_t>(std::max(width, 0)));
}

void ProgressLine::update(const Portion& portion) {
  const auto now = Clock::now();
  if (portion.label != label_) {
    clear();
    label_ = portion.label;
    began_ = printed_ = now;
  }
  const double seconds = std::chrono::duration<double>(now - began_).count();
  if (line_.on_terminal()) return line_.update(progress_text(portion, seconds, width_ - 1));
  if (now - printed_ < std::chrono::seconds(10)) return;
  printed_ = now;
  line_.print(progress_text(portion, seconds, kLogWidth));
}

}  // namespace scdcf::terminal
