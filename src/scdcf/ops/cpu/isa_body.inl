// The kernels of one SIMD level. The including file defines
//   SCDCF_ISA            name of the level's namespace
//   SCDCF_ISA_KERNELS    name of the function that hands out its kernels
//   SCDCF_VECTOR_BYTES   16, 32 or 64
// and is compiled with the instruction set it names. Everything lives in the level's own namespace and no std::
// function template is instantiated: a weak symbol built with wide instructions could otherwise replace the baseline's
// copy.
#include <cstdint>
#include <utility>

#include "scdcf/ops/cpu/kernel_table.h"

namespace scdcf::ops::cpu::detail {
namespace SCDCF_ISA {

#include "scdcf/ops/cpu/simd.inl"

#include "scdcf/ops/cpu/gemm_microkernel.inl"

#include "scdcf/ops/cpu/band.inl"

#include "scdcf/ops/cpu/mix.inl"

#include "scdcf/ops/cpu/chunks.inl"

#include "scdcf/ops/cpu/forward.inl"

#include "scdcf/ops/cpu/backward.inl"

#include "scdcf/ops/cpu/lanes.inl"

#include "scdcf/ops/cpu/lane_mix.inl"

#include "scdcf/ops/cpu/lanes_forward.inl"

#include "scdcf/ops/cpu/lanes_backward.inl"

#include "scdcf/ops/cpu/thin.inl"

#include "scdcf/ops/cpu/norm.inl"

template <class T>
KernelSet<T> kernel_set() {
  return {kLanes<T>, forward<T>, backward<T>, lanes_forward<T>, lanes_backward<T>, thin_forward<T>, thin_backward<T>};
}

template <class T>
NormKernels<T> norm_kernels() {
  return {norm_statistics<T>, norm_forward<T>, norm_gradient_sums<T>, norm_backward<T>};
}

}  // namespace SCDCF_ISA

KernelTable SCDCF_ISA_KERNELS() {
  return {SCDCF_ISA::kernel_set<float>(), SCDCF_ISA::kernel_set<double>(), SCDCF_ISA::norm_kernels<float>(),
          SCDCF_ISA::norm_kernels<double>()};
}

}  // namespace scdcf::ops::cpu::detail
