// What both ways of cutting a call into tiles share.
#pragma once

#include <cstdint>

namespace scdcf::ops::cpu::detail {

constexpr int64_t kTileBytes = 400 * 1024;  // the maps between the steps of a tile
constexpr int64_t kTasksPerThread = 4;

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
/// The size that cuts `total` into as many parts as `part` does, but evenly.
inline int64_t even_part(int64_t total, int64_t part) { return ceil_div(total, ceil_div(total, part)); }

/// Lays out one worker's scratch; every array starts on its own cache line.
class ScratchBuilder {
 public:
  explicit ScratchBuilder(int64_t element_size) : element_size_(element_size) {}
  int64_t take(int64_t elements) {
    const int64_t offset = total_;
    total_ += round_up(elements, 64 / element_size_);
    return offset;
  }
  int64_t total() const { return total_; }

 private:
  int64_t element_size_, total_ = 0;
};

}  // namespace scdcf::ops::cpu::detail
