// Fibers, barriers and a malloc-backed CUDA runtime for primitives.cuh of this folder.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scdcf/ops/cuda/hopper.cuh"

extern "C" void switch_stack(void** save, void* load);
asm(R"(
.globl switch_stack
switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace scdcf::ops::cuda {
namespace {

constexpr size_t kStack = 64 * 1024;
struct Fiber {
  std::vector<char> stack;
  void* sp = nullptr;
  bool done = false;
};
struct Rendezvous {
  int arrived = 0, generation = 0;
};
std::vector<Fiber> fibers;
std::vector<Rendezvous> warps;
std::vector<WarpSlot> slots;
std::vector<Rendezvous> groups;
std::vector<ProductSlot> group_slots;
Rendezvous block, some;
int current, count, alive;
long idle;
void* main_sp;
std::vector<char>* memory;
char* aligned;
const std::function<void()>* body;
std::string failure;

void next_fiber() {
  const int from = current;
  do current = current + 1 == count ? 0 : current + 1;
  while (fibers[current].done && current != from);
  if (current != from) switch_stack(&fibers[from].sp, fibers[current].sp);
}

void meet(Rendezvous& r, int size, const std::function<void()>& work) {
  const int generation = r.generation;
  if (++r.arrived == size) {
    work();
    r.arrived = 0, ++r.generation, idle = 0;
    return;
  }
  while (r.generation == generation) {
    if (++idle > 100000) {
      std::fprintf(stderr, "deadlock\n");
      std::abort();
    }
    next_fiber();
  }
}

void entry() {
  try {
    (*body)();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "device: %s\n", e.what());
    std::abort();
  }
  fibers[current].done = true, idle = 0;
  if (--alive == 0) {
    void* dummy;
    switch_stack(&dummy, main_sp);
  }
  void* dummy;
  do current = current + 1 == count ? 0 : current + 1;
  while (fibers[current].done);
  switch_stack(&dummy, fibers[current].sp);
}

}  // namespace

ThreadIdx threadIdx;
Index blockIdx, blockDim;
ThreadIndex::operator unsigned() const { return static_cast<unsigned>(current); }
char* shared_memory() { return aligned; }
int lane_id() { return current % 32; }
WarpSlot& warp_slot() { return slots[current / 32]; }
void sync_block() {
  if (alive != count) {
    std::fprintf(stderr, "a thread left before a barrier\n");
    std::abort();
  }
  meet(block, count, [] {});
}
void warp_collective(void (*work)(WarpSlot&)) {
  const int w = current / 32;
  meet(warps[w], 32, [&] { work(slots[w]); });
}
void sync_warp() {
  warp_collective([](WarpSlot&) {});
}
void group_collective(float* d, const uint32_t* a, const std::function<void(ProductSlot&)>& work) {
  const int group = current / 128;
  group_slots[group].d[current % 128] = d, group_slots[group].a[current % 128] = a;
  meet(groups[group], 128, [&] { work(group_slots[group]); });
}
void meet_some(int threads) {
  meet(some, threads, [] {});
}
void yield_thread() {
  if (++idle > 10000000) {
    std::fprintf(stderr, "deadlock at a barrier in shared memory\n");
    std::abort();
  }
  next_fiber();
}

void run_grid(const std::function<void()>& kernel, int64_t blocks, int threads, size_t shared) {
  body = &kernel;
  count = threads;
  blockDim.x = threads;
  fibers.resize(std::max<size_t>(fibers.size(), threads));
  warps.assign((threads + 31) / 32, {});
  slots.resize(warps.size());
  groups.assign((threads + 127) / 128, {});
  group_slots.resize(groups.size());
  for (int64_t b = 0; b < blocks; ++b) {
    blockIdx.x = static_cast<unsigned>(b);
    // The block's memory ends exactly at its end: an overrun is an address sanitizer error.
    char* raw = static_cast<char*>(std::aligned_alloc(1024, (shared + 1023) / 1024 * 1024 + 1024));
    std::memset(raw, 0xff, shared);
    aligned = raw;
    for (int i = 0; i < threads; ++i) {
      Fiber& f = fibers[i];
      f.stack.resize(kStack);
      f.done = false;
      auto top = reinterpret_cast<uintptr_t>(f.stack.data() + kStack) & ~uintptr_t{15};
      auto* sp = reinterpret_cast<void**>(top - 8);
      *sp = nullptr;
      *--sp = reinterpret_cast<void*>(&entry);
      for (int r = 0; r < 6; ++r) *--sp = nullptr;
      f.sp = sp;
    }
    current = 0, alive = count, idle = 0, block = {}, some = {};
    switch_stack(&main_sp, fibers[0].sp);
    std::free(raw);
  }
}

}  // namespace scdcf::ops::cuda

extern "C" {
cudaError_t cudaMalloc(void** p, size_t n) {
  return (*p = std::malloc(n + !n)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* p) {
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind) {
  std::memcpy(to, from, n);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* p, int v, size_t n) {
  std::memset(p, v, n);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* p, int v, size_t n, cudaStream_t) {
  std::memset(p, v, n);
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "emulated"; }
}
