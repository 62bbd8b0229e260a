#include "scdcf/terminal/status_line.h"

#include <unistd.h>

#include <iostream>

#include "scdcf/core/printable.h"

namespace scdcf::terminal {

StatusLine::StatusLine() : StatusLine(std::cout, isatty(STDOUT_FILENO) != 0) {}

void StatusLine::update(const std::string& text) {
  if (!terminal_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  erase();
  stream_ << printable(text) << std::flush;
  shown_ = true;
}

void StatusLine::print(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  erase();
  stream_ << printable(text) << std::endl;  // flushed: somebody may be watching a log
}

void StatusLine::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  erase();
  stream_ << std::flush;
}

void StatusLine::erase() {
  if (shown_) stream_ << "\r\033[K";
  shown_ = false;
}

}  // namespace scdcf::terminal
