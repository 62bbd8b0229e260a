// Batch-norm, ReLU and average pooling after the three convolutions of the paper's SMNIST network at 28 x 28, N = 32,
// N_s = 5: as one operator, and as torch's three. The rate is that of the bytes which must move: x read twice forward
// and twice backward, grad_x written once, the pooled maps written once and read twice.
#include "scdcf/ops/norm_relu_pool.h"

#include <benchmark/benchmark.h>
#include <torch/torch.h>

namespace {

using namespace scdcf;

struct Layer {
  int64_t channels, size;
  ops::AveragePool pool;
  int64_t batch = 32, scales = 5;
};

void norm_relu_pool(benchmark::State& state, const Layer& layer, bool fused) {
  torch::manual_seed(0);
  const auto x = torch::randn({layer.batch, layer.channels, layer.scales, layer.size, layer.size})
                     .contiguous(torch::MemoryFormat::ChannelsLast3d)
                     .requires_grad_(true);
  const auto weight = torch::ones({layer.channels}, torch::requires_grad());
  const auto bias = torch::zeros({layer.channels}, torch::requires_grad());
  const auto mean = torch::zeros({layer.channels}), variance = torch::ones({layer.channels});
  const auto& pool = layer.pool;
  const auto forward = [&] {
    if (fused) return ops::norm_relu_pool(x, weight, bias, mean, variance, {}, pool);
    const auto z = torch::relu(torch::batch_norm(x, weight, bias, mean, variance, true, 0.1, 1e-5, false));
    return torch::avg_pool3d(z, {1, pool.window, pool.window}, {1, pool.stride, pool.stride},
                             {0, pool.padding, pool.padding}, false, false);
  };
  const auto gradient = torch::randn_like(forward());
  for (auto _ : state) {
    const auto gradients = torch::autograd::grad({forward()}, {x, weight, bias}, {gradient});
    benchmark::DoNotOptimize(gradients[0].data_ptr());
  }
  const double bytes = 4.0 * static_cast<double>(5 * x.numel() + 3 * gradient.numel());
  state.counters["bytes/s"] = benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
}

constexpr Layer kFirst{32, 28, {2, 2, 0}}, kSecond{64, 14, {2, 2, 0}}, kThird{96, 7, {4, 4, 2}};

BENCHMARK_CAPTURE(norm_relu_pool, fused_28x28_32, kFirst, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(norm_relu_pool, torch_28x28_32, kFirst, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(norm_relu_pool, fused_14x14_64, kSecond, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(norm_relu_pool, torch_14x14_64, kSecond, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(norm_relu_pool, fused_7x7_96, kThird, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(norm_relu_pool, torch_7x7_96, kThird, false)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
