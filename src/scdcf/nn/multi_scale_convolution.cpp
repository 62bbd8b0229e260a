#include "scdcf/nn/multi_scale_convolution.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

/// R_f from `from` to `to` pixels as a matrix, of which every `stride`-th line is kept: linear interpolation between
/// the pixels of a line, the first and the last repeated beyond its ends.
at::Tensor resizing(int64_t from, int64_t to, int64_t stride, const at::TensorOptions& kind) {
  const auto output = at::arange(0, to, stride, kind.dtype(at::kDouble)).unsqueeze(1);
  const auto pixel = at::arange(from, output.options());
  const double share = static_cast<double>(from) / static_cast<double>(to);
  const auto place = ((output + 0.5) * share - 0.5).clamp(0, from - 1);
  return at::relu(1 - (place - pixel).abs());
}

/// round(factor * size) pixels, at least one.
int64_t resized_size(int64_t size, double factor) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(size) * factor));
}

/// One axis of a response: R_f, and R_{1/f}, of which every `stride`-th line is kept.
struct Axis {
  Axis(int64_t size, double factor, int64_t stride, const at::TensorOptions& kind)
      : resized(resized_size(size, factor)),
        there(resizing(size, resized, 1, kind)),
        back(resizing(resized, size, stride, kind)) {}

  /// M_k for all taps k, [L, outputs, inputs].
  at::Tensor shifts(int64_t taps) const {
    const auto shifted =
        at::constant_pad_nd(there, {0, 0, taps / 2, taps / 2}).unfold(0, resized, 1);  // [L, in, resized]
    return at::matmul(back, shifted.transpose(1, 2));
  }

  int64_t resized;
  at::Tensor there, back;
};

/// The response [H', O, N, W'] to `lines`, the input as [C, H, N, W].
at::Tensor response(const at::Tensor& lines, const at::Tensor& weight, const at::Tensor& rows,
                    const at::Tensor& columns) {
  const int64_t taps = rows.size(0), out_height = rows.size(1), height = rows.size(2), out_width = columns.size(1);
  const int64_t in = lines.size(0), count = lines.size(2), out = weight.size(0), run = count * out_width;
  const auto along_x =
      at::matmul(lines, columns.flatten(0, 1).t()).view({in, height, count, taps, out_width});  // [C, H, N, kx, W']
  // The pass along y multiplies the maps by the number of taps: it goes where there are fewer of them.
  if (taps * in <= out) {
    const auto seen = at::matmul(rows.flatten(0, 1), along_x.permute({1, 0, 3, 2, 4}).reshape({height, -1}))
                          .view({taps, out_height, in, taps, run})  // [ky, H', C, kx, N W']
                          .permute({2, 0, 3, 1, 4})
                          .reshape({in * taps * taps, -1});
    return at::matmul(weight.flatten(1), seen).view({out, out_height, count, out_width}).transpose(0, 1);
  }
  const auto mix = weight.permute({2, 0, 1, 3}).reshape({taps * out, in * taps});  // [ky O, C kx]
  const auto mixed = at::matmul(mix, along_x.permute({0, 3, 1, 2, 4}).reshape({in * taps, -1}))
                         .view({taps, out, height, run})
                         .transpose(1, 2)
                         .reshape({taps * height, -1});  // [ky H, O N W']
  return at::matmul(rows.transpose(0, 1).flatten(1), mixed).view({out_height, out, count, out_width});
}

/// Whether a convolution of the resized maps takes fewer multiply-adds than `response`.
bool on_resized_maps(const at::Tensor& weight, int64_t height, int64_t width, int64_t resized_height,
                     int64_t resized_width) {
  const int64_t taps = weight.size(2), out = weight.size(0), in = weight.size(1), mix = taps * taps * in * out;
  const int64_t along_y = taps * (taps * in <= out ? taps * in : out) * height, along_x = taps * in * width;
  return resized_height * resized_width * mix <= height * width * (mix + along_y + along_x);
}

/// maps [N, C, H, W] to rows maps columns^T.
at::Tensor resized(const at::Tensor& maps, const at::Tensor& rows, const at::Tensor& columns) {
  return at::matmul(at::matmul(rows.to(maps.scalar_type()), maps), columns.to(maps.scalar_type()).t());
}

}  // namespace

MultiScaleConvolution::MultiScaleConvolution(std::vector<double> factors, int64_t kernel_size, int64_t stride)
    : factors_(std::move(factors)), kernel_size_(kernel_size), stride_(stride) {
  require(kernel_size >= 1 && kernel_size % 2 == 1, "MultiScaleConvolution: kernel_size: got ", kernel_size,
          ", expected an odd number");
  require(stride >= 1, "MultiScaleConvolution: stride: got ", stride, ", expected at least 1");
}

at::Tensor MultiScaleConvolution::operator()(const at::Tensor& input, const std::vector<at::Tensor>& weights,
                                             const at::Tensor& bias) const {
  require(weights.size() == factors_.size(), "MultiScaleConvolution: got ", weights.size(), " weights, expected ",
          factors_.size(), ", one for each factor");
  const int64_t height = input.size(2), width = input.size(3);
  const auto lines = input.permute({1, 2, 0, 3}).contiguous();
  std::vector<at::Tensor> responses;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Axis y(height, factors_[i], stride_, input.options());
    const auto x = width == height ? y : Axis(width, factors_[i], stride_, input.options());
    if (on_resized_maps(weights[i], height, width, y.resized, x.resized)) {
      const auto seen = at::conv2d(resized(input, y.there, x.there), weights[i], {}, 1, kernel_size_ / 2);
      responses.push_back(resized(seen, y.back, x.back).permute({2, 1, 0, 3}));
    } else {
      const auto rows = y.shifts(kernel_size_).to(input.scalar_type());
      const auto columns = width == height ? rows : x.shifts(kernel_size_).to(input.scalar_type());
      responses.push_back(response(lines, weights[i], rows, columns));
    }
  }
  const auto all = at::stack(responses);
  return bias.defined() ? all + bias.view({-1, 1, 1}) : all;
}

}  // namespace scdcf::nn
