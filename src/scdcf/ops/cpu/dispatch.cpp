#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "scdcf/ops/cpu/form.h"
#include "scdcf/ops/cpu/kernel_plan.h"
#include "scdcf/ops/cpu/kernel_table.h"
#include "scdcf/ops/cpu/separable_kernel.h"

namespace scdcf::ops::cpu {
namespace {

using detail::Form;
using detail::KernelSet;
using detail::Kind;
using detail::Plan;
using detail::PlanView;
using detail::Runner;
using detail::Workspace;

std::atomic<int32_t> forced_level{-1};

SimdLevel detect_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("fma")) {
    return SimdLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SimdLevel::avx2;
#endif
  return SimdLevel::baseline;
}

detail::KernelTable table_for(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return detail::avx512_kernels();
  if (level == SimdLevel::avx2) return detail::avx2_kernels();
#else
  static_cast<void>(level);
#endif
  return detail::baseline_kernels();
}

const KernelSet<float>& pick(const detail::KernelTable& table, float) { return table.float_kernels; }
const KernelSet<double>& pick(const detail::KernelTable& table, double) { return table.double_kernels; }

void run_on_host(void* host, int64_t count, void (*fn)(void*, int64_t), void* context) {
  const Parallel& parallel = *static_cast<const Parallel*>(host);
  parallel.run(count, [fn, context](int64_t index) { fn(context, index); });
}

Runner runner_for(const Parallel& parallel) {
  const int64_t threads = parallel.threads > 1 ? parallel.threads : 1;
  return {threads, const_cast<Parallel*>(&parallel), run_on_host};
}

struct Free {
  void operator()(void* pointer) const { std::free(pointer); }
};

/// One block for everything a call needs; arrays begin on cache lines.
template <class T>
class Memory {
 public:
  Memory(const PlanView<T>& plan, int64_t workers, bool packed, bool adjoint, bool partials) {
    const int64_t rows = plan.mixings * plan.modes;
    const int64_t sizes[4] = {packed ? line(rows * plan.channels * plan.padded_out_channels) : 0,
                              adjoint ? line(rows * plan.out_channels * plan.padded_channels) : 0,
                              workers * line(plan.scratch.total),
                              partials ? plan.chunks * line(rows * plan.channels * plan.padded_out_channels) : 0};
    const int64_t total = sizes[0] + sizes[1] + sizes[2] + sizes[3] + kLine;
    void* pointer = nullptr;
    if (posix_memalign(&pointer, 64, static_cast<size_t>(total) * sizeof(T)) != 0) throw std::bad_alloc();
    block_.reset(static_cast<T*>(pointer));
    workspace_.packed = block_.get();
    workspace_.packed_adjoint = workspace_.packed + sizes[0];
    workspace_.scratch = workspace_.packed_adjoint + sizes[1];
    workspace_.partials = workspace_.scratch + sizes[2];
  }
  const Workspace<T>& workspace() const { return workspace_; }

