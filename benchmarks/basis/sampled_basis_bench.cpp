// How long a layer's bases take to be made: it is part of the start of every program.
#include "scdcf/basis/sampled_basis.h"

#include <benchmark/benchmark.h>

namespace {

namespace basis = scdcf::basis;

void sample(benchmark::State& state, const char* name, int modes, const basis::ScaleGrid& grid,
            basis::Sampling sampling) {
  size_t values = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto sampled = basis::sample_basis(basis::make_spatial_basis(name, modes), grid, sampling);
    benchmark::DoNotOptimize(sampled.scales.data());
    values = 0;
    for (const auto& scale : sampled.scales) values += scale.filters.size();
  }
  state.counters["filter_values"] = static_cast<double>(values);
}

constexpr auto kArea = basis::Sampling::area;
constexpr auto kPoint = basis::Sampling::point;

#define SAMPLE(...) BENCHMARK_CAPTURE(sample, __VA_ARGS__)->Unit(benchmark::kMicrosecond)
// The layers of the paper's SMNIST network: five scales, widths 5 to 10, K = 15.
SAMPLE(sine_5_scales, "sine", 15, basis::ScaleGrid(5, 0.25, 5), kArea);
SAMPLE(sine_5_scales_point, "sine", 15, basis::ScaleGrid(5, 0.25, 5), kPoint);
SAMPLE(hermite_gauss_5_scales, "hermite-gauss", 15, basis::ScaleGrid(5, 0.25, 5), kArea);
SAMPLE(bspline_5_scales, "bspline", 15, basis::ScaleGrid(5, 0.25, 5), kArea);
// Many scales: 17 over two octaves, widths 5 to 20.
SAMPLE(sine_17_scales, "sine", 15, basis::ScaleGrid(17, 0.125, 5), kArea);
// Not separable, integrated numerically: widths 10 to 20.
SAMPLE(fourier_bessel_5_scales, "fourier-bessel", 15, basis::ScaleGrid(5, 0.25, 10), kArea);

}  // namespace
