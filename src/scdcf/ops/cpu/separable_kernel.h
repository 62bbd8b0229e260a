// The separable joint convolution on the CPU, free of torch: forward and adjoint of the operator that
// ops/separable_problem.h defines, for float and double.
//
// Each tile of pixels goes through row pass -> matrix product -> column pass inside the caches of one core; the maps of
// the row pass never exist for a whole image batch. The backward recomputes the row pass instead of storing it.
//
// Invariant: for a given problem, SIMD level and number of threads the result is the same bit for bit in every run;
// the forward and grad_in do not depend on the number of threads either.
#pragma once

#include <cstdint>
#include <functional>

#include "scdcf/ops/separable_problem.h"

namespace scdcf::ops::cpu {

/// How the host runs work: run(count, fn) calls fn(0) .. fn(count - 1), in any order and on any threads, and returns
/// when all are done. The kernel asks for at most `threads` tasks at a time, so one task per thread is right.
struct Parallel {
  int threads = 1;
  std::function<void(int64_t count, const std::function<void(int64_t)>& fn)> run;

  /// Everything on the calling thread.
  static Parallel serial();
};

/// Overwrites out [N][scales][H'][W'][O].
void forward(const SeparableProblem& problem, const float* in, const float* factors, const float* mixing, float* out,
             const Parallel& parallel);
void forward(const SeparableProblem& problem, const double* in, const double* factors, const double* mixing,
             double* out, const Parallel& parallel);

/// Overwrites grad_in [N][planes][H][W][C] and grad_mixing [count][K][C][O]; either may be null. The factors are
/// constants of the layer and have no gradient.
void backward(const SeparableProblem& problem, const float* in, const float* factors, const float* mixing,
              const float* grad_out, float* grad_in, float* grad_mixing, const Parallel& parallel);
void backward(const SeparableProblem& problem, const double* in, const double* factors, const double* mixing,
              const double* grad_out, double* grad_in, double* grad_mixing, const Parallel& parallel);

enum class SimdLevel : int32_t { baseline = 0, avx2 = 1, avx512 = 2 };

/// The best level this processor (and this build) supports.
SimdLevel best_simd_level();
/// The level in use: the best one, unless set_simd_level chose a lower one.
SimdLevel simd_level();
/// Forces a level, for tests. A level above the best one throws std::invalid_argument.
void set_simd_level(SimdLevel level);
/// "AVX-512", "AVX2" or "baseline".
const char* simd_level_name(SimdLevel level);
inline const char* simd_level_name() { return simd_level_name(simd_level()); }

}  // namespace scdcf::ops::cpu
