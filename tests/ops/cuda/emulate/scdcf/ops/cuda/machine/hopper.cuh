// CPU stand-in for hopper.cuh: copies and products happen at once, a cluster is one block. Operands are found by the
// same swizzled addresses, so that a wrong layout gives wrong sums.
#pragma once

#include "scdcf/ops/cuda/machine/primitives.cuh"

#define SCDCF_HOPPER_CODE

namespace scdcf::ops::cuda {

struct Barrier {
  int16_t arrivals, pending;
  int32_t bytes : 31;
  uint32_t phase : 1;
};
static_assert(sizeof(Barrier) == 8, "as on the device");

void yield_thread();
void meet_some(int threads);
struct ProductSlot {
  float* d[128];
  const uint32_t* a[128];
};
/// Calls work once when the 128 threads of a warpgroup have arrived.
void group_collective(float* d, const uint32_t* a, const std::function<void(ProductSlot&)>& work);

inline uint32_t shared_address(const void* at) {
  return static_cast<uint32_t>(static_cast<const char*>(at) - shared_memory());
}
inline void init_barrier(Barrier* b, int arrivals) { *b = {int16_t(arrivals), int16_t(arrivals), 0, 0}; }
inline void fence_barriers() {}
inline void complete(Barrier* b) {
  if (b->pending == 0 && b->bytes == 0) b->pending = b->arrivals, b->phase ^= 1;
}
inline void arrive(Barrier* b) {
  if (b->pending-- == 0) throw std::runtime_error("too many arrivals at a barrier");
  complete(b);
}
inline void arrive_at(Barrier* b, int) { arrive(b); }
inline void arrive_expecting(Barrier* b, uint32_t bytes) {
  b->bytes += int(bytes);
  arrive(b);
}
inline void wait(Barrier* b, uint32_t parity) {
  while (b->phase == parity) yield_thread();
}
inline void copy_bulk(void* to, const void* from, uint32_t bytes, Barrier* b, uint32_t) {
  std::memcpy(to, from, bytes);
  b->bytes -= int(bytes);
  complete(b);
}
inline void fence_products() {}
inline void begin_products() {}
inline void commit_products() {}
template <int newer>
void wait_products() {}
inline uint64_t operand_at(const void* rows) { return shared_address(rows) / 16; }
/// T: the maps' type, which says what the 16-bit operands are.
template <class T>
double number_of(uint32_t word, int i) {
  return sizeof(T) == 2 ? bf16_of(word, i) : half_precision_of(word, i);
}
template <class T>
double operand_number(uint64_t at, int row, int k) {
  const uint32_t address = static_cast<uint32_t>(at) * 16 + row * 128 + k * 2;
  uint16_t x;
  std::memcpy(&x, shared_memory() + (address ^ (address >> 7 & 7) << 4), 2);
  return number_of<T>(x, 0);
}

template <class T, int count>
void multiply_rows(float (&d)[count], uint64_t a, uint64_t b, int add) {
  group_collective(d, nullptr, [=](ProductSlot& s) {
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < count * 2; ++column) {
        double sum = 0;
        for (int k = 0; k < 16; ++k) sum += operand_number<T>(a, row, k) * operand_number<T>(b, column, k);
        float& to = s.d[row / 16 * 32 + row % 8 * 4 + column % 8 / 2][column / 8 * 4 + row / 8 % 2 * 2 + column % 2];
        to = toward_zero((add ? to : 0) + sum);
      }
  });
}

template <class T>
void multiply_rows(float (&d)[64], const uint32_t (&a)[4], uint64_t b) {
  group_collective(d, a, [=](ProductSlot& s) {
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 128; ++column) {
        double sum = 0;
        for (int k = 0; k < 16; ++k)
          sum += number_of<T>(s.a[row / 16 * 32 + row % 8 * 4 + k % 8 / 2][row / 8 % 2 + k / 8 * 2], k % 2) *
                 operand_number<T>(b, column, k);
        float& to = s.d[row / 16 * 32 + row % 8 * 4 + column % 8 / 2][column / 8 * 4 + row / 8 % 2 * 2 + column % 2];
        to = toward_zero(to + sum);
      }
  });
}

template <int count>
void more_registers() {}
template <int count>
void fewer_registers() {}
template <int threads>
void sync_some() {
  meet_some(threads);
}
inline void sync_group() {
  group_collective(nullptr, nullptr, [](ProductSlot&) {});
}
inline void sync_cluster() { sync_block(); }
inline int cluster_rank() { return 0; }
inline bool built_for_hopper(void (*)(int*)) { return true; }

template <class... Params, class... Args>
void launch_clusters(void (*kernel)(Params...), int blocks, int, int threads, size_t shared, cudaStream_t,
                     Args... args) {
  run_grid([&] { kernel(args...); }, blocks, threads, shared);
}

}  // namespace scdcf::ops::cuda
