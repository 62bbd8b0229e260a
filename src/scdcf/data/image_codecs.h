// The decoders behind image_file.h, one file for each library; a build without the library has one that says so.
#pragma once

#include <string>

#include "scdcf/data/image_file.h"

namespace scdcf::data::codecs {

Image decode_png(const Bytes& bytes, const std::string& name);
Image decode_jpeg(const Bytes& bytes, const std::string& name);

/// Refuses what is too large, and what announces more pixels than so few bytes can hold (then `plausible` is false),
/// before anything is allocated for it.
void check_announced_size(std::uint64_t width, std::uint64_t height, bool plausible, const Bytes& bytes,
                          const std::string& name);

}  // namespace scdcf::data::codecs
