// Small inputs for the tests of the readers, as bytes in memory and as files in a folder of their own.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "scdcf/core/error.h"
#include "scdcf/data/random.h"
#include "scdcf/files/read_file.h"
#include "scdcf/pixels/image_file.h"
#include "support/scratch_folder.h"

namespace scdcf::testing {

using data::Random;
using files::Bytes;
using pixels::Image;

inline files::Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

inline files::Bytes random_bytes(std::size_t count, Random random) {
  files::Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next() >> 56);
  return bytes;
}

inline files::Bytes idx(const std::vector<std::uint32_t>& sizes, const files::Bytes& values) {
  files::Bytes bytes = {0, 0, 8, static_cast<std::uint8_t>(sizes.size())};
  for (const auto size : sizes)
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(size >> shift));
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

inline files::Bytes gzip(const files::Bytes& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  files::Bytes packed(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A smooth picture: JPEG keeps it nearly as it is.
inline pixels::Image ramp(int channels, int height, int width) {
  pixels::Image image{channels, height, width, {}};
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        image.pixels.push_back(static_cast<std::uint8_t>((40 * c + 120 * y / height + 90 * x / width) % 256));
  return image;
}

/// MNIST-like files of `count` pictures of 8 x 8 whose every pixel is its label.
inline void write_idx_part(const TemporaryFolder& folder, const std::string& start, std::uint32_t count) {
  files::Bytes pixels, labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::uint8_t>(i % 10));
    pixels.insert(pixels.end(), 64, static_cast<std::uint8_t>(i % 10));
  }
  folder.write(start + "-images-idx3-ubyte.gz", gzip(idx({count, 8, 8}, pixels)));
  folder.write(start + "-labels-idx1-ubyte", idx({count}, labels));
}

/// The folder that holds the real data `inside`, where it is at hand: $SCDCF_DATA, which CMake sets, or what Debian's
/// packages install; else empty.
inline std::string real_data(const std::string& inside) {
  const char* named = std::getenv("SCDCF_DATA");
  for (const std::string place : {named != nullptr ? named : "", "/usr/share/datasets"})
    if (!place.empty() && std::filesystem::exists(place + "/" + inside)) return place;
  return "";
}

}  // namespace scdcf::testing
