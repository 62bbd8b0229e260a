// Digits drawn from strokes: pictures like MNIST's where no data is at hand.
//
// A digit is a few smooth curves in the unit square. Each picture bends, slants, turns and squeezes them at random,
// picks one of several ways to write the digit and a pen, and fits the result into 20 x 20 pixels about the centre of
// 28 x 28.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/data/random.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::data {

constexpr int kGlyphSide = 28;

/// One picture, white on black.
pixels::Image draw_glyph(int digit, Random& random);

/// Picture `index` of the endless series of glyphs: it depends on the index alone, so any part can be drawn alone.
inline std::int32_t glyph_label(std::int64_t index) { return static_cast<std::int32_t>(index % 10); }
pixels::Image glyph(std::int64_t index);
ImageSet draw_glyphs(std::int64_t begin, std::int64_t count);

/// "0" to "9".
std::vector<std::string> digit_names();

}  // namespace scdcf::data
