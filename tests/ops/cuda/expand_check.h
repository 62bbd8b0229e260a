// expand and collect are adjoint to each other: <expand(x), z> = <x, collect(z)> for all x and z.
#pragma once

#include <cmath>

#include "device.h"
#include "scdcf/ops/cuda/expanded/expand.h"

namespace cuda_kernels {

/// The relative difference of the two inner products, in double, from random maps.
inline double adjoint_error(const SeparableProblem& problem, unsigned seed) {
  using namespace scdcf::ops::cuda;
  if (Sizes(problem).in == 0 || Sizes(problem).out == 0) return 0;
  constexpr DataType type = DataType::float64;
  const DeviceProblem p = make_device_problem(problem);
  const ExpandedLayout layout = make_expanded_layout(p);
  const ExpandedPlaces places = layout.places(p, p.batch);
  Normal draw(seed);
  const Values x = draw(Sizes(problem).in), z = draw(layout.image_numbers * p.batch), f = draw(problem.factor_count);
  Buffer d_x(type, x), d_z(type, z), d_f(type, f), expanded(z.size() * 8), collected(x.size() * 8);
  expanded.poison(), collected.poison();
  expand(p, plan_expand(p, type), places, d_x.get(), d_f.get(), expanded.get(), 0, p.batch, type, nullptr);
  collect(p, plan_collect(p, type), places, d_z.get(), d_f.get(), collected.get(), 0, p.batch, type, nullptr);
  MUST(cudaDeviceSynchronize());
  const Values ex = expanded.values(type), cz = collected.values(type);
  double left = 0, right = 0, size = 0;
  for (size_t i = 0; i < z.size(); ++i) left += ex[i] * z[i], size += std::abs(ex[i] * z[i]);
  for (size_t i = 0; i < x.size(); ++i) right += x[i] * cz[i];
  return std::abs(left - right) / std::max(size, 1e-300);
}

}  // namespace cuda_kernels
