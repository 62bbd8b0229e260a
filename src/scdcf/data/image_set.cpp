#include "scdcf/data/image_set.h"

#include <numeric>

#include "scdcf/core/error.h"
#include "scdcf/data/split.h"

namespace scdcf::data {
namespace {

class Fnv1a {
 public:
  void add(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3U; }
  void add_word(std::uint64_t word, int bytes) {
    for (int i = 0; i < bytes; ++i) add(static_cast<std::uint8_t>(word >> (8 * i)));
  }
  void add_set(const ImageSet& set) {
    for (const std::int64_t size :
         {set.count(), std::int64_t{set.channels}, std::int64_t{set.height}, std::int64_t{set.width}})
      add_word(static_cast<std::uint64_t>(size), 8);
    for (const auto pixel : set.pixels) add(pixel);
    for (const auto label : set.labels) add_word(static_cast<std::uint32_t>(label), 4);
  }
  std::uint64_t value() const { return hash_; }
  std::string text() const {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash_ >> shift) & 15];
    return digits;
  }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

}  // namespace

std::string checksum(const ImageSet& set) {
  Fnv1a hash;
  hash.add_set(set);
  return hash.text();
}

std::string checksum(const Splits& splits) {
  Fnv1a hash;
  for (const auto* part : {&splits.train, &splits.validation, &splits.test}) hash.add_set(*part);
  return hash.text();
}

std::uint64_t hash_of(const std::string& text) {
  Fnv1a hash;
  for (const char letter : text) hash.add(static_cast<std::uint8_t>(letter));
  return hash.value();
}

ImageSet without_pictures(const ImageSet& set) {
  return {set.channels, set.height, set.width, {}, {}, {}, {}, set.all_sizes, set.class_names, {}};
}

ImageSet prefix(const ImageSet& set, std::int64_t count) {
  require(count >= 0 && count <= set.count(), "count: got ", count, " pictures, expected 0 to ", set.count());
  if (count == 0) return set;
  std::vector<std::int64_t> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), 0);
  return select(set, first);
}

}  // namespace scdcf::data
