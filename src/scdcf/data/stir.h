// STIR-MNIST and its kind: small and large objects anywhere in the picture, each of the same pictures at every size.
//
// After Altstidl et al. 2023, whose networks are trained on 17 to 32, 33 to 48 or 49 to 64 pixels and tested on the
// other sizes.
#pragma once

#include <cstdint>

#include "scdcf/data/image_set.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {

constexpr int kStirSide = 64;                                // of the pictures, in pixels
constexpr int kStirSmallest = 17, kStirLargest = kStirSide;  // of the objects

struct StirOptions : DrawOptions {
  int smallest_size = kStirSmallest, largest_size = kStirLargest;  ///< in training and validation
  std::int64_t per_class = 50;                                     ///< pictures in each part
};

/// Training and validation: `per_class` pictures a class of `train`, none in both, each at every size from smallest to
/// largest. Test: as many of `test`, each at every size from 17 to 64, whatever was trained on. An object of size n
/// lies in a box of n x n pixels that is equally likely to be anywhere within the picture; its place belongs to the
/// picture, the size and the realisation. placed.h says how it is drawn, and in which order: a prefix keeps the shares
/// of the classes and of the sizes. scales: n / 64. Mean and deviation are left to `load`.
Splits make_stir(const Pool& train, const Pool& test, const StirOptions& options);

}  // namespace scdcf::data
