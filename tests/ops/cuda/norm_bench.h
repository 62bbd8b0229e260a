// Times batch-norm, ReLU and pooling behind the layers of cases.h.
#pragma once

#include "bench.h"
#include "norm_cases.h"

namespace cuda_kernels {

inline void bench_norm() {
  using namespace scdcf::ops::cuda;
  std::printf("%-28s %5s %9s %9s %8s %8s\n", "norm, ReLU, pool", "type", "fwd us", "bwd us", "fwd TB/s", "bwd TB/s");
  for (const Layer& layer : all_layers())
    for (const int m : {0, 2}) {
      const Mode& mode = kModes[m];
      const NormPoolProblem p = make_norm_problem(behind(layer, layer.shape.batch));
      const size_t in = size_t(p.pixels() * p.channels) * bytes_of(mode.type),
                   out = size_t(p.outputs() * p.channels) * bytes_of(mode.type);
      std::unique_ptr<Buffer> x[3], y[3], grad_x[3];  // in turn, so that a layer does not find its maps in the cache
      for (int i = 0; i < 3; ++i) {
        x[i] = std::make_unique<Buffer>(in), y[i] = std::make_unique<Buffer>(out),
        grad_x[i] = std::make_unique<Buffer>(in);
        fill_random(*x[i], mode.type);
        fill_random(*y[i], mode.type);
      }
      Buffer ones(DataType::float32, Values(p.channels, 1.0)), zeros(DataType::float32, Values(p.channels, 0.0));
      Buffer moved(p.channels * 4), moved_too(p.channels * 4), mean(p.channels * 8), invstd(p.channels * 8);
      Buffer grad_weight(p.channels * 4), grad_bias(p.channels * 4), space(norm_workspace(p));
      moved.poison();
      auto* m0 = static_cast<double*>(mean.get());
      auto* s0 = static_cast<double*>(invstd.get());
      const double forward = time_ms([&](int i, cudaStream_t stream) {
        norm_relu_pool(
            p, {true, 0.1, 1e-5},
            {x[i % 3]->get(), ones.get(), zeros.get(), moved.get(), moved_too.get(), m0, s0, y[i % 3]->get()},
            space.get(), mode.type, stream);
      });
      const double backward = time_ms([&](int i, cudaStream_t stream) {
        norm_relu_pool_backward(p, true,
                                {x[i % 3]->get(), ones.get(), zeros.get(), m0, s0, y[i % 3]->get(),
                                 grad_x[i % 3]->get(), grad_weight.get(), grad_bias.get()},
                                space.get(), mode.type, stream);
      });
      char name[64];
      std::snprintf(name, sizeof name, "%dx%d, %d channels, window %d", int(p.in_height), int(p.in_width),
                    int(p.channels), int(p.window));
      std::printf("%-28s %5s %9.1f %9.1f %8.2f %8.2f\n", name, mode.name, 1e3 * forward, 1e3 * backward,
                  (2.0 * in + out) / forward / 1e9, (3.0 * in + 2.0 * out) / backward / 1e9);
    }
}

}  // namespace cuda_kernels
