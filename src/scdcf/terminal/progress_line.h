// How far a long transfer is: one line that renews itself on a terminal, or now and then a line in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "scdcf/terminal/status_line.h"

namespace scdcf::terminal {

/// "1.2 MB", "999 kB", "12 B": decimal units, as disks and networks are measured.
std::string bytes_text(std::int64_t bytes);

/// What of a file has been done.
struct Portion {
  std::string label;
  std::int64_t done = 0;
  std::int64_t total = 0;       ///< 0 where it is not known
  std::int64_t began_with = 0;  ///< of `done`: what was there before, which counts for no rate
};

/// "label  [#####.....]  42%  1.1 of 2.6 GB  12.3 MB/s  2:05 left": at most `width` letters; a narrow terminal loses
/// the bar.
std::string progress_text(const Portion& portion, double seconds, int width);

class ProgressLine {
 public:
  ProgressLine(std::ostream& stream, bool terminal, int width = 80) : line_(stream, terminal), width_(width) {}

  /// Cheap to call often: it prints ten times a second on a terminal, else every ten seconds.
  void update(const Portion& portion);
  /// Takes the line off the terminal, so that something else can be printed.
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  StatusLine line_;
  int width_;
  std::string label_;  // of the portion whose time is taken
  Clock::time_point began_{}, printed_{};
};

}  // namespace scdcf::terminal
