// Runs that share a card: while one captures its step in a CUDA graph, the others may replay theirs but must not start
// anything that could wait for the whole device (allocation, autotuning).
#pragma once

#include <mutex>
#include <shared_mutex>

namespace scdcf::train {

inline std::shared_mutex& capture_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

/// Held by what allocates or tunes on the device: uploads, evaluation.
class DeviceWork {
  std::shared_lock<std::shared_mutex> lock_{capture_mutex()};
};

/// Held while a step is captured.
class DeviceCapture {
  std::unique_lock<std::shared_mutex> lock_{capture_mutex()};
};

}  // namespace scdcf::train
