#include "scdcf/train/augment.h"

#include <torch/torch.h>

#include <cmath>

namespace scdcf::train {
namespace {

enum Draw : int64_t { kScale, kShiftX, kShiftY, kFlip, kHoleX, kHoleY, kDraws };

/// A whole number from 0 to `last`, from a uniform one.
torch::Tensor whole(const torch::Tensor& uniform, int64_t last) {
  return torch::floor(uniform * static_cast<double>(last + 1)).clamp_max(static_cast<double>(last));
}

/// Scaling, shift and flip as one affine map, [n, 2, 3] in the normalised coordinates of grid_sample.
torch::Tensor affine_maps(const torch::Tensor& draws, const AugmentOptions& options, int64_t height, int64_t width) {
  const auto scale = torch::exp2((draws.select(1, kScale) * 2 - 1) * -options.scale_octaves);
  const auto shift = [&](Draw which, int64_t side) {
    const int64_t padding = options.crop_padding;
    return (whole(draws.select(1, which), 2 * padding) - static_cast<double>(padding)) *
           (2.0 / static_cast<double>(side));
  };
  const auto flip = options.flip ? torch::where(draws.select(1, kFlip) < 0.5, -scale, scale) : scale;
  const auto zero = torch::zeros_like(scale);
  const auto top = torch::stack({flip, zero, shift(kShiftX, width)}, 1);
  const auto bottom = torch::stack({zero, scale, shift(kShiftY, height)}, 1);
  return torch::stack({top, bottom}, 1);
}

/// Whether a pixel lies in the hole, whose centre is any pixel of the image: [n, 1, side] along one axis.
torch::Tensor inside(const torch::Tensor& draw, int64_t hole, int64_t side) {
  const auto first = (whole(draw, side - 1) - static_cast<double>(hole / 2)).unsqueeze(1);
  const auto pixel = torch::arange(side, draw.options()).unsqueeze(0);
  return (pixel >= first) & (pixel < first + static_cast<double>(hole));
}

}  // namespace

torch::Tensor draw_augmentation(int64_t count, at::Generator generator) {
  return torch::rand({count, kDraws}, std::move(generator));
}

torch::Tensor augment(const torch::Tensor& images, const torch::Tensor& draws, const AugmentOptions& options,
                      const torch::Tensor& black) {
  torch::Tensor result = images;
  const int64_t height = images.size(2), width = images.size(3);
  if (options.scale_octaves > 0 || options.crop_padding > 0 || options.flip) {
    const auto grid = torch::affine_grid_generator(affine_maps(draws, options, height, width), images.sizes(), false);
    // grid_sample fills with zeros, so black is made zero for its sake.
    constexpr int64_t kBilinear = 0, kZeros = 0;
    result = torch::grid_sampler(result - black, grid, kBilinear, kZeros, false) + black;
  }
  if (options.cutout > 0) {
    const auto rows = inside(draws.select(1, kHoleY), options.cutout, height).unsqueeze(2);
    const auto columns = inside(draws.select(1, kHoleX), options.cutout, width).unsqueeze(1);
    result = torch::where((rows & columns).unsqueeze(1), black, result);
  }
  return result;
}

}  // namespace scdcf::train
