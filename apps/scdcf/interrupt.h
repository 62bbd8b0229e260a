// Ctrl-C asks a run to stop after its step; a second one ends the program at once.
#pragma once

namespace scdcf::app {

/// The exit code that shells report for a program that Ctrl-C ended.
inline constexpr int kStopped = 130;

/// While it lives, SIGINT and SIGTERM set a flag.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  static bool requested();
};

}  // namespace scdcf::app
