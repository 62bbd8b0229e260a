// Chooses how each step of a call is done: by the first of these families that takes the problem, or in the expanded
// form, which takes every problem and is chosen where no family does or where it is faster (form_cost.h).
//
//   form      what it takes                                          files
//   lifting   1 to 4 channels in, one plane a scale; both passes     lifting.h
//             and the mix in one block
//   streamed  TF32 on Hopper: products of warpgroups; forward and    streamed.h, streamed_gradient.h
//             gradient of the input on maps up to 28 lines,
//             gradient of the mixing on any
//   tiled     TF32, bfloat16 and float32 (3xTF32), sm_80 up: both    fused.h, mixing_gradient.h
//             passes and the product in one block
//   expanded  everything: the passes to memory, the mix by cuBLAS    expanded.h
//   shared    both gradients in TF32 or bfloat16, from one           shared_backward.h
//             expansion of the gradient of the output
#include "scdcf/ops/cuda/separable_kernel.h"

#include <algorithm>

#include "scdcf/ops/cuda/device_limits.h"
#include "scdcf/ops/cuda/form_cost.h"
#include "scdcf/ops/cuda/fused.h"
#include "scdcf/ops/cuda/lifting.h"
#include "scdcf/ops/cuda/mixing_gradient.h"
#include "scdcf/ops/cuda/plan_cache.h"
#include "scdcf/ops/cuda/shared_backward.h"
#include "scdcf/ops/cuda/streamed.h"
#include "scdcf/ops/cuda/streamed_gradient.h"

