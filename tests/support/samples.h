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
#include "scdcf/files/atomic_file.h"
#include "scdcf/files/read_file.h"
#include "scdcf/files/remove_tree.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::testing {

using data::Random;
using files::Bytes;
using pixels::Image;

/// A new folder that vanishes with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "scdcf_data_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(name + ": cannot be made");
    path_ = name;
  }
  ~ScratchFolder() { files::remove_tree(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& inside = "") const { return inside.empty() ? path_ : path_ + "/" + inside; }
  /// Writes a file, with the folders it lies in, and returns its path.
  std::string write(const std::string& inside, const files::Bytes& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(inside)).parent_path());
    files::write_file_atomically(path(inside), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return path(inside);
  }

 private:
  std::string path_;
};

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
inline void write_idx_part(const ScratchFolder& folder, const std::string& start, std::uint32_t count) {
  files::Bytes pixels, labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    labels.push_back(static_cast<std::uint8_t>(i % 10));
    pixels.insert(pixels.end(), 64, static_cast<std::uint8_t>(i % 10));
  }
  folder.write(start + "-images-idx3-ubyte.gz", gzip(idx({count, 8, 8}, pixels)));
  folder.write(start + "-labels-idx1-ubyte", idx({count}, labels));
}

/// The real data, where it is at hand: under SCDCF_DATA or beside the source tree; else empty.
inline std::string real_data(const std::string& inside) {
  std::vector<std::string> places = {std::string(SCDCF_SOURCE_DIR) + "/data",
                                     std::string(SCDCF_SOURCE_DIR) + "/../shared/data", "/usr/share/datasets"};
  if (const char* named = std::getenv("SCDCF_DATA")) places.insert(places.begin(), named);
  for (const auto& place : places)
    if (std::filesystem::exists(place + "/" + inside)) return place;
  return "";
}

}  // namespace scdcf::testing
