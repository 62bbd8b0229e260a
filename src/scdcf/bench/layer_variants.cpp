#include "scdcf/bench/layer_variants.h"

#include <algorithm>

#include "scdcf/core/clock.h"
#include "scdcf/core/parallel.h"
#include "scdcf/core/runtime.h"
#include "scdcf/ops/joint_conv.h"

namespace scdcf::bench {
namespace {

nn::FilterExpansion make_expansion(const LayerCase& c) {
  if (c.lifting)
    return nn::FilterExpansion(nn::LiftingConvOptions(c.in_channels, c.out_channels, c.grid).modes(c.modes));
  return nn::FilterExpansion(
      nn::JointConvOptions(c.in_channels, c.out_channels, c.grid).modes(c.modes).scale_taps(c.taps));
}

}  // namespace

const char* name_of(Variant variant) {
  return variant == Variant::grouped ? "grouped" : variant == Variant::composed ? "composed" : "separable";
}

BenchLayer::BenchLayer(const LayerCase& bench_case, torch::Device device, torch::ScalarType type)
    : case_(bench_case), expansion_(make_expansion(bench_case)) {
  const auto options = torch::TensorOptions(type).device(device);
  const int64_t scales = case_.grid.count(), planes = case_.lifting ? 1 : scales;
  input_ = torch::randn({case_.batch, case_.in_channels, planes, case_.size, case_.size}, options)
               .contiguous(at::MemoryFormat::ChannelsLast3d)
               .requires_grad_(true);
  coefficients_ = torch::randn({case_.out_channels, case_.in_channels, expansion_.scale_basis().count, case_.modes},
                               options.dtype(type == torch::kBFloat16 ? torch::kFloat : type))
                      .requires_grad_(true);
  cotangent_ = torch::randn({case_.batch, case_.out_channels, scales, case_.size, case_.size}, options)
                   .contiguous(at::MemoryFormat::ChannelsLast3d);
  // Per scale: pixels x (taps * channels * K/A) times that x (A * out). With A column modes each reduction is K/A deep.
  const int64_t columns = expansion_.filters().sampled().column_modes;
  const int64_t depth = std::max<int64_t>(1, case_.taps * case_.in_channels * case_.modes / columns);
  left_ = torch::randn({case_.batch * case_.size * case_.size, depth}, options);
  right_ = torch::randn({depth, columns * case_.out_channels}, options);
}

torch::Tensor BenchLayer::run(Variant variant, const torch::Tensor& input, const torch::Tensor& coefficients) const {
  if (variant == Variant::grouped) return grouped(input, coefficients);
  return ops::joint_conv(input, coefficients, expansion_.scale_weights_like(coefficients), expansion_.filters(),
                         expansion_.sources(), {},
                         variant == Variant::composed ? ops::Algorithm::composed : ops::Algorithm::separable);
}

torch::Tensor BenchLayer::grouped(const torch::Tensor& input, const torch::Tensor& coefficients) const {
  const int64_t scales = case_.grid.count(), radius = expansion_.filters().largest_radius(), taps = case_.taps;
  const auto bank = expansion_.filters().filters(coefficients.options());
  std::vector<torch::Tensor> padded;
  for (int64_t s = 0; s < scales; ++s) {
    const int64_t margin = radius - expansion_.filters().radius(s);
    padded.push_back(torch::constant_pad_nd(bank[static_cast<size_t>(s)], {margin, margin, margin, margin}));
  }
  const auto phi = expansion_.scale_basis_like(coefficients);
  const auto weight = torch::einsum("ocmk,mt,skyx->sotcyx", {coefficients, phi, torch::stack(padded)});
  const int64_t size = 2 * radius + 1;
  if (case_.lifting) {
    const auto out =
        torch::conv2d(input.squeeze(2), weight.reshape({-1, case_.in_channels, size, size}), {}, 1, radius);
    return out.view({case_.batch, scales, case_.out_channels, case_.size, case_.size}).transpose(1, 2);
  }
  // Every scale sees its taps as channels of its group; the finest plane is repeated beyond the end.
  const auto front = input.narrow(2, 0, 1).expand({-1, -1, taps - 1, -1, -1});
  const auto extended = torch::cat({front, input}, 2);  // [N, C, S + taps - 1, H, W]
  std::vector<torch::Tensor> shifted;
  for (int64_t t = 0; t < taps; ++t) shifted.push_back(extended.narrow(2, t, scales));
  const auto grouped_input =
      torch::stack(shifted, 1).permute({0, 3, 1, 2, 4, 5}).reshape({case_.batch, -1, case_.size, case_.size});
  const auto out = torch::conv2d(grouped_input, weight.reshape({-1, taps * case_.in_channels, size, size}), {}, 1,
                                 radius, 1, scales);
  return out.view({case_.batch, scales, case_.out_channels, case_.size, case_.size}).transpose(1, 2);
}

void BenchLayer::step(Variant variant, bool backward) {
  if (!backward) {
    const torch::NoGradGuard no_grad;
    run(variant, input_, coefficients_);
    return;
  }
  const auto out = run(variant, input_, coefficients_);
  // The gradient of an image is never needed: a lifting layer is the first of its network.
  torch::autograd::grad({out},
                        case_.lifting ? torch::autograd::variable_list{coefficients_}
                                      : torch::autograd::variable_list{input_, coefficients_},
                        {cotangent_});
}

void BenchLayer::floor(bool backward) {
  const torch::NoGradGuard no_grad;
  // On the CPU each thread takes its share of the pixels: the BLAS itself has one thread (core/runtime.h).
  const int64_t parts = left_.is_cpu() ? threads() : 1;
  const auto shares = left_.chunk(parts);
  const auto product = [&](int64_t part) {
    for (int s = 0; s < case_.grid.count(); ++s) {
      const auto& share = shares[static_cast<size_t>(part)];
      const auto result = share.mm(right_);
      if (!backward) continue;
      share.t().mm(result);
      if (!case_.lifting) result.mm(right_.t());
    }
  };
  if (parts == 1) return product(0);
  run_parallel(static_cast<int64_t>(shares.size()), [&](int64_t part) {
    const torch::NoGradGuard no_grad_here;
    product(part);
  });
}

std::vector<torch::Tensor> BenchLayer::results(Variant variant, torch::ScalarType type) const {
  // One image is enough to judge a form.
  const auto small = [&](const torch::Tensor& t) { return t.detach().slice(0, 0, 1).to(type); };
  BenchLayer judge = *this;
  judge.case_.batch = 1;
  const auto x = small(input_).requires_grad_(true);
  const auto a = coefficients_.detach().to(type).requires_grad_(true);
  const auto out = judge.run(variant, x, a);
  auto gradients = torch::autograd::grad({out}, {x, a}, {small(cotangent_)});
  return {out.detach(), gradients[0], gradients[1]};
}

Judgement BenchLayer::judge(Variant variant) {
  if (reference_.empty()) reference_ = results(Variant::composed, torch::kDouble);
  const double start = now();
  const auto got = results(variant, input_.scalar_type());
  const double seconds = now() - start;
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, ((got[i].to(torch::kDouble) - reference_[i]).norm() / reference_[i].norm()).item<double>());
  return {worst, seconds};
}

