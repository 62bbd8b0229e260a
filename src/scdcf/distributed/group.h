// Processes that compute together: sums over all of them, and a bounded end where one is lost. c10d does the talking,
// Gloo between CPUs and NCCL between GPUs.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/distributed/place.h"

namespace scdcf::distributed {

/// The exit code of a process that ends because another was lost.
inline constexpr int kLostRank = 3;

/// Whether processes can compute together on such a device: LibTorch's headers for CPUs want those of Gloo, which its
/// own downloads leave out.
bool has_backend(c10::DeviceType device);

/// Another process is dead, hangs, or has failed and told so.
class LostRank : public Error {
 public:
  LostRank(const std::string& what, bool is_told) : Error(what), is_told_(is_told) {}
  /// Another process tells the user: this one ends in silence.
  bool is_told() const { return is_told_; }

 private:
  bool is_told_;
};

struct GroupOptions {
  double timeout_seconds = 40;  ///< a process that is not heard of for so long is lost
  double join_seconds = 300;    ///< how long to wait for the others at the beginning
  /// What to add to the line about a lost process: the last checkpoint. Called from another thread.
  std::function<std::string()> advice;
};

/// Every process calls the same functions in the same order. Where a process is lost the call under way throws LostRank
/// in all others, or, where they do not come back from it, they end with exit code kLostRank, in either case within
/// about timeout_seconds.
///
///   distributed::Group group(*distributed::place_from_environment(), torch::kCPU);
///   group.sum(tensor);  // now the same everywhere
class Group {
 public:
  /// Waits for the others. Throws Error where this build has not what the device needs, or where they do not come.
  Group(const Place& place, c10::Device device, const GroupOptions& options = {});
  /// Takes its leave: the end of this process is no loss to the others any more.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  int local_size() const { return place_.local_size; }
  bool is_first() const { return rank() == 0; }
  c10::Device device() const { return device_; }

  /// Replaces a dense tensor on the device by its sum over all processes, bitwise the same in each.
  void sum(const at::Tensor& tensor) { sum_later(tensor)(); }
  /// Begins that; the function that is returned waits for its end. Until then the tensor must not be touched.
  [[nodiscard]] std::function<void()> sum_later(const at::Tensor& tensor);
  /// The sum, with a derivative: that of what every process makes of it.
  at::Tensor differentiable_sum(const at::Tensor& part);
  /// Replaces a dense tensor by that of rank 0.
  void broadcast(const at::Tensor& tensor);

  /// The texts of all, by rank; `subject` is used once. Patient: others may be long in coming, as long as they live.
  std::vector<std::string> exchange(const std::string& subject, const std::string& text);
  /// That of rank 0.
  std::string from_first(const std::string& subject, const std::string& text);

  /// Tells the others that this process ends, and why. True for the first to tell, which then tells the user.
  bool tell_failure(const std::string& why);

 private:
  struct Connection;
  Place place_;
  c10::Device device_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace scdcf::distributed
