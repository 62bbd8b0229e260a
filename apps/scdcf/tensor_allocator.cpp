#include "tensor_allocator.h"

#include <c10/core/Allocator.h>
#include <torch/version.h>
#ifdef __GLIBC__
#  include <malloc.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <new>

namespace scdcf::app {
namespace {

constexpr std::size_t kAlignment = 64;

class TensorAllocator final : public c10::Allocator {
 public:
#if TORCH_VERSION_MAJOR >= 2
  c10::DataPtr allocate(std::size_t size) override { return block(size); }
  void copy_data(void* to, const void* from, std::size_t size) const override { default_copy_data(to, from, size); }
#else
  c10::DataPtr allocate(std::size_t size) const override { return block(size); }
#endif
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }

 private:
  /// In front of a block stands the address of what malloc gave.
  static c10::DataPtr block(std::size_t size) {
    if (size == 0) return {nullptr, nullptr, &free_block, c10::kCPU};
    void* given = size < SIZE_MAX / 2 ? std::malloc(size + sizeof(void*) + kAlignment) : nullptr;
    if (given == nullptr) throw std::bad_alloc();
    const auto first = reinterpret_cast<std::uintptr_t>(given) + sizeof(void*);
    auto* data = reinterpret_cast<void*>((first + kAlignment - 1) / kAlignment * kAlignment);
    static_cast<void**>(data)[-1] = given;
    return {data, data, &free_block, c10::kCPU};
  }
  static void free_block(void* data) {
    if (data != nullptr) std::free(static_cast<void**>(data)[-1]);
  }
};

}  // namespace

void keep_tensor_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
#endif
  static TensorAllocator allocator;
  constexpr std::uint8_t kOverDefault = 1;
  c10::SetAllocator(c10::kCPU, &allocator, kOverDefault);
}

}  // namespace scdcf::app