 private:
  static constexpr int64_t kLine = 64 / sizeof(T);
  static int64_t line(int64_t elements) { return (elements + kLine - 1) / kLine * kLine; }
  std::unique_ptr<T, Free> block_;
  Workspace<T> workspace_{};
};

template <class T>
void clear(T* data, int64_t count) {
  if (data != nullptr && count > 0) std::memset(data, 0, static_cast<size_t>(count) * sizeof(T));
}

/// Nothing to sum: every output is zero (and there may be none).
bool is_empty(const SeparableProblem& p) {
  return p.batch == 0 || p.in_channels == 0 || p.out_channels == 0 || p.in_height == 0 || p.in_width == 0 ||
         p.out_height == 0 || p.out_width == 0 || p.modes.empty() || p.scales.empty() || p.sources.empty();
}

template <class T>
void forward_any(const SeparableProblem& problem, const T* in, const T* factors, const T* mixing, T* out,
                 const Parallel& parallel) {
  if (is_empty(problem)) {
    clear(out, problem.batch * static_cast<int64_t>(problem.scales.size()) * problem.out_height * problem.out_width *
                   problem.out_channels);
    return;
  }
  const detail::KernelTable table = detail::active_kernels();
  const KernelSet<T>& kernels = pick(table, T());
  const Runner runner = runner_for(parallel);
  const Form form = detail::choose_form(problem, {true, false}, kernels.lanes);
  const Kind kind = form == Form::thin ? Kind::thin_forward : form == Form::lanes ? Kind::lanes_forward : Kind::forward;
  const Plan<T> plan(problem, factors, kind, kernels.lanes, static_cast<int>(runner.workers));
  const Memory<T> memory(plan.view(), runner.workers, true, false, false);
  const auto run = form == Form::thin    ? kernels.thin_forward
                   : form == Form::lanes ? kernels.lanes_forward
                                         : kernels.forward;
  run(plan.view(), in, mixing, out, memory.workspace(), runner);
}

template <class T>
void backward_any(const SeparableProblem& problem, const T* in, const T* factors, const T* mixing, const T* grad_out,
                  T* grad_in, T* grad_mixing, const Parallel& parallel) {
  if (is_empty(problem)) {
    clear(grad_in, problem.batch * problem.planes * problem.in_height * problem.in_width * problem.in_channels);
    clear(grad_mixing,
          problem.mixings * static_cast<int64_t>(problem.modes.size()) * problem.in_channels * problem.out_channels);
    return;
  }
  const detail::KernelTable table = detail::active_kernels();
  const KernelSet<T>& kernels = pick(table, T());
  const Runner runner = runner_for(parallel);
  const int threads = static_cast<int>(runner.workers);
  Form form = detail::choose_form(problem, {grad_mixing != nullptr, grad_in != nullptr}, kernels.lanes);
  if (form == Form::thin) {
    const Plan<T> plan(problem, factors, Kind::thin_backward, kernels.lanes, threads);
    const Memory<T> memory(plan.view(), runner.workers, false, false, true);
    kernels.thin_backward(plan.view(), in, grad_out, grad_mixing, memory.workspace(), runner);
    // The gradient of a thin input goes another way: it needs A maps per output channel whatever the order.
    grad_mixing = nullptr;
    form = detail::choose_form(problem, {false, true}, kernels.lanes);
  }
  if (grad_in == nullptr && grad_mixing == nullptr) return;
  const bool lanes = form == Form::lanes;
  const Plan<T> plan(problem, factors, lanes ? Kind::lanes_backward : Kind::backward, kernels.lanes, threads);
  const Memory<T> memory(plan.view(), runner.workers, false, grad_in != nullptr, grad_mixing != nullptr);
  (lanes ? kernels.lanes_backward : kernels.backward)(plan.view(), in, mixing, grad_out, grad_in, grad_mixing,
                                                      memory.workspace(), runner);
}

}  // namespace

detail::KernelTable detail::active_kernels() { return table_for(simd_level()); }

Parallel Parallel::serial() {
  return {1, [](int64_t count, const std::function<void(int64_t)>& fn) {
            for (int64_t i = 0; i < count; ++i) fn(i);
          }};
}

SimdLevel best_simd_level() {
  static const SimdLevel level = detect_level();
  return level;
}

SimdLevel simd_level() {
  const int32_t forced = forced_level.load(std::memory_order_relaxed);
  return forced < 0 ? best_simd_level() : static_cast<SimdLevel>(forced);
}

void set_simd_level(SimdLevel level) {
  if (level < SimdLevel::baseline || level > best_simd_level()) {
    throw std::invalid_argument(std::string("set_simd_level: this processor supports ") +
                                simd_level_name(best_simd_level()) + ", got " + simd_level_name(level));
  }
  forced_level.store(static_cast<int32_t>(level), std::memory_order_relaxed);
}

const char* simd_level_name(SimdLevel level) {
  return level == SimdLevel::avx512 ? "AVX-512" : level == SimdLevel::avx2 ? "AVX2" : "baseline";
}

void forward(const SeparableProblem& problem, const float* in, const float* factors, const float* mixing, float* out,
             const Parallel& parallel) {
  forward_any(problem, in, factors, mixing, out, parallel);
}

void forward(const SeparableProblem& problem, const double* in, const double* factors, const double* mixing,
             double* out, const Parallel& parallel) {
  forward_any(problem, in, factors, mixing, out, parallel);
}

void backward(const SeparableProblem& problem, const float* in, const float* factors, const float* mixing,
              const float* grad_out, float* grad_in, float* grad_mixing, const Parallel& parallel) {
  backward_any(problem, in, factors, mixing, grad_out, grad_in, grad_mixing, parallel);
}

void backward(const SeparableProblem& problem, const double* in, const double* factors, const double* mixing,
              const double* grad_out, double* grad_in, double* grad_mixing, const Parallel& parallel) {
  backward_any(problem, in, factors, mixing, grad_out, grad_in, grad_mixing, parallel);
}

}  // namespace scdcf::ops::cpu
