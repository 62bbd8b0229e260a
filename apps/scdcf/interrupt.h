// Whatever asks a run to stop lets it save first: Ctrl-C, kill, a terminal or a pipe that is closed.
#pragma once

namespace scdcf::app {

/// The exit code that shells report for a program that Ctrl-C ended; here for every run that was asked to stop.
inline constexpr int kStopped = 130;

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE set a flag. One of the first three that comes more than two
/// seconds after the first ends the program at once; sooner it is the same request once more, as `timeout` sends it to
/// the program and to its group. What is ignored stays ignored (nohup), but for SIGPIPE.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  static bool requested();
};

}  // namespace scdcf::app
