#include "scdcf/data/pool.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/core/for_each.h"
#include "scdcf/data/glyphs.h"

namespace scdcf::data {

Pool pool_of(const ImageSet& set) {
  return {set.labels, set.class_names, [&set](std::int64_t i) { return picture_of(set, i); }};
}

pixels::Image picture_of(const ImageSet& set, std::int64_t index) {
  return {set.channels, set.height, set.width, {set.image(index), set.image(index) + set.image_bytes()}};
}

void fill_pixels(ImageSet& set, const std::function<pixels::Image(std::int64_t)>& draw) {
  set.pixels.resize(static_cast<std::size_t>(set.count() * set.image_bytes()));
  for_each(set.count(), cores(), [&](std::int64_t i) {
    const auto image = draw(i);
    std::copy(image.pixels.begin(), image.pixels.end(), set.pixels.begin() + i * set.image_bytes());
  });
}

Pool glyph_pool(std::int64_t begin, std::int64_t count) {
  Pool pool{{}, digit_names(), [begin](std::int64_t i) { return glyph(begin + i); }};
  for (std::int64_t i = begin; i < begin + count; ++i) pool.labels.push_back(glyph_label(i));
  return pool;
}

std::uint64_t DrawOptions::seed() const {
  require(realisation >= 0, "realisation: got ", realisation, ", expected 0 or more");
  return static_cast<std::uint64_t>(realisation);
}

std::int64_t kept(const char* option, std::int64_t asked, std::int64_t available) {
  require(asked >= 0 && asked <= available, option, ": got ", asked, ", expected 1 to ", available, ", or 0 for all");
  return asked == 0 ? available : asked;
}

}  // namespace scdcf::data