double BenchLayer::multiply_adds(Variant variant) const {
  auto shape =
      ops::conv_shape(input_, coefficients_, expansion_.scale_basis_like(coefficients_), expansion_.filters(), {});
  const auto images = static_cast<double>(case_.batch);
  if (variant == Variant::separable) return images * static_cast<double>(ops::separable_multiply_adds(shape));
  if (variant == Variant::grouped)
    std::fill(shape.kernel_sizes.begin(), shape.kernel_sizes.end(), shape.kernel_sizes.back());
  return images * static_cast<double>(ops::composed_multiply_adds(shape));
}

double BenchLayer::product_multiply_adds(bool backward) const {
  const auto forward = static_cast<double>(case_.batch * case_.size * case_.size * case_.grid.count()) *
                       static_cast<double>(case_.modes * case_.taps * case_.in_channels * case_.out_channels);
  return forward * (!backward ? 1 : case_.lifting ? 2 : 3);
}

double BenchLayer::least_bytes(bool backward) const {
  const auto input = static_cast<double>(input_.nbytes());
  return map_bytes() * (backward ? 2 : 1) + (backward && !case_.lifting ? input : 0);
}

double BenchLayer::map_bytes() const {
  return static_cast<double>((input_.numel() + cotangent_.numel()) * input_.element_size());
}

}  // namespace scdcf::bench
