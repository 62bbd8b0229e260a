// The contract of separable_problem.h in double on the CPU, tap by tap.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "scdcf/ops/separable_problem.h"

namespace cuda_kernels {

using scdcf::ops::PadMode;
using scdcf::ops::SeparableProblem;
using Values = std::vector<double>;

/// Draws `count` normal numbers about a centre.
class Normal {
 public:
  explicit Normal(unsigned seed) : generator_(seed) {}
  Values operator()(int64_t count, double centre = 0) {
    Values values(static_cast<size_t>(count));
    for (double& value : values) value = normal_(generator_) + centre;
    return values;
  }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

struct Sizes {
  int64_t in, out, mixing;
  explicit Sizes(const SeparableProblem& p)
      : in(p.batch * p.planes * p.in_height * p.in_width * p.in_channels),
        out(p.batch * int64_t(p.scales.size()) * p.out_height * p.out_width * p.out_channels),
        mixing(p.mixings * int64_t(p.modes.size()) * p.in_channels * p.out_channels) {}
};

/// Calls f(weight, input index) for every tap of one output coordinate.
template <class F>
void taps(const SeparableProblem& p, const double* factor, int radius, int64_t o, int64_t size, F f) {
  for (int d = 0; d <= 2 * radius; ++d) {
    int64_t i = o * p.stride + p.origin + d - radius;
    if (p.padding == PadMode::replicate) i = std::clamp<int64_t>(i, 0, size - 1);
    if (i >= 0 && i < size) f(factor[d], i);
  }
}

struct Results {
  Values out, grad_in, grad_mixing;
};

inline Results reference(const SeparableProblem& p, const Values& in, const Values& factors, const Values& mixing,
                         const Values& grad_out) {
  const Sizes sizes(p);
  Results r{Values(sizes.out), Values(sizes.in), Values(sizes.mixing)};
  const int64_t c_n = p.in_channels, o_n = p.out_channels, h = p.in_height, w = p.in_width, oh = p.out_height,
                ow = p.out_width;
  const int64_t k_n = int64_t(p.modes.size()), s_n = int64_t(p.scales.size());
  Values rows(h * ow * c_n), z(oh * ow * c_n), dz(oh * ow * c_n);
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t s = 0; s < s_n; ++s)
      for (int j = p.scales[s].source_begin; j < p.scales[s].source_end; ++j)
        for (int64_t k = 0; k < k_n; ++k) {
          const auto& e = p.scales[s];
          const double* column = factors.data() + e.column_offset + p.modes[k].column * (2 * e.radius + 1);
          const double* row = factors.data() + e.row_offset + p.modes[k].row * (2 * e.radius + 1);
          const int64_t plane = (n * p.planes + p.sources[j].plane) * h * w * c_n,
                        target = (n * s_n + s) * oh * ow * o_n;
          const int64_t matrix = (p.sources[j].mixing * k_n + k) * c_n * o_n;
          std::fill(rows.begin(), rows.end(), 0.0);
          std::fill(z.begin(), z.end(), 0.0);
          std::fill(dz.begin(), dz.end(), 0.0);
          for (int64_t y = 0; y < h; ++y)
            for (int64_t x = 0; x < ow; ++x)
              taps(p, row, e.radius, x, w, [&](double f, int64_t i) {
                for (int64_t c = 0; c < c_n; ++c) rows[(y * ow + x) * c_n + c] += f * in[plane + (y * w + i) * c_n + c];
              });
          for (int64_t y = 0; y < oh; ++y)
            taps(p, column, e.radius, y, h, [&](double f, int64_t i) {
              for (int64_t t = 0; t < ow * c_n; ++t) z[y * ow * c_n + t] += f * rows[i * ow * c_n + t];
            });
          for (int64_t px = 0; px < oh * ow; ++px)
            for (int64_t c = 0; c < c_n; ++c) {
              const double zc = z[px * c_n + c];
              double dot = 0;
              for (int64_t o = 0; o < o_n; ++o) {
                const double m = mixing[matrix + c * o_n + o], g = grad_out[target + px * o_n + o];
                r.out[target + px * o_n + o] += m * zc;
                r.grad_mixing[matrix + c * o_n + o] += zc * g;
                dot += m * g;
              }
              dz[px * c_n + c] = dot;
            }
          std::fill(rows.begin(), rows.end(), 0.0);
          for (int64_t y = 0; y < oh; ++y)
            taps(p, column, e.radius, y, h, [&](double f, int64_t i) {
              for (int64_t t = 0; t < ow * c_n; ++t) rows[i * ow * c_n + t] += f * dz[y * ow * c_n + t];
            });
          for (int64_t y = 0; y < h; ++y)
            for (int64_t x = 0; x < ow; ++x)
              taps(p, row, e.radius, x, w, [&](double f, int64_t i) {
                for (int64_t c = 0; c < c_n; ++c)
                  r.grad_in[plane + (y * w + i) * c_n + c] += f * rows[(y * ow + x) * c_n + c];
              });
        }
  return r;
}

}  // namespace cuda_kernels
