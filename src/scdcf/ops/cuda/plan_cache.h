// Plans that are searched for once and kept.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>

namespace scdcf::ops::cuda {

/// The bytes of plain values, one after the other: equal values, equal keys.
template <class... Values>
std::string plan_key(const Values&... values) {
  static_assert((std::has_unique_object_representations_v<Values> && ...), "padding would make equal values differ");
  std::string key;
  (key.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  return key;
}

/// Any thread may ask. A cache that has grown to `most` plans starts anew: networks have far fewer layers.
template <class Plan>
class PlanCache {
 public:
  explicit PlanCache(size_t most = 256) : most_(most) {}

  /// What make() gave when this key was first asked for.
  template <class Make>
  std::shared_ptr<const Plan> find(const std::string& key, const Make& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    auto plan = std::make_shared<const Plan>(make());
    if (plans_.size() >= most_) plans_.clear();
    return plans_.emplace(key, std::move(plan)).first->second;
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Plan>> plans_;
};

}  // namespace scdcf::ops::cuda
