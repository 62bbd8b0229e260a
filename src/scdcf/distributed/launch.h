// Several processes on one machine: starts them, looks after them, and says what became of them.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace scdcf::distributed {

struct LaunchResult {
  int code = 0;       ///< of all: 0 where every rank ended well
  std::string error;  ///< one line naming the rank that was the first cause; empty where there was none
};

/// Starts this program `count` times with the arguments it has, each with the environment of a rank, and waits for
/// their end. A rank whose Pulse is not felt for `timeout_seconds` is lost and killed, from its start (start_seconds)
/// to its exit. Where one fails or is lost, the others have a few seconds to end too. `stop` is asked all the time;
/// once it is true every rank is asked to stop (SIGTERM). The ranks die with this process.
LaunchResult launch_ranks(int count, double timeout_seconds, const std::function<bool()>& stop);

/// How long to wait for processes of one machine that all start at once: loading a large library takes its time.
double start_seconds(double timeout_seconds);

/// Whether launch_ranks has started this process.
bool is_launched();

/// What a launched rank shows to launch_ranks, as long as this object lives; after it the process is to exit, which has
/// the same bound. Nothing in any other process.
class Pulse {
 public:
  Pulse();
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_changed_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace scdcf::distributed