namespace scdcf::ops::cuda {
namespace {

bool is_exact(DataType type, Precision precision) { return type == DataType::float32 && precision == Precision::fp32; }

struct Counts {
  int64_t in, out, mixing;
  explicit Counts(const DeviceProblem& p)
      : in(int64_t(p.batch) * p.planes * p.in_height * p.in_width * p.in_channels),
        out(int64_t(p.batch) * p.scale_count * p.out_height * p.out_width * p.out_channels),
        mixing(int64_t(p.mixings) * p.mode_count * p.in_channels * p.out_channels) {}
  bool trivial() const { return in == 0 || out == 0 || mixing == 0; }  // every result is zero or empty
};

void clear(void* pointer, int64_t bytes, cudaStream_t stream) {
  if (bytes > 0) check(cudaMemsetAsync(pointer, 0, static_cast<size_t>(bytes), stream), "clear");
}

enum class Family { lifting, streamed, tiled, expanded };
constexpr const char* kFamilyNames[] = {"lifting", "streamed", "tiled", "expanded"};

/// The plans of one problem; the workspace query and the launch make the same choice from them.
struct ForwardChoice {
  Family family = Family::expanded;
  StreamedPlan streamed{};
  FusedPlan fused{};
  LiftingPlan lifting{};
  ExpandedPlan expanded{};
  ForwardChoice(const DeviceProblem& p, DataType type, Precision precision, bool forward) {
    const ExpandedStep step = forward ? ExpandedStep::forward : ExpandedStep::grad_in;
    if (type != DataType::float64) choose_family(p, type, precision, forward);
    if (family == Family::lifting ? (forced_form() == ForcedForm::expanded || forced_form() == ForcedForm::shared)
                                  : family != Family::expanded && takes_expanded(p, type, precision, kind(), step))
      family = Family::expanded;
    if (family == Family::expanded) expanded = plan_expanded(p, type, precision, step);
  }
  FamilyKind kind() const { return family == Family::streamed ? FamilyKind::streamed : FamilyKind::tiled; }
  void choose_family(const DeviceProblem& p, DataType type, Precision precision, bool forward) {
    if (forward && plan_lifting(p, false, lifting))
      family = Family::lifting;
    else if (type == DataType::float32 && precision == Precision::tf32 && plan_streamed(p, forward, streamed))
      family = Family::streamed;
    else if (plan_fused(p, forward, element_size(type), fused))
      family = Family::tiled;
  }
  bool has_workspace() const { return family == Family::tiled || family == Family::streamed; }  // that packs operands
  size_t workspace(const DeviceProblem& p, DataType type) const {
    if (family == Family::expanded) return expanded.workspace();
    return has_workspace() ? packed_bytes(p, type) + first_bytes(p) + second_bytes(p) : 0;
  }
  size_t packed_bytes(const DeviceProblem& p, DataType type) const {
    return aligned(family == Family::streamed ? streamed.packed_bytes(p.mixings)
                                              : fused.packed_words(p.mixings, element_size(type)) * 4);
  }
  size_t first_bytes(const DeviceProblem& p) const {
    return aligned((family == Family::streamed ? streamed.first : fused.first).bytes(p.scale_count));
  }
  size_t second_bytes(const DeviceProblem& p) const {
    return aligned(family == Family::streamed ? streamed.second_bytes(p.scale_count)
                                              : fused.second.bytes(p.scale_count));
  }
  void run(const DeviceProblem& p, bool forward, const void* source, const float* factors, const float* mixing,
           void* target, void* workspace, DataType type, Precision precision, cudaStream_t stream) const {
    auto* packed = static_cast<uint32_t*>(workspace);
    auto* first = reinterpret_cast<float4*>(static_cast<char*>(workspace) + packed_bytes(p, type));
    auto* second = first + first_bytes(p) / sizeof(float4);
    const bool exact = is_exact(type, precision);
    if (family == Family::streamed) {
      build_bank(p, streamed.first, forward, factors, first, false, stream);
      build_streamed_operands(p, streamed, forward, factors, mixing, second, packed, stream);
      return run_streamed(streamed, static_cast<const float*>(source), first, second, packed,
                          static_cast<float*>(target), stream);
    }
    build_bank(p, fused.first, forward, factors, first, exact, stream);
    build_bank(p, fused.second, !forward, factors, second, exact, stream);
    pack_mixing(p, fused, forward, mixing, packed, type, precision, stream);
    run_fused(fused, source, first, second, packed, target, type, precision, stream);
  }
};

struct GradientChoice {
  Family family = Family::expanded;
  StreamedGradientPlan streamed{};
  MixingPlan tiled{};
  LiftingPlan lifting{};
  ExpandedPlan expanded{};
  GradientChoice(const DeviceProblem& p, DataType type, Precision precision) {
    constexpr ExpandedStep step = ExpandedStep::grad_mixing;
    if (type != DataType::float64) choose_family(p, type, precision);
    if (family == Family::lifting ? (forced_form() == ForcedForm::expanded || forced_form() == ForcedForm::shared)
                                  : family != Family::expanded && takes_expanded(p, type, precision, kind(), step))
      family = Family::expanded;
    if (family == Family::expanded) expanded = plan_expanded(p, type, precision, step);
  }
  FamilyKind kind() const { return family == Family::streamed ? FamilyKind::streamed : FamilyKind::tiled; }
  void choose_family(const DeviceProblem& p, DataType type, Precision precision) {
    if (plan_lifting(p, true, lifting))
      family = Family::lifting;
    else if (type == DataType::float32 && precision == Precision::tf32 && plan_streamed_gradient(p, streamed))
      family = Family::streamed, tiled = streamed.mixing;
    else if (plan_mixing_gradient(p, element_size(type), tiled))
      family = Family::tiled;
  }
  bool has_banks() const { return family == Family::streamed || family == Family::tiled; }
  size_t workspace(const DeviceProblem& p) const {
    if (family == Family::expanded) return expanded.workspace();
    if (has_banks()) return partial_bytes() + row_bytes(p) + aligned(tiled.columns.bytes(p.scale_count));
    return family == Family::lifting ? aligned(lifting.partial_floats(p.in_channels) * 4) : 0;
  }
  size_t partial_bytes() const {
    return aligned(4 * (family == Family::streamed ? streamed.partial_floats() : tiled.partial_floats()));
  }
  size_t row_bytes(const DeviceProblem& p) const { return aligned(tiled.rows.bytes(p.scale_count)); }
  void run(const DeviceProblem& p, const void* in, const float* factors, const void* grad_out, float* grad_mixing,
           void* workspace, DataType type, Precision precision, cudaStream_t stream) const {
    auto* partial = static_cast<float*>(workspace);
    auto* rows = reinterpret_cast<float4*>(static_cast<char*>(workspace) + partial_bytes());
    auto* columns = rows + row_bytes(p) / sizeof(float4);
    build_bank(p, tiled.rows, true, factors, rows, is_exact(type, precision), stream);
    build_bank(p, tiled.columns, false, factors, columns, is_exact(type, precision), stream);
    if (family == Family::streamed)
      return run_streamed_gradient(p, streamed, static_cast<const float*>(in), rows, columns,
                                   static_cast<const float*>(grad_out), partial, grad_mixing, stream);
    run_mixing_gradient(p, tiled, in, rows, columns, grad_out, partial, grad_mixing, type, precision, stream);
  }
};

/// The choice for a problem on this device. It is searched for, so it is made once and kept.
template <class Choice, class... Arguments>
std::shared_ptr<const Choice> choose(const DeviceProblem& p, Arguments... arguments) {
  static PlanCache<Choice> cache;
  return cache.find(plan_key(current_device(), p, arguments...), [&] { return Choice(p, arguments...); });
}

/// Whether both gradients, where both are asked for, come from one expansion.
struct SharedChoice {
  bool taken = false;
  SharedPlan plan{};
  SharedChoice(const DeviceProblem& p, DataType type, Precision precision) {
    if (forced_form() != ForcedForm::none && forced_form() != ForcedForm::shared) return;
    const auto in = choose<ForwardChoice>(p, type, precision, false);
    const auto mixing = choose<GradientChoice>(p, type, precision);
    if (forced_form() == ForcedForm::none && mixing->family == Family::lifting) return;
    if (!plan_shared(p, type, precision, plan)) return;
    const auto milliseconds = [&](const auto& choice, ExpandedStep step) {
      return choice.family == Family::expanded ? expanded_milliseconds(p, type, precision, step)
                                               : family_milliseconds(p, type, precision, choice.kind(), step);
    };
    // A tenth better, since a layer of its own has been measured for neither.
    taken = forced_form() == ForcedForm::shared ||
            1.1 * shared_milliseconds(p, type, precision) <
                milliseconds(*in, ExpandedStep::grad_in) + milliseconds(*mixing, ExpandedStep::grad_mixing);
  }
};

}  // namespace

size_t forward_workspace(const SeparableProblem& problem, DataType type, Precision precision) {
  const DeviceProblem p = make_device_problem(problem);
  return Counts(p).trivial() ? 0 : choose<ForwardChoice>(p, type, precision, true)->workspace(p, type);
}

size_t backward_workspace(const SeparableProblem& problem, DataType type, Precision precision, bool grad_in,
                          bool grad_mixing) {
  const DeviceProblem p = make_device_problem(problem);
  if (Counts(p).trivial()) return 0;
  if (grad_in && grad_mixing) {
    const auto shared = choose<SharedChoice>(p, type, precision);
    if (shared->taken) return shared->plan.workspace();
  }
  // One gradient after the other, in the same memory.
  return std::max(grad_in ? choose<ForwardChoice>(p, type, precision, false)->workspace(p, type) : 0,
                  grad_mixing ? choose<GradientChoice>(p, type, precision)->workspace(p) : 0);
}

void forward(const SeparableProblem& problem, const void* in, const void* factors, const void* mixing, void* out,
             void* workspace, DataType type, Precision precision, cudaStream_t stream, cublasHandle_t blas) {
  const DeviceProblem p = make_device_problem(problem);
  const Counts counts(p);
  if (counts.trivial()) return clear(out, counts.out * element_size(type), stream);
  const auto choice = choose<ForwardChoice>(p, type, precision, true);
  require(in && factors && mixing && out && (workspace || choice->workspace(p, type) == 0),
          "CUDA: forward: got a null pointer, expected memory");
  const auto* f = static_cast<const float*>(factors);
  const auto* m = static_cast<const float*>(mixing);
  if (choice->family == Family::lifting)
    return lifting_forward(p, choice->lifting, in, f, m, out, type, precision, stream);
  if (choice->family == Family::expanded)
    return expanded_forward(p, choice->expanded, in, factors, mixing, out, workspace, {type, precision, stream, blas});
  choice->run(p, true, in, f, m, out, workspace, type, precision, stream);
}

void backward(const SeparableProblem& problem, const void* in, const void* factors, const void* mixing,
              const void* grad_out, void* grad_in, void* grad_mixing, void* workspace, DataType type,
              Precision precision, cudaStream_t stream, cublasHandle_t blas) {
  const DeviceProblem p = make_device_problem(problem);
  const Counts counts(p);
  if (counts.trivial()) {
    if (grad_in) clear(grad_in, counts.in * element_size(type), stream);
    if (grad_mixing) clear(grad_mixing, counts.mixing * sum_size(type), stream);
    return;
  }
  require(in && factors && mixing && grad_out, "CUDA: backward: got a null pointer, expected memory");
  const auto* f = static_cast<const float*>(factors);
  const auto* m = static_cast<const float*>(mixing);
  char* space = static_cast<char*>(workspace);
  if (grad_in && grad_mixing) {
    const auto shared = choose<SharedChoice>(p, type, precision);
    require(space || !shared->taken, "CUDA: backward: got a null workspace, expected memory");
    if (shared->taken)
      return shared_backward(p, shared->plan, in, factors, mixing, grad_out, grad_in, grad_mixing, space,
                             {type, precision, stream, blas});
  }
  if (grad_in) {
    const auto choice = choose<ForwardChoice>(p, type, precision, false);
    require(space || choice->workspace(p, type) == 0, "CUDA: backward: got a null workspace, expected memory");
    if (choice->family == Family::expanded)
      expanded_grad_in(p, choice->expanded, grad_out, factors, mixing, grad_in, space, {type, precision, stream, blas});
    else
      choice->run(p, false, grad_out, f, m, grad_in, space, type, precision, stream);
  }
  if (grad_mixing) {
    const auto choice = choose<GradientChoice>(p, type, precision);
    require(space || choice->workspace(p) == 0, "CUDA: backward: got a null workspace, expected memory");
    auto* result = static_cast<float*>(grad_mixing);
    if (choice->family == Family::lifting)
      lifting_grad_mixing(p, choice->lifting, in, f, grad_out, reinterpret_cast<float*>(space), result, type, precision,
                          stream);
    else if (choice->has_banks())
      choice->run(p, in, f, grad_out, result, space, type, precision, stream);
    else
      expanded_grad_mixing(p, choice->expanded, in, factors, grad_out, grad_mixing, space,
                           {type, precision, stream, blas});
  }
}

std::string forms(const SeparableProblem& problem, DataType type, Precision precision) {
  const DeviceProblem p = make_device_problem(problem);
  if (Counts(p).trivial()) return "-";
  const auto name = [](Family family) { return std::string(kFamilyNames[static_cast<int>(family)]); };
  return name(choose<ForwardChoice>(p, type, precision, true)->family) + "/" +
         (choose<SharedChoice>(p, type, precision)->taken
              ? "shared"
              : name(choose<ForwardChoice>(p, type, precision, false)->family) + "/" +
                    name(choose<GradientChoice>(p, type, precision)->family));
}

}  // namespace scdcf::ops::cuda
