#include "scdcf/pixels/image_header.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "scdcf/core/error.h"

namespace scdcf::pixels {
namespace {

constexpr unsigned kOrientationTag = 0x0112, kShortType = 3;

/// Part of a file; reading beyond its end gives zeros, which no check below takes for anything.
struct Segment {
  const std::uint8_t* data;
  std::size_t size;
  bool little_endian = false;

  unsigned byte(std::size_t at) const { return at < size ? data[at] : 0; }
  std::size_t word(std::size_t at, int bytes) const {
    std::size_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value = value << 8 | byte(at + static_cast<std::size_t>(little_endian ? bytes - 1 - i : i));
    return value;
  }
};

/// Of a TIFF header with its first directory, which is what an EXIF segment holds.
int tiff_orientation(Segment tiff) {
  tiff.little_endian = tiff.byte(0) == 'I';
  if (tiff.word(2, 2) != 42) return 1;
  const std::size_t directory = tiff.word(4, 4);
  if (directory >= tiff.size) return 1;
  const std::size_t entries = std::min(tiff.word(directory, 2), tiff.size / 12);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (tiff.word(entry, 2) != kOrientationTag || tiff.word(entry + 2, 2) != kShortType) continue;
    const auto value = static_cast<int>(tiff.word(entry + 8, 2));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/// Calls visit(kind, start, length of the content) for each segment until it returns true or the pixels begin. A
/// segment is FF, its kind, and two bytes of length that count themselves.
template <class Visit>
void walk_segments(const Segment& file, Visit visit) {
  constexpr unsigned kStartOfScan = 0xDA;
  for (std::size_t at = 2; at + 4 <= file.size;) {
    const unsigned kind = file.byte(at + 1);
    const std::size_t length = file.word(at + 2, 2);
    if (file.byte(at) != 0xFF || kind == kStartOfScan) break;
    if (kind == 0xFF) {  // padding
      ++at;
      continue;
    }
    if (length < 2 || visit(kind, at + 4, length - 2)) break;
    at += 2 + length;
  }
}

/// Nothing of a pipe, which might never have any.
files::Bytes start_of(const std::string& path, std::size_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  files::Bytes start(most);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(most));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
}

}  // namespace

int exif_orientation(const files::Bytes& jpeg) {
  constexpr std::array<std::uint8_t, 6> kExif = {'E', 'x', 'i', 'f', 0, 0};
  constexpr unsigned kApp1 = 0xE1;
  int orientation = 1;
  walk_segments({jpeg.data(), jpeg.size()}, [&](unsigned kind, std::size_t start, std::size_t length) {
    if (length > jpeg.size() - start) return true;
    const std::uint8_t* content = jpeg.data() + start;
    const bool found = kind == kApp1 && length >= kExif.size() && std::equal(kExif.begin(), kExif.end(), content);
    if (found) orientation = tiff_orientation({content + kExif.size(), length - kExif.size()});
    return found;
  });
  return orientation;
}

std::string format_of_file(const std::string& path) { return format_of(start_of(path, 16)); }

AnnouncedSize announced_size(const std::string& path) {
  const auto start = start_of(path, 1 << 17);
  const Segment head{start.data(), start.size()};
  const auto number = [&](std::size_t at, int bytes) { return static_cast<int>(head.word(at, bytes)); };
  const auto format = format_of(start);
  AnnouncedSize size;
  if (format == "PNG") size = {number(20, 4), number(16, 4)};
  if (format == "JPEG")
    walk_segments(head, [&](unsigned kind, std::size_t at, std::size_t) {
      const bool is_frame = kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
      if (is_frame) size = {number(at + 1, 2), number(at + 3, 2)};
      return is_frame;
    });
  return size;
}

Image upright(Image image, int orientation) {
  require(orientation >= 1 && orientation <= 8, "orientation: got ", orientation, ", expected 1 to 8");
  if (orientation == 1) return image;
  const bool transposed = orientation >= 5;
  // Which ends of the stored picture the first column and the first row of the upright one come from.
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result{image.channels, transposed ? image.width : image.height, transposed ? image.height : image.width, {}};
  result.pixels.resize(image.pixels.size());
  const std::size_t area = std::size_t{1} * image.height * image.width;
  for (int c = 0; c < image.channels; ++c)
    for (int y = 0; y < result.height; ++y)
      for (int x = 0; x < result.width; ++x) {
        int row = transposed ? x : y, column = transposed ? y : x;
        if (from_bottom) row = image.height - 1 - row;
        if (from_right) column = image.width - 1 - column;
        result.pixels[c * area + static_cast<std::size_t>(y) * result.width + x] =
            image.pixels[c * area + static_cast<std::size_t>(row) * image.width + column];
      }
  return result;
}

}  // namespace scdcf::pixels
