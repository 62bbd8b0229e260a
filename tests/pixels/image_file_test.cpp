#include "scdcf/pixels/image_file.h"

#include <cmath>

#include "scdcf/pixels/image_header.h"
#include "support/encoders.h"
#include "support/expect_error.h"

namespace scdcf::pixels {
namespace {

using data::Random;
using testing::expect_error;
using testing::jpeg;
using testing::JpegKind;
using testing::png;
using testing::ramp;
using testing::random_bytes;

double mean_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.channels, b.channels);
  EXPECT_EQ(a.height, b.height);
  EXPECT_EQ(a.width, b.width);
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

TEST(Png, what_was_written_is_read_back) {
  const testing::TemporaryFolder folder;
  for (const int channels : {1, 3}) {
    const Image image{channels, 5, 7, random_bytes(static_cast<std::size_t>(35 * channels), Random(2))};
    write_png(folder.path("a.png"), image);
    const Image read = read_image(folder.path("a.png"));
    EXPECT_EQ(read.channels, channels);
    EXPECT_EQ(read.height, 5);
    EXPECT_EQ(read.width, 7);
    EXPECT_EQ(read.pixels, image.pixels);
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1U) << "a temporary file is left";
}

TEST(Png, every_kind_becomes_grey_or_rgb) {
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_GRAY, 1, 1, 8, {0xA0}), "x").pixels,
            (files::Bytes{255, 0, 255, 0, 0, 0, 0, 0}));
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_GRAY, 16, 1, 2, {0x80, 0x80, 0xFF, 0x7F}), "x").pixels,
            (files::Bytes{128, 255}));
  // half transparent black on white; wholly transparent is white
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_GRAY_ALPHA, 8, 1, 3, {0, 128, 9, 0, 9, 255}), "x").pixels,
            (files::Bytes{127, 255, 9}));
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_RGB_ALPHA, 8, 1, 2, {1, 2, 3, 255, 1, 2, 3, 0}), "x").pixels,
            (files::Bytes{1, 255, 2, 255, 3, 255}));
  // colours 0, 1, 2, 3 of the palette: red, green, blue, transparent
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_PALETTE, 2, 1, 4, {0x1B}), "x").pixels,
            (files::Bytes{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255}));
  const files::Bytes rows = random_bytes(9 * 11 * 3, Random(3));
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_RGB, 8, 9, 11, rows, true), "x").pixels,
            decode_image(png(PNG_COLOR_TYPE_RGB, 8, 9, 11, rows, false), "x").pixels);
}

TEST(Png, damage_is_an_error) {
  const files::Bytes whole = encode_png(ramp(3, 20, 20));
  for (const std::size_t size : {std::size_t{8}, std::size_t{20}, whole.size() / 2, whole.size() - 5})
    expect_error(
        [&] {
          decode_image(files::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), "cut.png");
        },
        "cut.png", "PNG");
  files::Bytes flipped = whole;
  flipped[60] ^= 4;
  expect_error([&] { decode_image(flipped, "bad.png"); }, "bad.png", "PNG");
}

TEST(Png, impossible_sizes_are_refused) {
  const auto with_width = [](std::uint32_t width) {
    files::Bytes bytes = encode_png(ramp(1, 8000, 1));
    for (int i = 0; i < 4; ++i)
      bytes[static_cast<std::size_t>(16 + i)] = static_cast<std::uint8_t>(width >> (24 - 8 * i));
    const auto crc = crc32(crc32(0, nullptr, 0), bytes.data() + 12, 17);
    for (int i = 0; i < 4; ++i)
      bytes[static_cast<std::size_t>(29 + i)] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    return bytes;
  };
  expect_error([&] { decode_image(with_width(16000), "a.png"); }, "a.png", "16000 x 8000", "at most");
  expect_error([&] { decode_image(with_width(8000), "a.png"); }, "a.png", "announces 8000 x 8000");
  expect_error([&] { decode_image(with_width(20000), "a.png"); }, "a.png", "PNG");
}

TEST(Jpeg, grey_rgb_progressive_and_cmyk_are_near_what_was_written) {
  for (const int channels : {1, 3})
    for (const auto kind : {JpegKind::baseline, JpegKind::progressive})
      EXPECT_LT(mean_difference(decode_image(jpeg(ramp(channels, 33, 47), kind), "x"), ramp(channels, 33, 47)), 3);
  EXPECT_LT(mean_difference(decode_image(jpeg(ramp(3, 33, 47), JpegKind::cmyk), "x"), ramp(3, 33, 47)), 3);
}

