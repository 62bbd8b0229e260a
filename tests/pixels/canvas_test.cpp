#include "scdcf/pixels/canvas.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scdcf/pixels/bitmap_font.h"
#include "scdcf/pixels/image_file.h"
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

using CanvasFile = testing::ScratchFolder;

TEST_F(CanvasFile, holds_every_pixel) {
  for (const int channels : {1, 3}) {
    Canvas canvas(channels, 3, 4, {10, 20, 30});
    canvas.set(2, 1, {200, 150, 100});
    write_png(folder_ / "a.png", canvas);
    const Image image = read_image((folder_ / "a.png").string());
    EXPECT_EQ(image.channels, channels);
    EXPECT_EQ(image.height, 3);
    EXPECT_EQ(image.width, 4);
    EXPECT_EQ(image.pixels, canvas.pixels());
  }
}

TEST_F(CanvasFile, a_folder_that_is_missing_is_named) {
  expect_error([&] { write_png(folder_ / "missing" / "a.png", Canvas(1, 1, 1, {})); }, "missing/a.png");
}

}  // namespace
}  // namespace scdcf::pixels
