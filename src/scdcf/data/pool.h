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

/// The glyphs from `begin` on (glyphs.h).
Pool glyph_pool(std::int64_t begin, std::int64_t count);

/// How many of `available` pictures an option asks for: 0 for all. Throws Error, naming it, for more than there are.
std::int64_t kept(const char* option, std::int64_t asked, std::int64_t available);

}  // namespace scdcf::data
