// Data sets that several runs share: made once, kept while somebody uses them or they are among the latest few.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "scdcf/data/datasets.h"

namespace scdcf::runs {

using SharedSplits = std::shared_ptr<const data::Splits>;

class SplitsCache {
 public:
  using Loader = std::function<data::Splits(const data::DataOptions&)>;
  /// `keep` sets of up to 160 MB each.
  explicit SplitsCache(std::size_t keep = 3, Loader loader = data::load) : keep_(keep), loader_(std::move(loader)) {}
  /// Threads that ask for the same set at a time wait for one of them to make it. What the loader throws goes to all of
  /// them, and the next to ask tries again.
  SharedSplits get(const data::DataOptions& options);

 private:
  std::size_t keep_;
  Loader loader_;
  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_future<SharedSplits>>> sets_;  // the latest in front
};

}  // namespace scdcf::runs
