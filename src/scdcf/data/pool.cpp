#include "scdcf/data/pool.h"

#include "scdcf/core/error.h"
#include "scdcf/data/glyphs.h"

namespace scdcf::data {

Pool pool_of(const ImageSet& set) {
  return {set.labels, set.class_names, [&set](std::int64_t i) {
            return pixels::Image{set.channels, set.height, set.width,
                                 files::Bytes(set.image(i), set.image(i) + set.image_bytes())};
          }};
}

Pool glyph_pool(std::int64_t begin, std::int64_t count) {
  Pool pool{{}, digit_names(), [begin](std::int64_t i) { return glyph(begin + i); }};
  for (std::int64_t i = begin; i < begin + count; ++i) pool.labels.push_back(glyph_label(i));
  return pool;
}

std::int64_t kept(const char* option, std::int64_t asked, std::int64_t available) {
  require(asked >= 0 && asked <= available, option, ": got ", asked, ", expected 1 to ", available, ", or 0 for all");
  return asked == 0 ? available : asked;
}

}  // namespace scdcf::data
