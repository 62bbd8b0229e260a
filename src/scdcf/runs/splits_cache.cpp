#include "scdcf/runs/splits_cache.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scdcf/train/config.h"

namespace scdcf::runs {

SharedSplits SplitsCache::get(const data::DataOptions& options) {
  train::RunConfig described;
  described.data = options;
  const std::string name = train::to_json(described).at("data").dump();
  std::promise<SharedSplits> promise;
  std::shared_future<SharedSplits> future;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const auto& set) { return set.first == name; });
    if (found != sets_.end()) {
      future = found->second;
      std::rotate(sets_.begin(), found, found + 1);
    } else {
      sets_.emplace_front(name, promise.get_future().share());
      if (sets_.size() > keep_) sets_.pop_back();
    }
  }
  if (future.valid()) return future.get();
  try {
    auto splits = std::make_shared<const data::Splits>(loader_(options));
    promise.set_value(splits);
    return splits;
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::lock_guard<std::mutex> lock(mutex_);
    sets_.erase(std::remove_if(sets_.begin(), sets_.end(), [&](const auto& set) { return set.first == name; }),
                sets_.end());
    throw;
  }
}

}  // namespace scdcf::runs
