// Several processes on one machine: starts them, looks after them, and says what became of them.
#pragma once

#include <functional>
#include <string>

namespace scdcf::distributed {

struct LaunchResult {
  int code = 0;       ///< of all: 0 where every rank ended well
  std::string error;  ///< one line naming the rank that was the first cause; empty where there was none
};

/// Starts this program `count` times with the arguments it has, each with the environment of a rank, and waits for
/// their end. Where one fails or is lost, the others have a few seconds to end too. `stop` is asked all the time; once
/// it is true every rank is asked to stop (SIGTERM).
LaunchResult launch_ranks(int count, const std::function<bool()>& stop);

/// Whether launch_ranks has started this process. If so, it dies from now on with the one that did.
bool is_launched();

}  // namespace scdcf::distributed
