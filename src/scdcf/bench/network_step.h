// The trainer's own step on a network of the registry, repeated on random images: for timing.
#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "scdcf/models/options.h"

namespace scdcf::bench {

/// A network as the paper's comparison uses it: for 28x28 digits with Adam, for 96x96 pictures (resnet16 and its
/// variants) with SGD.
struct NetworkCase {
  std::string name;
  bool pictures = false;
  int64_t batch = 0;
  int64_t size() const { return pictures ? 96 : 28; }
};

/// Gather, forward, loss, backward, update: train::Step, on a GPU in TF32 and through its CUDA graph.
class NetworkStep {
 public:
  NetworkStep(const NetworkCase& network_case, c10::Device device);
  ~NetworkStep();
  void run();
  int64_t parameters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Gives memory that torch keeps for later back to the device, so that one network does not take it from the next.
void release_kept_memory(c10::Device device);

}  // namespace scdcf::bench
