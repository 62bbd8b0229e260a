// MNIST Large Scale and its kind: trained at one size, tested at seventeen over four octaves.
//
// After Jansson and Lindeberg 2020. Their files are given on request only: this is rebuilt from MNIST, so that figures
// may differ a little from those on the original.
#pragma once

#include <vector>

#include "scdcf/data/image_set.h"
#include "scdcf/data/pool.h"

namespace scdcf::data {

constexpr int kLargeScaleSide = 112;  // of the pictures, in pixels: four times MNIST's

/// 2^(k/4), k = -4 to 12: from 0.5 to 8.
std::vector<double> large_scale_factors();

struct LargeScaleOptions : DrawOptions {
  double train_scale = 1;  ///< the factor in training and validation, 0.5 to 8
  double test_scale = 0;   ///< the factor in the test; 0 for all seventeen
};

/// Training: five sixths of `train` (50,000 pictures of MNIST), validation the rest. Test: all pictures of `test` at
/// the test scale; or, where that is 0, a tenth of them, each at all seventeen (17,000 images: all pictures at all
/// scales would take 2 GB). That tenth is the beginning of the same order. An object lies in the middle, and is cut off
/// by the border where it is more than four times as large. placed.h says how it is drawn, and in which order: a prefix
/// keeps the shares of the classes and of the sizes. scales: side of the enlarged picture / 112, that is factor / 4.
/// Mean and deviation are left to `load`.
Splits make_large_scale(const Pool& train, const Pool& test, const LargeScaleOptions& options);

}  // namespace scdcf::data
