#include "scdcf/pixels/canvas.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <set>
#include <string>

#include "scdcf/pixels/bitmap_font.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace scdcf::pixels {
namespace {

using testing::expect_error;

TEST(BitmapFont, no_two_letters_look_alike_and_all_but_the_blank_have_ink) {
  std::set<std::string> seen;
  for (char letter = ' '; letter <= '~'; ++letter) {
    std::string ink;
    for (int y = 0; y < kGlyphHeight; ++y)
      for (int x = 0; x < kGlyphWidth; ++x) ink += glyph_pixel(letter, x, y) ? '#' : '.';
    EXPECT_EQ(ink.find('#') == std::string::npos, letter == ' ') << letter;
    EXPECT_TRUE(seen.insert(ink).second) << letter;
  }
}

TEST(CanvasTest, paste_enlarges_and_cuts_off_at_the_edges) {
  const std::uint8_t picture[] = {1, 2, 3, 4};  // 2x2, grey
  Canvas canvas(1, 4, 5, {9, 9, 9});
  canvas.paste(picture, 1, 2, 2, 2, 1, 2);
  const std::vector<std::uint8_t> expected = {9, 9, 9, 9, 9,  //
                                              9, 9, 1, 1, 2,  //
                                              9, 9, 1, 1, 2,  //
                                              9, 9, 3, 3, 4};
  EXPECT_EQ(canvas.pixels(), expected);
}

TEST(CanvasTest, grey_on_colours_becomes_grey_colours) {
  const std::uint8_t grey[] = {7}, colours[] = {1, 2, 3};
  Canvas canvas(3, 1, 2, {0, 0, 0});
  canvas.paste(grey, 1, 1, 1, 0, 0, 1);
  canvas.paste(colours, 3, 1, 1, 1, 0, 1);
  EXPECT_EQ(canvas.pixels(), (std::vector<std::uint8_t>{7, 1, 7, 2, 7, 3}));
  Canvas small(1, 1, 1, {0, 0, 0});
  expect_error([&] { small.paste(colours, 3, 1, 1, 0, 0, 1); }, "3 channels", "expected 1");
  expect_error([] { Canvas(2, 1, 1, {}); }, "2 channels");
  expect_error([] { Canvas(1, 0, 5, {}); }, "5x0");
}

using Png = testing::ScratchFolder;

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Reads what write_png wrote, by the standard: chunks with right checksums, rows without filter.
TEST_F(Png, holds_every_pixel) {
  for (const int channels : {1, 3}) {
    Canvas canvas(channels, 3, 4, {10, 20, 30});
    canvas.set(2, 1, {200, 150, 100});
    write_png(folder_ / "a.png", canvas);
    const std::string png = read(folder_ / "a.png");
    ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    std::string order, packed;
    for (std::size_t at = 8; at + 12 <= png.size();) {
      const std::size_t length = number(png, at);
      ASSERT_LE(at + 12 + length, png.size());
      const std::string type = png.substr(at + 4, 4), data = png.substr(at + 8, length);
      EXPECT_EQ(number(png, at + 8 + length), crc32(0, reinterpret_cast<const Bytef*>(&png[at + 4]), length + 4));
      if (type == "IHDR") {
        EXPECT_EQ(number(data, 0), 4U);
        EXPECT_EQ(number(data, 4), 3U);
        EXPECT_EQ(data.substr(8), std::string({8, channels == 3 ? '\2' : '\0', 0, 0, 0}));
      }
      if (type == "IDAT") packed += data;
      order += type;
      at += 12 + length;
    }
    EXPECT_EQ(order, "IHDRIDATIEND");
    std::string rows(static_cast<std::size_t>(3 * (1 + 4 * channels)), '\0');
    uLongf size = rows.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                         packed.size()),
              Z_OK);
    ASSERT_EQ(size, rows.size());
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x)
        for (int c = 0; c < channels; ++c)
          EXPECT_EQ(
              static_cast<std::uint8_t>(rows[static_cast<std::size_t>(y * (1 + 4 * channels) + 1 + x * channels + c)]),
              canvas.pixels()[static_cast<std::size_t>((c * 3 + y) * 4 + x)]);
  }
}

TEST_F(Png, a_folder_that_is_missing_is_named) {
  expect_error([&] { write_png(folder_ / "missing" / "a.png", Canvas(1, 1, 1, {})); }, "missing/a.png");
}

}  // namespace
}  // namespace scdcf::pixels
