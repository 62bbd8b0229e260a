// Random changes of training images, on the device, from numbers drawn beforehand.
#pragma once

#include <ATen/core/Generator.h>
#include <torch/types.h>

#include "scdcf/train/config.h"

namespace scdcf::train {

/// What each of the numbers that belong to an image decides. 0.5 leaves the position as it is, and the size where the
/// factor is uniform in octaves.
enum Draw : int64_t {
  kDrawScale,
  kDrawShiftX,
  kDrawShiftY,
  kDrawFlip,
  kDrawHoleX,
  kDrawHoleY,
  kDrawDetail,
  kDrawDetailX,
  kDrawDetailY,
  kDraws
};

/// Numbers that say what happens to each of `count` images, uniform in [0, 1): [count, kDraws] on the CPU.
torch::Tensor draw_augmentation(int64_t count, at::Generator generator);

/// Images [n, C, H, W] changed as `draws` [n, kDraws] says: rescaled about the centre and moved (one
/// interpolation, exact where the factor is 1; moves are whole pixels), flipped, a hole cut out, a share of them
/// reduced and enlarged again. Beyond the border and in the hole lies `black` [1, C, 1, 1]. Asks nothing of the host.
torch::Tensor augment(const torch::Tensor& images, const torch::Tensor& draws, const AugmentOptions& options,
                      const torch::Tensor& black);

}  // namespace scdcf::train
