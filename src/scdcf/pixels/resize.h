// Pictures of another size. Only + - * / on doubles, without contraction: the same bytes on every machine.
//
// Interpolation is bicubic with Keys' kernel for a = -3/4 (torch's): w(t) = (a+2)|t|^3 - (a+3)|t|^2 + 1 for |t| <= 1,
// a|t|^3 - 5a|t|^2 + 8a|t| - 4a for 1 < |t| < 2. Results are clamped to [0, 255] and rounded to the nearest byte.
#pragma once

#include "scdcf/pixels/image_file.h"

namespace scdcf::pixels {

/// The picture stretched to height x width; pixel x covers [x, x + 1]. An axis that shrinks is averaged over the area
/// each new pixel covers, one that grows is interpolated, with the border repeated outside.
Image resize(const Image& image, int height, int width);

/// A rectangle of pixels in an image.
struct Window {
  int top = 0, left = 0, height = 0, width = 0;
};

/// This window of resize(image, height, width), whose sides may then be of any length.
Image resize(const Image& image, int height, int width, const Window& window);

/// The object `factor` times as large on a canvas of the same size: out(p) = in(c + (p - c) / factor), c the canvas'
/// centre, zero outside. Interpolated without anti-aliasing. The shrunk object lies where it lay, the rest is black.
Image rescale_about_centre(const Image& image, double factor);

/// The picture `factor` times as large with its centre at (x, y) of a black square of that side, zero outside; what
/// does not fit is cut off. A picture that shrinks is anti-aliased: the kernel is 1 / factor times as wide.
Image place(const Image& image, double factor, double x, double y, int side);

}  // namespace scdcf::pixels
