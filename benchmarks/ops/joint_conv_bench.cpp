// The joint convolution in all its forms on the layers of bench/layer_cases.h, the very ones of `scdcf bench`,
// with eight images. The rate is that of the arithmetic the separable form needs, two per multiply-add, whatever the
// form.
//   bench_ops --benchmark_filter='smnist28/.*/separable'
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "scdcf/bench/layer_variants.h"
#include "scdcf/core/runtime.h"

namespace {

namespace bench = scdcf::bench;

void joint_conv(benchmark::State& state, const bench::LayerCase& bench_case, bench::Variant variant, bool backward) {
  torch::manual_seed(0);
  bench::BenchLayer layer(bench_case, torch::kCPU);
  for ([[maybe_unused]] auto _ : state) layer.step(variant, backward);
  const double passes = !backward ? 1 : bench_case.lifting ? 2 : 3;  // a lifting layer has no gradient of its image
  state.counters["FLOP/s"] = benchmark::Counter(2 * passes * layer.multiply_adds(bench::Variant::separable),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void register_cases() {
  for (const auto& bench_case : bench::layer_cases(8))
    for (const bench::Variant variant : {bench::Variant::grouped, bench::Variant::composed, bench::Variant::separable})
      for (const bool backward : {false, true}) {
        const std::string name = bench_case.group + "/" + bench_case.name + "/" + name_of(variant) +
                                 (backward ? "/forward_backward" : "/forward");
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& state) { joint_conv(state, bench_case, variant, backward); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
}

}  // namespace

int main(int argc, char** argv) {
  register_cases();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  scdcf::set_threads(0);  // all cores: Debian's LibTorch starts with one
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
