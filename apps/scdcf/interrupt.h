// Ctrl-C, kill, and a terminal or a pipe that is closed: a run saves first; what has nothing to save ends at once.
#pragma once

namespace scdcf::app {

/// The exit code that shells report for a program that Ctrl-C ended; here for every run that was asked to stop.
inline constexpr int kStopped = 130;

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE are answered at once by "stopping ..." on standard error. The
/// program then ends with kStopped; after defer(), a flag is set instead. One of the first three that comes more
/// than two seconds after the first ends the program in any case; sooner it is the same request once more, as `timeout`
/// sends it to the program and to its group. What is ignored stays ignored (nohup), but for SIGPIPE.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  /// From now on there is work to save, or a process to wait for.
  static void defer();
  static bool requested();
};

}  // namespace scdcf::app
