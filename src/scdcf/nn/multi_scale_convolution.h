// One kernel on an input resized by many factors, each response back on the grid of the input, as matrix products.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "scdcf/nn/device_constant.h"

namespace scdcf::nn {

/// What kernels 1/f times as large would see, for several factors f: the input resized by f (bilinear), convolved
/// "same", resized back to its grid. Resizing by f, a shift by one tap k of the kernel and resizing back act on each
/// axis by itself: together they are a matrix M_k = R_{1/f} Z_k R_f, and
///   out[n, o] = sum over c, ky, kx of  weight[o, c, ky, kx] M_ky in[n, c] M_kx^T.
/// So a response costs what a convolution of the input itself costs, however large f is, and no enlarged map is made.
/// Where f is so small that a convolution of the resized maps costs less, that is done, and both resizings are products
/// with matrices. Forward and backward are deterministic then: no additions in random order; derivatives of any order.
class MultiScaleConvolution {
 public:
  MultiScaleConvolution(std::vector<double> factors, int64_t kernel_size, int64_t stride);

  /// input [N, C, H, W]; weights [O, C, L, L], one for each factor; bias [O] or undefined.
  /// Returns [S, H', O, N, W'], the layout in which the responses arise: take the maximum over S before to_maps, not
  /// after.
  at::Tensor operator()(const at::Tensor& input, const std::vector<at::Tensor>& weights, const at::Tensor& bias) const;

  /// [H', O, N, W'] to [N, O, H', W'].
  static at::Tensor to_maps(const at::Tensor& response) { return response.permute({2, 1, 0, 3}).contiguous(); }

 private:
  struct Resizing {
    int64_t resized;             // pixels in between
    DeviceConstant shifts;       // M_k for all taps k, [L, outputs, inputs]
    DeviceConstant there, back;  // R_f and R_{1/f}
  };
  using Axis = std::vector<Resizing>;  // of each factor
  const Axis& axis(int64_t size) const;

  std::vector<double> factors_;
  int64_t kernel_size_, stride_;
  mutable std::mutex mutex_;
  mutable std::map<int64_t, std::unique_ptr<const Axis>> axes_;  // by the number of pixels
};

}  // namespace scdcf::nn
