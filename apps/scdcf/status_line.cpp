#include "status_line.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace scdcf::app {

StatusLine::StatusLine() : terminal_(isatty(STDOUT_FILENO) != 0) {}

void StatusLine::update(const std::string& text) {
  if (!terminal_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (now - last_ < 0.1) return;
  last_ = now;
  clear();
  std::cout << text << std::flush;
  shown_ = true;
}

void StatusLine::print(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  clear();
  std::cout << text << std::endl;  // flushed: somebody may be watching a log
}

void StatusLine::clear() {
  if (shown_) std::cout << "\r\033[K";
  shown_ = false;
}

std::string clock_text(double seconds) {
  const long total = std::lround(seconds < 0 ? 0 : seconds);
  char text[32];
  if (total >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
  } else {
    std::snprintf(text, sizeof text, "%ld:%02ld", total / 60, total % 60);
  }
  return text;
}

}  // namespace scdcf::app
