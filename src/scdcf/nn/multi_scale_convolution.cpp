#include "scdcf/nn/multi_scale_convolution.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "scdcf/core/error.h"

namespace scdcf::nn {
namespace {

/// Linear interpolation between pixel `lower` and the next one.
struct Sample {
  int64_t lower, upper;
  double upper_share;
};

/// Where pixel `index` of `to` pixels lies among `from` pixels of the same axis.
Sample sample(int64_t index, int64_t to, int64_t from) {
  const double centre = (static_cast<double>(index) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
  const double place = std::max(0.0, centre);
  const int64_t lower = std::min(static_cast<int64_t>(place), from - 1);
  return {lower, std::min(lower + 1, from - 1), place - static_cast<double>(lower)};
}

/// round(factor * size) pixels, at least one.
int64_t resized_size(int64_t size, double factor) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(size) * factor));
}

/// R_f as a matrix [to, from], of which every `stride`-th line is kept.
DeviceConstant resizing(int64_t from, int64_t to, int64_t stride) {
  const int64_t outputs = (to + stride - 1) / stride;
  std::vector<double> values(static_cast<size_t>(outputs * from));
  for (int64_t o = 0; o < outputs; ++o) {
    const Sample source = sample(o * stride, to, from);
    values[static_cast<size_t>(o * from + source.lower)] += 1 - source.upper_share;
    values[static_cast<size_t>(o * from + source.upper)] += source.upper_share;
  }
  return DeviceConstant(std::move(values), {outputs, from});
}

/// M_k for all taps: output pixel -> the two resized pixels it lies between -> those shifted by the tap, none beyond
/// the border -> the two input pixels each of them lies between.
DeviceConstant shifts_seen_resized(int64_t size, double factor, int64_t taps, int64_t stride) {
  const int64_t resized = resized_size(size, factor), outputs = (size + stride - 1) / stride;
  std::vector<double> values(static_cast<size_t>(taps * outputs * size));
  for (int64_t k = 0; k < taps; ++k)
    for (int64_t o = 0; o < outputs; ++o) {
      double* row = values.data() + (k * outputs + o) * size;
      const auto add = [&](int64_t pixel, double share) {
        const int64_t seen = pixel + k - taps / 2;
        if (seen < 0 || seen >= resized) return;
        const Sample source = sample(seen, resized, size);
        row[source.lower] += share * (1 - source.upper_share);
        row[source.upper] += share * source.upper_share;
      };
      const Sample back = sample(o * stride, size, resized);
      add(back.lower, 1 - back.upper_share);
      add(back.upper, back.upper_share);
    }
  return DeviceConstant(std::move(values), {taps, outputs, size});
}

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
at::Tensor resized(const at::Tensor& maps, const DeviceConstant& rows, const DeviceConstant& columns) {
  return at::matmul(at::matmul(rows.like(maps), maps), columns.like(maps).t());
}

}  // namespace

MultiScaleConvolution::MultiScaleConvolution(std::vector<double> factors, int64_t kernel_size, int64_t stride)
    : factors_(std::move(factors)), kernel_size_(kernel_size), stride_(stride) {
  require(kernel_size >= 1 && kernel_size % 2 == 1, "MultiScaleConvolution: kernel_size: got ", kernel_size,
          ", expected an odd number");
  require(stride >= 1, "MultiScaleConvolution: stride: got ", stride, ", expected at least 1");
}

const MultiScaleConvolution::Axis& MultiScaleConvolution::axis(int64_t size) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& entry = axes_[size];
  if (entry == nullptr) {
    Axis matrices;
    for (const double factor : factors_) {
      const int64_t between = resized_size(size, factor);
      matrices.push_back({between, shifts_seen_resized(size, factor, kernel_size_, stride_), resizing(size, between, 1),
                          resizing(between, size, stride_)});
    }
    entry = std::make_unique<const Axis>(std::move(matrices));
  }
  return *entry;
}

at::Tensor MultiScaleConvolution::operator()(const at::Tensor& input, const std::vector<at::Tensor>& weights,
                                             const at::Tensor& bias) const {
  require(weights.size() == factors_.size(), "MultiScaleConvolution: got ", weights.size(), " weights, expected ",
          factors_.size(), ", one for each factor");
  const auto &rows = axis(input.size(2)), &columns = axis(input.size(3));
  const auto lines = input.permute({1, 2, 0, 3}).contiguous();
  std::vector<at::Tensor> responses;
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto &y = rows[i], &x = columns[i];
    if (on_resized_maps(weights[i], input.size(2), input.size(3), y.resized, x.resized)) {
      const auto seen = at::conv2d(resized(input, y.there, x.there), weights[i], {}, 1, kernel_size_ / 2);
      responses.push_back(resized(seen, y.back, x.back).permute({2, 1, 0, 3}));
    } else {
      responses.push_back(response(lines, weights[i], y.shifts.like(lines), x.shifts.like(lines)));
    }
  }
  const auto all = at::stack(responses);
  return bias.defined() ? all + bias.view({-1, 1, 1}) : all;
}

}  // namespace scdcf::nn