TEST(Png, transparency_shows_the_ground) {
  EXPECT_EQ(decode_image(png(PNG_COLOR_TYPE_GRAY_ALPHA, 8, 1, 3, {200, 128, 9, 0, 9, 255}), "x", 0).pixels,
            (files::Bytes{100, 0, 9}));
}

TEST(Jpeg, exif_turns_the_picture_upright) {
  // 1 2 3
  // 4 5 6, as the eight orientations show it
  const Image stored{1, 2, 3, {1, 2, 3, 4, 5, 6}};
  const std::vector<files::Bytes> expected = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                              {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                              {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  const files::Bytes plain = jpeg(ramp(3, 24, 40));
  const Image flat = decode_image(plain, "x");
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image turned = upright(stored, orientation);
    EXPECT_EQ(turned.pixels, expected[static_cast<std::size_t>(orientation - 1)]) << orientation;
    EXPECT_EQ(turned.height, orientation < 5 ? 2 : 3);
    for (const bool little_endian : {false, true}) {
      const files::Bytes tagged = testing::with_orientation(plain, orientation, little_endian);
      EXPECT_EQ(exif_orientation(tagged), orientation);
      EXPECT_EQ(decode_image(tagged, "x").pixels, upright(flat, orientation).pixels) << orientation;
    }
  }
  EXPECT_EQ(exif_orientation(plain), 1);
  EXPECT_EQ(exif_orientation(testing::with_orientation(plain, 9, false)), 1) << "no such orientation";
  const files::Bytes whole = testing::with_orientation(plain, 6, true);
  for (std::ptrdiff_t size = 0; size < 38; ++size)
    EXPECT_EQ(exif_orientation({whole.begin(), whole.begin() + size}), 1) << "cut at " << size;
}

TEST(Jpeg, damage_is_an_error) {
  for (const auto kind : {JpegKind::baseline, JpegKind::progressive}) {
    const files::Bytes whole = jpeg(Image{3, 40, 40, random_bytes(4800, Random(4))}, kind);
    for (const std::size_t size : {std::size_t{3}, std::size_t{30}, whole.size() / 2, whole.size() - 20})
      expect_error(
          [&] {
            decode_image(files::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), "cut.jpg");
          },
          "cut.jpg", "JPEG");
  }
}

TEST(Jpeg, impossible_sizes_are_refused) {
  files::Bytes bytes = jpeg(ramp(1, 8, 8));
  for (std::size_t i = 0; i + 9 < bytes.size(); ++i)
    if (bytes[i] == 0xFF && bytes[i + 1] == 0xC0) {  // the frame header: height and width as two words
      bytes[i + 5] = bytes[i + 7] = 0x1F;
      break;
    }
  expect_error([&] { decode_image(bytes, "a.jpg"); }, "a.jpg", "announces 7944 x 7944");
}

TEST(ImageFile, names_what_is_neither) {
  const testing::TemporaryFolder folder;
  expect_error([&] { read_image(folder.path("none.png")); }, folder.path("none.png"), "no such file");
  expect_error([&] { read_image(folder.path()); }, folder.path(), "not a file");
  expect_error([&] { read_image(folder.write("a.png", testing::bytes_of("GIF89a"))); }, "a.png", "neither");
  expect_error([&] { read_image(folder.write("b.png", files::Bytes{})); }, "b.png", "neither");
  expect_error([&] { write_png(folder.path("no/such/folder.png"), ramp(1, 2, 2)); }, "folder.png", "cannot be written");
  expect_error([&] { write_png(folder.path("c.png"), Image{2, 2, 2, files::Bytes(8)}); }, "2 channels");
  expect_error([&] { write_png(folder.path("c.png"), Image{1, 2, 2, files::Bytes(3)}); }, "3 bytes", "4");
}

TEST(ImageFile, a_failed_write_leaves_the_old_file_and_no_other) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("target/child"));  // a folder that is not empty cannot be replaced
  expect_error([&] { write_png(folder.path("target"), ramp(1, 2, 2)); }, "target", "cannot be written");
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1U);
}

TEST(ImageFile, channels_are_converted) {
  EXPECT_EQ(with_channels(Image{1, 1, 2, {3, 9}}, 3).pixels, (files::Bytes{3, 9, 3, 9, 3, 9}));
  EXPECT_EQ(with_channels(Image{3, 1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255}}, 1).pixels, (files::Bytes{76, 150, 29}));
  EXPECT_EQ(with_channels(Image{3, 1, 1, {77, 77, 77}}, 1).pixels, (files::Bytes{77}));
  expect_error([] { with_channels(Image{1, 1, 1, {0}}, 2); }, "channels", "got 2");
}

}  // namespace
}  // namespace scdcf::pixels
