// What a long run shows: one line that changes on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <mutex>
#include <ostream>
#include <string>

namespace scdcf::terminal {

/// Lines from several threads do not mix; each is made printable (core/printable.h). The line is taken off the terminal
/// at the end.
class StatusLine {
 public:
  /// On standard output.
  StatusLine();
  StatusLine(std::ostream& stream, bool terminal) : stream_(stream), terminal_(terminal) {}
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Replaces the line, at most ten times a second; shown on terminals only.
  void update(const std::string& text);
  /// A line that stays.
  void print(const std::string& text);
  void clear();
  bool on_terminal() const { return terminal_; }

 private:
  void erase();

  std::mutex mutex_;
  std::ostream& stream_;
  bool terminal_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace scdcf::terminal
