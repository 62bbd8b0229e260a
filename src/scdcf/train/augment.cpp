#include "scdcf/train/augment.h"

#include <torch/torch.h>

#include <cmath>

namespace scdcf::train {
namespace {

/// A whole number from 0 to `last`, from a uniform one.
torch::Tensor whole(const torch::Tensor& uniform, int64_t last) {
  return torch::floor(uniform * static_cast<double>(last + 1)).clamp_max(static_cast<double>(last));
}

/// Centres of `side` pixels in the coordinates of grid_sample, -1 to 1 from edge to edge.
torch::Tensor pixel_centres(int64_t side, const torch::TensorOptions& options) {
  return (torch::arange(side, options) * 2 + (1 - static_cast<double>(side))) / static_cast<double>(side);
}

/// Where each pixel of the result is looked up along one axis, [n, side]: scale * u + shift. No matrix product does it,
/// because a GPU may round those to TF32, and a whole pixel would not stay whole.
torch::Tensor lookup(const torch::Tensor& scale, const torch::Tensor& shift_draw, int64_t padding, int64_t side) {
  const auto shift =
      (whole(shift_draw, 2 * padding) - static_cast<double>(padding)) * (2.0 / static_cast<double>(side));
  return scale.unsqueeze(1) * pixel_centres(side, scale.options()).unsqueeze(0) + shift.unsqueeze(1);
}

/// Pixels of an image that one of its rescaled copy spans, [n]: 1 / factor.
torch::Tensor lookup_scale(const torch::Tensor& draw, const AugmentOptions& options) {
  const double smallest = std::exp2(-options.scale_octaves), largest = std::exp2(options.scale_octaves);
  if (options.scale_law == "factor") return (draw * (largest - smallest) + smallest).reciprocal();
  return torch::exp2((draw * 2 - 1) * -options.scale_octaves);
}

/// Scaling, shift and flip as one grid [n, H, W, 2] of positions to look up.
torch::Tensor lookup_grid(const torch::Tensor& draws, const AugmentOptions& options, int64_t height, int64_t width) {
  const auto scale = lookup_scale(draws.select(1, kDrawScale), options);
  const auto scale_x = options.flip ? torch::where(draws.select(1, kDrawFlip) < 0.5, -scale, scale) : scale;
  const auto x = lookup(scale_x, draws.select(1, kDrawShiftX), options.crop_padding, width).unsqueeze(1);
  const auto y = lookup(scale, draws.select(1, kDrawShiftY), options.crop_padding, height).unsqueeze(2);
  const int64_t count = draws.size(0);
  return torch::stack({x.expand({count, height, width}), y.expand({count, height, width})}, 3);
}

/// Whether a pixel lies in the hole, whose centre is any pixel of the image: [n, side] along one axis.
torch::Tensor inside(const torch::Tensor& draw, int64_t hole, int64_t side) {
  const int64_t before_centre = hole / 2;
  const auto first = (whole(draw, side - 1) - static_cast<double>(before_centre)).unsqueeze(1);
  const auto pixel = torch::arange(side, draw.options()).unsqueeze(0);
  return (pixel >= first) & (pixel < first + static_cast<double>(hole));
}

/// Keys' kernel for a = -3/4, as the images are resampled by (nn/enlarge.h).
torch::Tensor keys_kernel(const torch::Tensor& at) {
  constexpr double a = -0.75;
  const auto t = at.abs();
  const auto near = ((a + 2) * t - (a + 3)) * t * t + 1, far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return torch::where(t <= 1, near, torch::where(t < 2, far, torch::zeros_like(t)));
}

/// Reduction along an axis by factors [n], and enlargement by the same: [n, side, side]. Samples lie a factor apart,
/// one of them `phase` [n] of that from the centre. Beyond the border lies 0.
torch::Tensor reduced_and_enlarged(const torch::Tensor& factor, const torch::Tensor& phase, int64_t side) {
  const int64_t half = side / 2 + 3;  // samples on either side of the centre: what a factor of 1 needs
  const auto sample = torch::arange(-half, half + 1, factor.options()) + phase.unsqueeze(1);
  const auto place =
      (factor.unsqueeze(1) * sample + static_cast<double>(side - 1) / 2).unsqueeze(1);   // [n, 1, samples]
  const auto distance = torch::arange(side, factor.options()).view({1, -1, 1}) - place;  // [n, side, samples]
  return torch::matmul(keys_kernel(distance / factor.view({-1, 1, 1})), keys_kernel(distance).transpose(1, 2));
}

/// A share of the images reduced by up to 2^octaves and enlarged again: what smaller objects show of themselves. They
/// are not smoothed before, so that what is lost may come back as what was not there.
torch::Tensor with_less_detail(const torch::Tensor& images, const torch::Tensor& draws, const AugmentOptions& options,
                               const torch::Tensor& black) {
  const auto place = draws.select(1, kDrawDetail) / std::max(options.detail_share, 1e-9);  // below 1: detail is lost
  const auto factor = torch::exp2(place.clamp_max(1) * options.detail_octaves);
  const auto along = [&](Draw phase, int64_t side) {
    return reduced_and_enlarged(factor, draws.select(1, phase) - 0.5, side).unsqueeze(1);
  };
  const auto lines = torch::matmul(images - black, along(kDrawDetailX, images.size(3)).transpose(2, 3));
  const auto reduced = torch::matmul(along(kDrawDetailY, images.size(2)), lines) + black;
  return torch::where((place < 1).view({-1, 1, 1, 1}), reduced, images);
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
    const auto grid = lookup_grid(draws, options, height, width);
    // grid_sample fills with zeros, so black is made zero for its sake.
    constexpr int64_t kBilinear = 0, kBicubic = 2, kZeros = 0;
    const bool bicubic = options.scale_octaves > 0 && options.interpolation == "bicubic";  // else at whole pixels
    result = torch::grid_sampler(result - black, grid, bicubic ? kBicubic : kBilinear, kZeros, false) + black;
  }
  if (options.cutout > 0) {
    const auto rows = inside(draws.select(1, kDrawHoleY), options.cutout, height).unsqueeze(2);
    const auto columns = inside(draws.select(1, kDrawHoleX), options.cutout, width).unsqueeze(1);
    result = torch::where((rows & columns).unsqueeze(1), black, result);
  }
  if (options.detail_octaves > 0) result = with_less_detail(result, draws, options, black);
  return result;
}

}  // namespace scdcf::train
