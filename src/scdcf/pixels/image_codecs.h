// The codecs behind image_file.h, one file for each library.
#pragma once

#include <string>

#include "scdcf/pixels/image_file.h"

namespace scdcf::pixels::codecs {

Image decode_png(const files::Bytes& bytes, const std::string& name, std::uint8_t ground);
Image decode_jpeg(const files::Bytes& bytes, const std::string& name);
files::Bytes encode_png(const Image& image);

/// Refuses what is too large, and what announces more pixels than so few bytes can hold (then `plausible` is false),
/// before anything is allocated for it.
void check_announced_size(std::uint64_t width, std::uint64_t height, bool plausible, const files::Bytes& bytes,
                          const std::string& name);

}  // namespace scdcf::pixels::codecs
