// Batch-norm, ReLU and average pooling after the convolutions of the SMNIST networks (the layers of
// bench/layer_cases.h), N = 32: as one operator, and as torch's three. The rate is that of the bytes which must
// move: x read twice forward and twice backward, grad_x written once, the pooled maps written once and read twice.
#include "scdcf/ops/norm_relu_pool.h"

#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "scdcf/bench/layer_cases.h"
#include "scdcf/models/skeleton.h"

namespace {

using namespace scdcf;

struct Layer {
  int64_t batch, channels, scales, size;
  ops::AveragePool pool;
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
  for ([[maybe_unused]] auto _ : state) {
    const auto gradients = torch::autograd::grad({forward()}, {x, weight, bias}, {gradient});
    benchmark::DoNotOptimize(gradients[0].data_ptr());
  }
  const double bytes = 4.0 * static_cast<double>(5 * x.numel() + 3 * gradient.numel());
  state.counters["bytes/s"] = benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
}

bool register_layers() {
  for (const int64_t image_size : {28, 56}) {
    int block = 0;
    for (const auto& c : bench::layer_cases(32)) {
      if (c.group != "smnist" + std::to_string(image_size)) continue;
      const auto [window, padding] = models::skeleton_pooling(image_size, block++);
      const Layer layer{c.batch, c.out_channels, c.grid.count(), c.size, {window, window, padding}};
      for (const bool fused : {true, false}) {
        const std::string name = c.group + "/norm after " + c.name + (fused ? "/fused" : "/torch");
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& state) { norm_relu_pool(state, layer, fused); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
    }
  }
  return true;
}
[[maybe_unused]] const bool registered = register_layers();

}  // namespace
