// The joint convolution in its composed form, on the two joint layers of the paper's SMNIST network: N = 8, N_s = 5,
// widths 5 to 10 pixels, K = 15, K_alpha = L_alpha = 3. The rate is that of the arithmetic it does, two per
// multiply-add.
#include "scdcf/ops/composed.h"

#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "scdcf/basis/scale_basis.h"
#include "scdcf/core/runtime.h"
#include "scdcf/ops/cost.h"

namespace {

using namespace scdcf;

struct Layer {
  int64_t size, in, out;
  int64_t batch = 8, scales = 5, taps = 3, modes = 15;

  ops::FilterBank filters() const {
    return ops::FilterBank(sample_basis(make_spatial_basis("sine", static_cast<int>(modes)),
                                        ScaleGrid(static_cast<int>(scales), 0.25, 5.0)));
  }
  torch::Tensor scale_basis() const {
    const auto basis = make_scale_basis(static_cast<int>(taps), static_cast<int>(taps));
    return torch::tensor(basis.values, torch::kDouble).view({taps, taps}).to(torch::kFloat);
  }
  double flops(const ops::FilterBank& bank) const {
    auto shape = ops::ConvShape::uniform(size, size, scales, 1, taps, in, out, modes, taps);
    for (int64_t s = 0; s < scales; ++s) shape.kernel_sizes[static_cast<size_t>(s)] = 2 * bank.radius(s) + 1;
    return 2.0 * static_cast<double>(batch * ops::composed_multiply_adds(shape));
  }
};

void joint_conv(benchmark::State& state, const Layer& layer, bool train) {
  torch::manual_seed(0);
  const auto filters = layer.filters();
  const auto scale_basis = layer.scale_basis();
  const auto sources =
      ops::joint_sources(layer.scales, layer.taps, ops::ScaleSupport::one_sided, ops::ScalePadding::replicate);
  const auto options = torch::TensorOptions().requires_grad(train);
  auto input = torch::randn({layer.batch, layer.in, layer.scales, layer.size, layer.size}, options);
  auto coefficients = torch::randn({layer.out, layer.in, layer.taps, layer.modes}, options);
  const auto gradient = torch::randn({layer.batch, layer.out, layer.scales, layer.size, layer.size});
  for (auto _ : state) {
    const auto output = ops::joint_conv_composed(input, coefficients, scale_basis, filters, sources, {});
    if (train) {
      const auto gradients = torch::autograd::grad({output}, {input, coefficients}, {gradient});
      benchmark::DoNotOptimize(gradients[0].data_ptr());
    } else {
      benchmark::DoNotOptimize(output.data_ptr());
    }
  }
  // A backward pass does the work of the forward pass twice.
  const double work = layer.flops(filters) * (train ? 3 : 1);
  state.counters["FLOP/s"] = benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr Layer kSecond{14, 32, 64}, kThird{7, 64, 96};

BENCHMARK_CAPTURE(joint_conv, forward_14x14_32_64, kSecond, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(joint_conv, forward_backward_14x14_32_64, kSecond, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(joint_conv, forward_7x7_64_96, kThird, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(joint_conv, forward_backward_7x7_64_96, kThird, true)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  scdcf::set_threads(0);  // all cores: Debian's LibTorch starts with one
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
