// Pictures with labels as bytes in memory. Torch-free: what reads files need not know what trains on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scdcf::data {

/// A place in a picture whose pixel k covers [k, k + 1].
struct Point {
  float x = 0, y = 0;
};

/// A size that objects have, as `scales` has it, and what it is called: 0.5 and "32 px".
struct ObjectSize {
  float scale = 0;
  std::string name;
};

/// `count()` pictures of one size. pixels: [count, channels, height, width], one byte each; labels: [count], 0-based.
struct ImageSet {
  int channels = 1;
  int height = 0;
  int width = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;
  /// How large the object is in each picture: the rescaling factor of a scaled set, sqrt(box area / image area) where
  /// boxes are known (above 1 where the picture shows a part of the box), else empty.
  std::vector<float> scales;
  std::vector<Point> centres;         ///< of the object's box in each picture; empty where unknown
  std::vector<ObjectSize> all_sizes;  ///< where objects have a few sizes and no others: these, from the smallest on
  std::vector<std::string> class_names;
  std::vector<std::string> names;  ///< of the files, inside an image folder; empty for other sets

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t image_bytes() const { return std::int64_t{1} * channels * height * width; }
  const std::uint8_t* image(std::int64_t index) const { return pixels.data() + index * image_bytes(); }
};

/// A set without pictures, otherwise like this one.
ImageSet without_pictures(const ImageSet& set);

/// The three parts of a data set that training needs, and what the pictures are normalised with:
/// (pixel / 255 - mean) / deviation, per channel.
struct Splits {
  std::string name;
  ImageSet train;
  ImageSet validation;
  ImageSet test;
  std::vector<double> mean;
  std::vector<double> deviation;
  bool black_ground = false;  ///< what lies around the objects is exactly 0, as zeros beyond the border are
  std::string note;           ///< where it is not plain which pictures are tested: what was done
};

/// 64-bit FNV-1a over sizes, pixels and labels, as 16 hex digits: the same bytes give the same text on every machine.
std::string checksum(const ImageSet& set);
std::string checksum(const Splits& splits);

/// The same of a text.
std::uint64_t hash_of(const std::string& text);

/// The first `count` pictures of a set; all of them where count is 0.
ImageSet prefix(const ImageSet& set, std::int64_t count);

}  // namespace scdcf::data
