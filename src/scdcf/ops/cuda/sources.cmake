# The CUDA kernels: torch-free, so that they can be compiled wherever nvcc is.
set(cuda_sources
  ops/cuda/chained.cu
  ops/cuda/chained_gradient.cu
  ops/cuda/chained_gradient_plan.cu
  ops/cuda/chained_plan.cu
  ops/cuda/device_problem.cpp
  ops/cuda/few_channels.cu
  ops/cuda/few_plan.cu
  ops/cuda/fused.cu
  ops/cuda/fused_plan.cu
  ops/cuda/line_bank.cu
  ops/cuda/mixing_gradient.cu
  ops/cuda/mixing_plan.cu
  ops/cuda/naive.cu
  ops/cuda/pack_mixing.cu
  ops/cuda/separable_kernel.cu
)
