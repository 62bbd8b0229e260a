// What each SIMD level provides to the dispatcher. The three isa_*.cpp files compile the same source, each in a
// namespace of its own; only the functions declared here leave them.
#pragma once

#include <cstdint>

#include "scdcf/ops/cpu/kernel_plan.h"
#include "scdcf/ops/cpu/norm_kernels.h"

namespace scdcf::ops::cpu::detail {

/// The host's executor without std::function: run(host, count, fn, context) calls fn(context, 0 .. count-1).
struct Runner {
  int64_t workers;
  void* host;
  void (*run)(void* host, int64_t count, void (*fn)(void* context, int64_t index), void* context);
};

/// Memory the dispatcher allocates before any worker starts, so that workers cannot fail.
template <class T>
struct Workspace {
  T* packed;          // mixing, packed for the forward product
  T* packed_adjoint;  // mixing, packed for the transposed product
  T* scratch;         // [workers][scratch.total]
  T* partials;        // [chunks][mixings][modes][channels][padded_out_channels]
};

template <class T>
struct KernelSet {
  int64_t lanes;
  void (*forward)(const PlanView<T>&, const T* in, const T* mixing, T* out, const Workspace<T>&, const Runner&);
  void (*backward)(const PlanView<T>&, const T* in, const T* mixing, const T* grad_out, T* grad_in, T* grad_mixing,
                   const Workspace<T>&, const Runner&);
  void (*lanes_forward)(const PlanView<T>&, const T* in, const T* mixing, T* out, const Workspace<T>&, const Runner&);
  void (*lanes_backward)(const PlanView<T>&, const T* in, const T* mixing, const T* grad_out, T* grad_in,
                         T* grad_mixing, const Workspace<T>&, const Runner&);
  void (*thin_forward)(const PlanView<T>&, const T* in, const T* mixing, T* out, const Workspace<T>&, const Runner&);
  void (*thin_backward)(const PlanView<T>&, const T* in, const T* grad_out, T* grad_mixing, const Workspace<T>&,
                        const Runner&);
};

struct KernelTable {
  KernelSet<float> float_kernels;
  KernelSet<double> double_kernels;
  NormKernels<float> float_norm;
  NormKernels<double> double_norm;
};

KernelTable baseline_kernels();
#if defined(__x86_64__)
KernelTable avx2_kernels();
KernelTable avx512_kernels();
#endif

/// The kernels of the level in use.
KernelTable active_kernels();

}  // namespace scdcf::ops::cpu::detail
