#include <ATen/ATen.h>

#include <algorithm>
#include <set>
#include <utility>

#include "scdcf/ops/checks.h"
#include "scdcf/ops/tensor_argument.h"

namespace scdcf::ops {
namespace {

constexpr int64_t kMostFactors = 4096, kMostRadius = 4095;

void check_modes(const char* op, const SeparableArguments& a) {
  require(a.column_modes >= 0 && a.column_modes <= kMostFactors, op, ": column_modes: got ", a.column_modes,
          ", expected 0 to ", kMostFactors);
  require(a.row_modes >= 0 && a.row_modes <= kMostFactors, op, ": row_modes: got ", a.row_modes, ", expected 0 to ",
          kMostFactors);
  std::set<std::pair<int64_t, int64_t>> seen;
  for (size_t k = 0; k + 1 < a.modes.size(); k += 2) {
    const int64_t column = a.modes[k], row = a.modes[k + 1];
    require(column >= 0 && column < a.column_modes && row >= 0 && row < a.row_modes, op, ": modes: got (", column, ", ",
            row, "), expected factors below ", a.column_modes, " and ", a.row_modes);
    require(seen.emplace(column, row).second, op, ": modes: got (", column, ", ", row, ") twice, expected each once");
  }
}

void check_radii(const char* op, const SeparableArguments& a) {
  require(!a.radii.empty(), op, ": radii: got none, expected one for every output scale");
  for (const int64_t radius : a.radii)
    require(radius >= 0 && radius <= kMostRadius, op, ": radii: got ", radius, ", expected 0 to ", kMostRadius);
}

void check_sources(const char* op, const SeparableArguments& a, const c10::SymInt& planes, const c10::SymInt& mixings) {
  require(a.sources.size() % 3 == 0, op, ": sources: got ", a.sources.size(), " numbers, expected a multiple of 3");
  const auto scales = static_cast<int64_t>(a.radii.size());
  int64_t last = 0;
  for (size_t j = 0; j < a.sources.size(); j += 3) {
    const int64_t scale = a.sources[j], plane = a.sources[j + 1], mixing = a.sources[j + 2];
    require(scale >= last && scale < scales, op, ": sources: got one for scale ", scale, " of ", scales,
            " out of order, expected them sorted by scale");
    require(plane >= 0 && planes > plane, op, ": sources: got plane ", plane, ", expected one of the input's ", planes);
    require(mixing >= 0 && mixings > mixing, op, ": sources: got mixing ", mixing, ", expected one of ", mixings);
    last = scale;
  }
}

/// One axis of the result.
c10::SymInt convolved_size(const c10::SymInt& size, int64_t inset, int64_t stride) {
  return (size - 2 * inset - 1) / stride + 1;
}

}  // namespace

Sizes check_separable_joint_conv(const at::Tensor& input, const at::Tensor& mixing, const at::Tensor& factors,
                                 const SeparableArguments& a, const char* op) {
  const TensorArgument in{op, "input", input}, mix{op, "mixing", mixing}, bank{op, "factors", factors};
  for (const auto* argument : {&in, &mix, &bank}) argument->must_exist();
  in.must_be_of_a_map();
  require(input.dim() == 5, op, ": input: got shape ", in.sizes(), ", expected [N, C, P, H, W]");
  require(mixing.dim() == 4 && mixing.sym_size(2) == input.sym_size(1), op, ": mixing: got shape ", mix.sizes(),
          ", expected [G, K, ", input.sym_size(1), ", O]");
  const bool beside = mixing.scalar_type() == parameter_type(input);  // float parameters of a bfloat16 map
  mix.must_have(beside ? parameter_type(input) : input.scalar_type(), input.device());
  bank.must_have(mixing.scalar_type(), input.device());
  require(mixing.sym_size(1) * 2 == static_cast<int64_t>(a.modes.size()), op, ": modes: got ", a.modes.size(),
          " numbers, expected a column and a row for each of ", mixing.sym_size(1), " modes");
  require(a.stride == 1 || a.stride == 2, op, ": stride: got ", a.stride, ", expected 1 or 2");
  require(a.padding >= 0 && a.padding <= 2, op, ": padding: got ", a.padding, ", expected 0, 1 or 2");
  check_modes(op, a);
  check_radii(op, a);
  check_sources(op, a, input.sym_size(2), mixing.sym_size(0));

  int64_t taps = 0;
  for (const int64_t radius : a.radii) taps += 2 * radius + 1;
  const int64_t numbers = taps * (a.column_modes + a.row_modes);
  require(factors.sym_numel() == numbers, op, ": factors: got ", factors.sym_numel(), " numbers, expected ", numbers);
  require(numbers <= kMostOfASize, op, ": factors: got ", numbers, " numbers, expected at most ", kMostOfASize);
  const bool inside = static_cast<PadMode>(a.padding) == PadMode::none;
  const int64_t inset = inside ? *std::max_element(a.radii.begin(), a.radii.end()) : 0, smallest = 2 * inset + 1;
  const auto height = input.sym_size(3), width = input.sym_size(4);
  require(height >= smallest && width >= smallest, op, ": input: got ", height, " x ", width,
          " pixels, expected at least ", smallest, " x ", smallest);
  Sizes result{input.sym_size(0), mixing.sym_size(3), static_cast<int64_t>(a.radii.size()),
               convolved_size(height, inset, a.stride), convolved_size(width, inset, a.stride)};
  check_countable(op, "result", result);
  return result;
}

Sizes check_separable_joint_conv_backward(const at::Tensor& grad, const at::Tensor& input, const at::Tensor& mixing,
                                          const at::Tensor& factors, const SeparableArguments& arguments) {
  const char* op = "separable_joint_conv_backward";
  auto result = check_separable_joint_conv(input, mixing, factors, arguments, op);
  TensorArgument{op, "grad", grad}.must_be_a_result(input, result);
  return result;
}

}  // namespace scdcf::ops
