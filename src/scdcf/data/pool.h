// Pictures that are fetched (or drawn) one at a time, so that only those in use are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::data {

struct Pool {
  std::vector<std::int32_t> labels;
  std::vector<std::string> class_names;
  std::function<pixels::Image(std::int64_t)> image;  ///< called from several threads

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

/// A pool over a set; the set must outlive it.
Pool pool_of(const ImageSet& set);

/// One picture of a set.
pixels::Image picture_of(const ImageSet& set, std::int64_t index);
/// The pixels of a set that has its labels and its size: draw(0), draw(1), ..., on several threads.
void fill_pixels(ImageSet& set, const std::function<pixels::Image(std::int64_t)>& draw);

/// The glyphs from `begin` on (glyphs.h).
Pool glyph_pool(std::int64_t begin, std::int64_t count);

/// What all sets that are drawn from a pool are told.
struct DrawOptions {
  int realisation = 0;                                              ///< seeds all that is drawn at random
  std::int64_t keep_train = 0, keep_validation = 0, keep_test = 0;  ///< how many images, from the first on; 0 for all

  /// The realisation; throws Error where it is negative.
  std::uint64_t seed() const;
};

/// How many of `available` pictures an option asks for: 0 for all. Throws Error, naming it, for more than there are.
std::int64_t kept(const char* option, std::int64_t asked, std::int64_t available);

}  // namespace scdcf::data
