// Fibers, barriers and a malloc-backed CUDA runtime for primitives.cuh of this folder.
#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scdcf/ops/cuda/machine/hopper.cuh"

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
cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int v, size_t width, size_t height, cudaStream_t) {
  for (size_t i = 0; i < height; ++i) std::memset(static_cast<char*>(p) + i * pitch, v, width);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t) {
  for (size_t i = 0; i < height; ++i)
    std::memcpy(static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, width);
  return cudaSuccess;
}
// Every launch has ended when it returns: streams are all the same.
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "emulated"; }
}

// ---- cuBLAS: by columns, sums in double -----------------------------------------------------------------------------

namespace {

double number_at(const void* p, cudaDataType_t type, int64_t i, bool tf32) {
  using namespace scdcf::ops::cuda;
  if (type == CUDA_R_64F) return static_cast<const double*>(p)[i];
  if (type == CUDA_R_16BF) return __bfloat162float(static_cast<const bf16*>(p)[i]);
  const float x = static_cast<const float*>(p)[i];
  return tf32 ? bits_to_float(round_tf32(x)) : x;
}

void put_number(void* p, cudaDataType_t type, int64_t i, double x) {
  if (type == CUDA_R_64F)
    static_cast<double*>(p)[i] = x;
  else if (type == CUDA_R_16BF)
    static_cast<scdcf::ops::cuda::bf16*>(p)[i] = __float2bfloat16(static_cast<float>(x));
  else
    static_cast<float*>(p)[i] = static_cast<float>(x);
}

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  static int anything;
  *handle = reinterpret_cast<cublasHandle_t>(&anything);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t* mode) {
  *mode = CUBLAS_DEFAULT_MATH;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t left, cublasOperation_t right, int m, int n, int k,
                            const void* alpha, const void* a, cudaDataType_t a_type, int lda, const void* b,
                            cudaDataType_t b_type, int ldb, const void* beta, void* c, cudaDataType_t c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const cudaDataType_t scalar = compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F;
  const double times = number_at(alpha, scalar, 0, false), keep = number_at(beta, scalar, 0, false);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += number_at(a, a_type, left == CUBLAS_OP_N ? l * lda + i : i * lda + l, tf32) *
               number_at(b, b_type, right == CUBLAS_OP_N ? j * ldb + l : l * ldb + j, tf32);
      const int64_t at = j * ldc + i;
      put_number(c, c_type, at, times * sum + (keep != 0 ? keep * number_at(c, c_type, at, false) : 0));
    }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t left, cublasOperation_t right, int m,
                                          int n, int k, const void* alpha, const void* a, cudaDataType_t a_type,
                                          int lda, long long a_step, const void* b, cudaDataType_t b_type, int ldb,
                                          long long b_step, const void* beta, void* c, cudaDataType_t c_type, int ldc,
                                          long long c_step, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm) {
  const auto bytes = [](cudaDataType_t type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; };
  for (int i = 0; i < count; ++i)
    cublasGemmEx(handle, left, right, m, n, k, alpha, static_cast<const char*>(a) + i * a_step * bytes(a_type), a_type,
                 lda, static_cast<const char*>(b) + i * b_step * bytes(b_type), b_type, ldb, beta,
                 static_cast<char*>(c) + i * c_step * bytes(c_type), c_type, ldc, compute, algorithm);
  return CUBLAS_STATUS_SUCCESS;
}
