// The kernels of batch-norm, ReLU and pooling against norm_reference.h, in every type.
#pragma once

#include <array>
#include <functional>
#include <random>

#include "cases.h"
#include "device.h"
#include "norm_reference.h"
#include "scdcf/ops/cuda/norm/norm_relu_pool.h"

namespace cuda_kernels {

struct NormCase {
  int64_t planes, channels, height, width, window, stride, padding;
  bool training;
  double centre;  // mean of x: large ones must not cost digits
  bool keeps_zero = false;
};

inline NormPoolProblem make_norm_problem(const NormCase& c) {
  NormPoolProblem p;
  p.planes = c.planes, p.channels = c.channels, p.in_height = c.height, p.in_width = c.width;
  p.window = c.window, p.stride = c.stride, p.padding = c.padding;
  p.keeps_zero = c.keeps_zero;
  p.out_height = (c.height + 2 * c.padding - c.window) / c.stride + 1;
  p.out_width = (c.width + 2 * c.padding - c.window) / c.stride + 1;
  return p;
}

/// What follows a layer, of so many images.
inline NormCase behind(const Layer& layer, int images) {
  const Shape& s = layer.shape;
  return {images * s.scales, s.out, s.height, s.width, layer.window, layer.window, layer.padding, true, 0};
}

inline std::vector<NormCase> norm_cases(bool small) {
  std::vector<NormCase> cases{
      {3, 8, 5, 6, 2, 2, 0, true, 0},         {2, 5, 7, 5, 2, 2, 0, true, 1e3},       {2, 96, 7, 7, 4, 4, 2, true, 0},
      {3, 1, 6, 7, 1, 1, 0, true, 0},         {2, 16, 5, 4, 3, 2, 1, true, 0},        {2, 4, 5, 6, 2, 1, 0, false, 0},
      {0, 8, 5, 6, 2, 2, 0, true, 0},         {4, 8, 6, 6, 1, 1, 0, false, 0},        {1, 3000, 2, 3, 2, 2, 0, true, 0},
      {3, 8, 5, 6, 2, 2, 0, true, 0.5, true}, {2, 5, 7, 5, 3, 2, 1, false, 0.5, true}};
  if (small) return cases;
  for (const int64_t channels : {1, 4, 24, 63, 64, 300})
    for (const auto& pool : {std::array<int64_t, 3>{1, 1, 0}, {2, 2, 0}, {4, 4, 2}, {3, 1, 1}, {2, 3, 1}, {8, 8, 2}})
      for (const bool training : {true, false})
        for (const bool keeps_zero : {false, true})
          if (!keeps_zero || channels > 1)  // of one channel the gradients may cancel to nothing
            cases.push_back({7, channels, 14, 13, pool[0], pool[1], pool[2], training, 0, keeps_zero});
  cases.push_back({7, 1024, 14, 13, 2, 2, 0, true, 0});  // several pixels per block, though one fills its width
#ifndef SCDCF_EMULATE
  for (const Layer& layer : layers(28)) cases.push_back(behind(layer, 12));
#endif
  return cases;
}

/// Runs the kernels on a case; report(what, got, want) for each of the eight results.
inline void run_norm_case(const NormCase& c, const Mode& mode, unsigned seed,
                          const std::function<void(const char*, const Values& got, const Values& want)>& report) {
  using namespace scdcf::ops::cuda;
  const NormPoolProblem p = make_norm_problem(c);
  const NormSettings settings{c.training, 0.1, 1e-5, c.keeps_zero};
  Normal normal(seed);
  const auto draw = [&](DataType t, int64_t n, double centre) { return rounded(t, normal(n, centre)); };
  const DataType t = mode.type, ft = weight_type(t);
  NormInputs in{draw(t, p.pixels() * p.channels, c.centre),
                draw(ft, p.channels, 0),
                draw(ft, p.channels, 0),
                draw(ft, p.channels, c.centre),
                draw(ft, p.channels, 0),
                draw(t, p.outputs() * p.channels, 0)};
  for (double& v : in.running_var) v = v * v + 0.5;
  in.running_var = rounded(ft, in.running_var);
  const NormResults want = norm_reference(p, settings, in);

  Buffer x(t, in.x), weight(ft, in.weight), bias(ft, in.bias), mean0(ft, in.running_mean), var0(ft, in.running_var);
  Buffer grad_y(t, in.grad_y), y(want.y.size() * bytes_of(t)), grad_x(want.grad_x.size() * bytes_of(t));
  Buffer mean(p.channels * 8), invstd(p.channels * 8), grad_weight(p.channels * bytes_of(ft)),
      grad_bias(p.channels * bytes_of(ft)), space(norm_workspace(p));
  for (Buffer* b : {&y, &grad_x, &mean, &invstd, &grad_weight, &grad_bias, &space}) b->poison();
  norm_relu_pool(p, settings,
                 {x.get(), weight.get(), bias.get(), mean0.get(), var0.get(), static_cast<double*>(mean.get()),
                  static_cast<double*>(invstd.get()), y.get()},
                 space.get(), t, nullptr);
  space.poison();
  norm_relu_pool_backward(
      p, c.training,
      {x.get(), weight.get(), bias.get(), static_cast<const double*>(mean.get()),
       static_cast<const double*>(invstd.get()), grad_y.get(), grad_x.get(), grad_weight.get(), grad_bias.get()},
      space.get(), t, nullptr);
  MUST(cudaDeviceSynchronize());
  report("norm y", y.values(t), want.y);
  report("norm mean", mean.values(DataType::float64), want.mean);
  report("norm invstd", invstd.values(DataType::float64), want.invstd);
  report("norm running_mean", mean0.values(ft), want.running_mean);
  report("norm running_var", var0.values(ft), want.running_var);
  report("norm grad_x", grad_x.values(t), want.grad_x);
  report("norm grad_weight", grad_weight.values(ft), want.grad_weight);
  report("norm grad_bias", grad_bias.values(ft), want.grad_bias);
}

}  // namespace cuda_kernels
