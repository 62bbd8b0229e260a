#include "scdcf/data/image_set.h"

#include "scdcf/core/error.h"
#include "scdcf/data/pool.h"
#include "scdcf/pixels/resize.h"

namespace scdcf::data {
namespace {

constexpr std::uint64_t kLargestSet = std::uint64_t{16} << 30;  // bytes of pixels in memory

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
  return {set.channels, set.height, set.width, {}, {}, {}, {}, set.all_sizes, set.class_names};
}

ImageSet prefix(const ImageSet& set, std::int64_t count) {
  require(count >= 0 && count <= set.count(), "count: got ", count, " pictures, expected 0 to ", set.count());
  if (count == 0) return set;
  ImageSet part = without_pictures(set);
  part.pixels.assign(set.pixels.begin(), set.pixels.begin() + count * set.image_bytes());
  part.labels.assign(set.labels.begin(), set.labels.begin() + count);
  if (!set.scales.empty()) part.scales.assign(set.scales.begin(), set.scales.begin() + count);
  if (!set.centres.empty()) part.centres.assign(set.centres.begin(), set.centres.begin() + count);
  return part;
}

ImageSet resize(ImageSet set, int height, int width) {
  if (set.height == height && set.width == width) return set;
  require(height > 0 && width > 0 && std::uint64_t(set.count()) * set.channels * height * width <= kLargestSet,
          "size: got ", height, " x ", width, " pixels, expected 1 or more, and not too many for ", set.count(),
          " pictures in memory");
  ImageSet result = set;
  result.height = height;
  result.width = width;
  for (auto& centre : result.centres)
    centre = {centre.x * static_cast<float>(width) / static_cast<float>(set.width),
              centre.y * static_cast<float>(height) / static_cast<float>(set.height)};
  fill_pixels(result, [&](std::int64_t i) { return pixels::resize(picture_of(set, i), height, width); });
  return result;
}

}  // namespace scdcf::data
