#include "scdcf/ops/cuda/expanded/stack_mixing.h"

#include "scdcf/ops/cuda/machine/arithmetic.cuh"

namespace scdcf::ops::cuda {
namespace {

constexpr int kThreads = 256;

struct Slots {
  int count;
  int16_t mixing[kMaxSources];
};

Slots slots_of(const ExpandedLayout& layout) {
  Slots slots{layout.slot_count, {}};
  for (int i = 0; i < layout.slot_count; ++i) slots.mixing[i] = layout.slot_mixing[i];
  return slots;
}

template <class T, class F>
__global__ void stack_kernel(const Slots slots, int64_t size, const F* mixing, T* stacks) {
  const int64_t index = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= slots.count * size) return;
  narrow(mixing[slots.mixing[index / size] * size + index % size], stacks[index]);
}

template <class F>
__global__ void unstack_kernel(const Slots slots, int64_t size, int64_t count, const F* stacks, F* grad_mixing) {
  const int64_t index = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= count) return;
  F sum = 0;
  for (int slot = 0; slot < slots.count; ++slot)
    if (slots.mixing[slot] == index / size) sum += stacks[slot * size + index % size];
  grad_mixing[index] = sum;
}

int64_t matrix_size(const DeviceProblem& p) { return int64_t(p.mode_count) * p.in_channels * p.out_channels; }

}  // namespace

void stack_mixing(const DeviceProblem& p, const ExpandedLayout& layout, const void* mixing, void* stacks, DataType type,
                  cudaStream_t stream) {
  const int64_t size = matrix_size(p), blocks = divide_up(layout.slot_count * size, kThreads);
  const Slots slots = slots_of(layout);
  const auto* from = static_cast<const float*>(mixing);
  if (type == DataType::float64)
    launch(stack_kernel<double, double>, blocks, kThreads, 0, stream, slots, size, static_cast<const double*>(mixing),
           static_cast<double*>(stacks));
  else if (type == DataType::float32)
    launch(stack_kernel<float, float>, blocks, kThreads, 0, stream, slots, size, from, static_cast<float*>(stacks));
  else
    launch(stack_kernel<bf16, float>, blocks, kThreads, 0, stream, slots, size, from, static_cast<bf16*>(stacks));
}

void unstack_gradient(const DeviceProblem& p, const ExpandedLayout& layout, const void* stacks, void* grad_mixing,
                      DataType type, cudaStream_t stream) {
  const int64_t size = matrix_size(p), count = size * p.mixings, blocks = divide_up(count, kThreads);
  const Slots slots = slots_of(layout);
  if (type == DataType::float64)
    launch(unstack_kernel<double>, blocks, kThreads, 0, stream, slots, size, count, static_cast<const double*>(stacks),
           static_cast<double*>(grad_mixing));
  else
    launch(unstack_kernel<float>, blocks, kThreads, 0, stream, slots, size, count, static_cast<const float*>(stacks),
           static_cast<float*>(grad_mixing));
}

}  // namespace scdcf::ops::cuda
