// Random streams of a run as a pure function of (seed, purpose, step): nothing needs to be stored to resume exactly.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <cstdint>
#include <mutex>

namespace scdcf::train {

/// What a stream is used for; streams of different purposes are independent.
enum class Purpose : uint64_t { weights = 1, order = 2, augmentation = 3, dropout = 4, teachers = 5 };

/// A well-mixed 63-bit seed for a torch generator.
inline uint64_t stream_seed(uint64_t seed, Purpose purpose, uint64_t index) {
  uint64_t z = seed * 0x9e3779b97f4a7c15U + static_cast<uint64_t>(purpose) * 0xd1b54a32d192ed03U + index;
  for (int round = 0; round < 2; ++round) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
  }
  return z >> 1;
}

inline at::Generator random_stream(uint64_t seed, Purpose purpose, int64_t index) {
  return at::detail::createCPUGenerator(stream_seed(seed, purpose, static_cast<uint64_t>(index)));
}

/// While it lives, networks made in this thread draw their weights from a stream of this seed. Layers initialise
/// themselves from torch's one default generator, so runs that share a process take turns.
class WeightsScope {
 public:
  explicit WeightsScope(uint64_t seed) : turn_(mutex()) { torch::manual_seed(seed); }

 private:
  static std::mutex& mutex() {
    static std::mutex one_at_a_time;
    return one_at_a_time;
  }
  std::lock_guard<std::mutex> turn_;
};

}  // namespace scdcf::train
