#include "scdcf/exchange/torch_operators.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "scdcf/ops/composed.h"

namespace scdcf::exchange {
namespace {

namespace jit = torch::jit;

/// See ops/library.cpp for the arguments, also below. The statistics behind the maps, which only a backward needs, are
/// those that were given.
void norm_relu_pool(jit::Stack& stack) {
  const auto tensor = [&](size_t i) { return stack.at(i).toTensor(); };
  const int64_t window = stack.at(8).toInt(), stride = stack.at(9).toInt(), padding = stack.at(10).toInt();
  const auto relu_of = [&](const at::Tensor& maps) {
    return at::relu(at::batch_norm(maps, tensor(1), tensor(2), tensor(3), tensor(4), /*training=*/false,
                                   stack.at(6).toDouble(), stack.at(7).toDouble(), /*cudnn_enabled=*/false));
  };
  auto maps = relu_of(tensor(0));
  if (window > 1 || stride > 1) {
    maps = maps.dim() == 5 ? at::avg_pool3d(maps, {1, window, window}, {1, stride, stride}, {0, padding, padding},
                                            /*ceil_mode=*/false, /*count_include_pad=*/false)
                           : at::avg_pool2d(maps, window, stride, padding, false, false);
  }
  if (stack.at(11).toBool()) {  // keeps_zero
    std::vector<int64_t> pixel(static_cast<size_t>(maps.dim()), 1);
    pixel[1] = tensor(1).size(0);
    maps = maps - relu_of(at::zeros(pixel, maps.options()));
  }
  stack = {maps, tensor(3), tensor(4)};
}

/// psi_k of one scale, [K, L * L]: columns and rows of its factors [A + B, L], a pair of them for each mode.
at::Tensor basis_of(const at::Tensor& factors, const std::vector<int64_t>& modes, int64_t column_modes) {
  std::vector<at::Tensor> functions;
  for (size_t k = 0; k < modes.size(); k += 2)
    functions.push_back(at::outer(factors[modes[k]], factors[column_modes + modes[k + 1]]).flatten());
  return at::stack(functions);
}

/// ops/composed.h says what is computed.
void separable_joint_conv(jit::Stack& stack) {
  const auto input = stack.at(0).toTensor(), mixing = stack.at(1).toTensor(), factors = stack.at(2).toTensor();
  const auto modes = stack.at(3).toIntVector(), radii = stack.at(4).toIntVector(), sources = stack.at(5).toIntVector();
  const int64_t column_modes = stack.at(6).toInt(), row_modes = stack.at(7).toInt();
  const ops::ConvGeometry geometry{stack.at(8).toInt(), static_cast<ops::SpatialPadding>(stack.at(9).toInt())};
  const int64_t largest = *std::max_element(radii.begin(), radii.end());
  const int64_t channels = mixing.size(2), count = mixing.size(1), outputs = mixing.size(3);
  std::vector<at::Tensor> scales;
  int64_t offset = 0;
  size_t next = 0;
  for (size_t s = 0; s < radii.size(); ++s) {
    const int64_t size = 2 * radii[s] + 1, numbers = (column_modes + row_modes) * size;
    const auto basis = basis_of(factors.narrow(0, offset, numbers).view({-1, size}), modes, column_modes);
    offset += numbers;
    std::vector<at::Tensor> planes, coefficients;
    for (; next < sources.size() && sources[next] == static_cast<int64_t>(s); next += 3) {
      planes.push_back(input.select(2, sources[next + 1]));
      coefficients.push_back(mixing.select(0, sources[next + 2]).permute({2, 1, 0}));  // [O, C, K]
    }
    const auto read = static_cast<int64_t>(planes.size());
    if (read == 0) {  // every tap fell beyond the ends of the scale axis: nothing, in the size of what there is
      planes.push_back(input.select(2, 0));
      coefficients.push_back(at::zeros({outputs, channels, count}, mixing.options()));
    }
    const auto weight = at::cat(coefficients, 1).reshape({-1, count}).matmul(basis).view({outputs, -1, size, size});
    scales.push_back(
        ops::convolve_scale(read > 1 ? at::cat(planes, 1) : planes.front(), weight, radii[s], largest, geometry));
  }
  stack = {at::stack(scales, 2)};
}

}  // namespace

const std::map<std::string, Replacement>& own_operators_in_torch() {
  static const std::map<std::string, Replacement> instead = {{"scdcf::norm_relu_pool", norm_relu_pool},
                                                             {"scdcf::separable_joint_conv", separable_joint_conv}};
  return instead;
}

}  // namespace scdcf::exchange
