// Pictures whose objects have chosen sizes and places, drawn as STIR and MNIST Large Scale draw them.
//
// The picture is enlarged `factor` times (bicubic, anti-aliased where it shrinks: pixels/resize.h), smoothed by a
// Gaussian of deviation 7/8 factor pixels against the steps that enlarging leaves, and sharpened again by the soft
// threshold atan(0.02 (v - 128)), moved and stretched so that 0 stays 0 and 255 stays 255.
#pragma once

#include <cstdint>
#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/data/pool.h"
#include "scdcf/pixels/image_file.h"

namespace scdcf::data {

/// One picture of one channel, its centre at (x, y) of a black square of that side; what does not fit is cut off after
/// the smoothing, so that the border cuts the object and does not darken it.
pixels::Image draw_placed(const pixels::Image& picture, double factor, double x, double y, int side);

/// Which picture of a pool, how many times as large, where.
struct Placed {
  std::int64_t picture = 0;
  double factor = 1, x = 0, y = 0;
};

/// A set of them, with its scales (side of the enlarged picture / `side`) and centres.
ImageSet draw_placed(const Pool& pool, const std::vector<Placed>& placed, int side);

/// Every picture at every size, in an order that may be cut anywhere: a round shows each picture once, and the next
/// round each at another size. `labels` are those of the pictures, in a stratified order (split.h). In a prefix of n
/// the classes have their shares as in that order; each of `sizes` has its share of n to within the number of classes,
/// and within a class to within the number of rounds begun.
struct PictureAndSize {
  std::int64_t picture;
  int size;  ///< 0 to sizes - 1
};
std::vector<PictureAndSize> at_every_size(const std::vector<std::int32_t>& labels, int sizes);

}  // namespace scdcf::data
