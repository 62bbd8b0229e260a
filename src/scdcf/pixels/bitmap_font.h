// A tiny font for labels in pictures: printable ASCII, five pixels wide, capitals seven high, two more below the line.
#pragma once

#include <string_view>

namespace scdcf::pixels {

constexpr int kGlyphWidth = 5;
constexpr int kGlyphHeight = 9;   ///< with the two rows for g, j, p, q, y
constexpr int kGlyphAdvance = 6;  ///< from one letter to the next
constexpr int kCapitalHeight = 7;

/// Whether a pixel of a letter is inked; x in [0, 5), y in [0, 9). What the font does not have is drawn as a box.
bool glyph_pixel(char letter, int x, int y);

/// Pixels from the first to the last column of a line of text.
constexpr int text_width(std::string_view text) {
  return text.empty() ? 0 : static_cast<int>(text.size()) * kGlyphAdvance - 1;
}

}  // namespace scdcf::pixels
