// Images enlarged or reduced about their centre: what a network looks at whose filters must find objects of many sizes.
#pragma once

#include <torch/nn/cloneable.h>
#include <torch/nn/pimpl.h>

#include "scdcf/nn/options.h"

namespace scdcf::nn {

/// Factors are 1 / kMostEnlarged to kMostEnlarged.
constexpr double kMostEnlarged = 64;

///   EnlargeOptions(2.0).frame(28)
class EnlargeOptions {
  using Self = EnlargeOptions;

 public:
  explicit EnlargeOptions(double factor) : factor_(factor) {}

  SCDCF_OPTION(double, factor, 1.0);
  SCDCF_OPTION(int64_t, frame, 0);  // pixels a side that are kept, about the centre; 0: the whole image, rounded
  SCDCF_OPTION(SpatialPadding, padding, SpatialPadding::zero);  // beyond the image: zero or replicate
};

/// out(p) = in(c + (p - c') / factor), c and c' the centres of image and frame: [N, C, H, W] to [N, C, H', W']. Bicubic
/// with Keys' kernel for a = -3/4 (torch's), stretched where the image shrinks, so that it does not alias. Only the
/// frame is computed: each axis is a product with one small matrix.
class EnlargeImpl : public torch::nn::Cloneable<EnlargeImpl> {
 public:
  explicit EnlargeImpl(EnlargeOptions options);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& images);
  EnlargeOptions options;
};
TORCH_MODULE(Enlarge);

/// What the layer computes.
at::Tensor enlarge(const at::Tensor& images, const EnlargeOptions& options);
/// [H', H] in double: what the pixels of the frame are made of where the image has `size` of them.
at::Tensor resampling_matrix(const EnlargeOptions& options, const c10::SymInt& size, at::Device device = at::kCPU);
/// Images [N, C, H, W] resampled by rows [H', H] and columns [W', W].
at::Tensor resample(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns);
/// The same for L of each, rows [L, H', H] and columns [L, W', W], in as many operations as for one: [L * N, C, H',
/// W'], all images by the first, then all by the second.
at::Tensor resample_by_each(const at::Tensor& images, const at::Tensor& rows, const at::Tensor& columns);

}  // namespace scdcf::nn
