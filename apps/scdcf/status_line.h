// What a long run shows: one line that changes on a terminal, plain lines elsewhere.
#pragma once

#include <mutex>
#include <string>

namespace scdcf::app {

/// Lines from several threads do not mix.
class StatusLine {
 public:
  StatusLine();
  /// Replaces the line, at most ten times a second; shown on terminals only.
  void update(const std::string& text);
  /// A line that stays.
  void print(const std::string& text);
  bool on_terminal() const { return terminal_; }

 private:
  void clear();
  std::mutex mutex_;
  bool terminal_ = false;
  bool shown_ = false;
  double last_ = 0;
};

/// 75 as "1:15", 3700 as "1:01:40".
std::string clock_text(double seconds);

}  // namespace scdcf::app
