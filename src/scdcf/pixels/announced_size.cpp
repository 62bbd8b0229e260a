#include <fstream>

#include "scdcf/pixels/image_file.h"

namespace scdcf::pixels {
namespace {

/// Big-endian numbers of a file; zeros beyond its end.
class Header {
 public:
  explicit Header(const std::string& path) : file_(path, std::ios::binary) {}
  unsigned number(int bytes) {
    unsigned value = 0;
    for (int i = 0; i < bytes; ++i) {
      const int byte = file_.get();
      value = value << 8 | static_cast<unsigned>(byte < 0 ? 0 : byte);
    }
    return value;
  }
  void skip(unsigned bytes) { file_.seekg(bytes, std::ios::cur); }
  bool whole() const { return static_cast<bool>(file_); }

 private:
  std::ifstream file_;
};

/// FF and the kind of a segment, two bytes of length that count themselves; a frame header holds the size.
AnnouncedSize size_of_jpeg(Header& header) {
  while (header.whole()) {
    unsigned kind = header.number(2);
    while (kind == 0xFFFF) kind = 0xFF00 | header.number(1);  // padding
    const unsigned length = header.number(2);
    const bool is_frame = kind >= 0xFFC0 && kind <= 0xFFCF && kind != 0xFFC4 && kind != 0xFFC8 && kind != 0xFFCC;
    if (is_frame) {
      header.skip(1);  // bits a sample
      const auto height = static_cast<int>(header.number(2)), width = static_cast<int>(header.number(2));
      return header.whole() ? AnnouncedSize{height, width} : AnnouncedSize{};
    }
    if (kind < 0xFF00 || length < 2) break;
    header.skip(length - 2);
  }
  return {};
}

}  // namespace

AnnouncedSize announced_size(const std::string& path) {
  const auto format = format_of_file(path);
  Header header(path);
  if (format == "JPEG") {
    header.skip(2);
    return size_of_jpeg(header);
  }
  if (format != "PNG") return {};
  header.skip(16);  // signature, length and kind of the first chunk
  const auto width = static_cast<int>(header.number(4)), height = static_cast<int>(header.number(4));
  return header.whole() ? AnnouncedSize{height, width} : AnnouncedSize{};
}

}  // namespace scdcf::pixels
