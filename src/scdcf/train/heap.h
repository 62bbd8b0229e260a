// What becomes of the heap of a process that allocates and frees tensors: blocks lie between others, and the gaps that
// remain take a third and more of the memory that a training step needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace scdcf::train {

/// Follows glibc's malloc as LibTorch calls it: the smallest gap that fits, or the top of the heap. An aligned block
/// fits only where it does at any alignment.
class Heap {
 public:
  /// The address of a block of `size` bytes.
  std::int64_t take(std::int64_t size) {
    used_ += size;
    most_used_ = std::max(most_used_, used_);
    size = rounded(size);
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap)
      if (gap->second >= size + kAlignment && (best == gaps_.end() || gap->second < best->second)) best = gap;
    if (best == gaps_.end()) {
      end_ += size;
      most_ = std::max(most_, end_);
      return end_ - size;
    }
    const auto [begin, length] = *best;
    gaps_.erase(best);
    gaps_[begin + size] = length - size;
    return begin;
  }

  void give_back(std::int64_t begin, std::int64_t size) {
    used_ -= size;
    size = rounded(size);
    auto after = gaps_.lower_bound(begin);
    if (after != gaps_.end() && after->first == begin + size) {
      size += after->second;
      after = gaps_.erase(after);
    }
    if (after != gaps_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == begin) {
        begin = before->first;
        size += before->second;
        gaps_.erase(before);
      }
    }
    if (begin + size == end_)
      end_ = begin;
    else
      gaps_[begin] = size;
  }

  std::int64_t used() const { return used_; }            ///< bytes of all blocks
  std::int64_t most_used() const { return most_used_; }  ///< the most at once
  std::int64_t most() const { return most_; }            ///< the most with the gaps between them

 private:
  static constexpr std::int64_t kHeader = 16, kAlignment = 64 + 32;
  static std::int64_t rounded(std::int64_t size) { return (size + kHeader + 15) / 16 * 16; }

  std::map<std::int64_t, std::int64_t> gaps_;  // by their beginning
  std::int64_t used_ = 0, most_used_ = 0, end_ = 0, most_ = 0;
};

}  // namespace scdcf::train
