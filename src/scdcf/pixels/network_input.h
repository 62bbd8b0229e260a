// From an image file to the pixels that a network sees: the one way for training, evaluation, prediction, export, the
// explorer page and Python.
#pragma once

#include <string>

#include "scdcf/pixels/resize.h"

namespace scdcf::pixels {

/// How an image becomes a square of `size` pixels a side.
///   crop     resized until the shorter side is `size`; the centre of the longer side is kept
///   pad      resized until the longer side is `size`; black bars on both sides of the shorter side
///   stretch  both sides resized to `size`
enum class Fit { crop, pad, stretch };
/// "crop", "pad" or "stretch". Throws Error for other names.
Fit fit_of(const std::string& name);

/// The rectangle of the resized image in the square, which it exceeds (top or left negative) where it is cropped. Sides
/// are rounded to the nearest pixel; of an odd margin the additional pixel is at the bottom or on the right.
Window placement(Fit fit, int height, int width, int size);

/// The image as a square, resized by resize().
Image fitted(const Image& image, Fit fit, int size);

/// What a network expects of an image.
struct InputFormat {
  int size = 0;      ///< pixels a side; 0 to keep the image's own
  int channels = 0;  ///< 1 or 3; 0 to keep the image's own
  Fit fit = Fit::crop;
  std::uint8_t background = 255;  ///< grey value behind transparent pixels
  bool invert = false;            ///< 255 - pixel, before the bars of Fit::pad
};

/// The pixels for the network, and the size of the upright image in the file.
struct NetworkInput {
  Image image;
  int height = 0, width = 0;
};
/// Decodes a PNG or JPEG file (image_file.h), fits it, and then converts its channels.
NetworkInput network_input(const files::Bytes& file, const std::string& name, const InputFormat& format);

}  // namespace scdcf::pixels
