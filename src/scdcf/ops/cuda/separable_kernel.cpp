// Chooses how each step of a call is done: the form that takes the problem and the least time by the model of
// form_cost.h.
//
//   form      what it takes                                          files
//   lifting   1 to 4 channels in, one plane a scale; both passes     lifting.h
//             and the mix in one block; always, where it can
//   streamed  TF32 and bfloat16 on Hopper: products of warpgroups;   streamed.h, streamed_gradient.h
//             forward and gradient of the input on maps up to 28
//             lines, gradient of the mixing on any; 16-bit operands
//   chained   TF32, bfloat16 and float32, sm_80 up: everything       chained.h
//             between the maps on chip, 16-bit operands
//   expanded  everything: the passes to memory, the mix by cuBLAS    expanded.h
#include "scdcf/ops/cuda/separable_kernel.h"

#include <algorithm>

#include "scdcf/ops/cuda/chained/chained.h"
#include "scdcf/ops/cuda/expanded/expanded.h"
#include "scdcf/ops/cuda/form_cost.h"
#include "scdcf/ops/cuda/lifting/lifting.h"
#include "scdcf/ops/cuda/machine/device_limits.h"
#include "scdcf/ops/cuda/machine/side_stream.h"
#include "scdcf/ops/cuda/plan_cache.h"
#include "scdcf/ops/cuda/streamed/streamed.h"
#include "scdcf/ops/cuda/streamed/streamed_gradient.h"

namespace scdcf::ops::cuda {
namespace {

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

constexpr size_t kMagnitudeBytes = 256;  // in front of the workspace of streamed and chained kernels

enum class Family { lifting, streamed, chained, expanded };
constexpr const char* kFamilyNames[] = {"lifting", "streamed", "chained", "expanded"};

bool may_lift(DataType type) { return type != DataType::float64 && forced_form() != ForcedForm::expanded; }

/// Of the families that can do a step, the one that is asked for or else the fastest.
Family choose_family(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step, bool streamed,
                     bool chained) {
  const ForcedForm forced = forced_form();
  if (forced == ForcedForm::expanded) return Family::expanded;
  if (forced == ForcedForm::streamed && streamed) return Family::streamed;
  if (forced != ForcedForm::none && chained) return Family::chained;
  Family best = Family::expanded;
  double least = expanded_milliseconds(p, type, precision, step);
  const auto consider = [&](Family family, double milliseconds) {
    if (milliseconds < least) best = family, least = milliseconds;
  };
  if (streamed) consider(Family::streamed, streamed_milliseconds(p, type, step));
  // A fifth better than the streamed kernels where there are several taps, as in the layers that these were tuned on.
  const double margin = best == Family::streamed && p.source_count > p.scale_count ? 1.2 : 1.0;
  if (chained) consider(Family::chained, margin * chained_milliseconds(p, type, precision, step));
  return best;
}

/// Whether a family keeps everything between the maps on chip.
bool is_on_chip(Family family) { return family == Family::streamed || family == Family::chained; }

/// Whether a family's kernels want to know how large numbers are.
bool is_scaled(Family family, DataType type) { return type == DataType::float32 && is_on_chip(family); }

/// The plans of one problem; the workspace query and the launch make the same choice from them.
struct ForwardChoice {
  Family family = Family::lifting;
  StreamedPlan streamed{};
  ChainedPlan chained{};
  LiftingPlan lifting{};
  ExpandedPlan expanded{};
  ForwardChoice(const DeviceProblem& p, DataType type, Precision precision, bool forward) {
    if (forward && may_lift(type) && plan_lifting(p, false, lifting)) return;
    const ExpandedStep step = forward ? ExpandedStep::forward : ExpandedStep::grad_in;
    const bool streams = plan_streamed(p, forward, type, precision, streamed);
    family = choose_family(p, type, precision, step, streams, plan_chained(p, forward, type, precision, chained));
    if (family == Family::expanded) expanded = plan_expanded(p, type, precision, step);
  }
  size_t workspace(const DeviceProblem& p) const {
    if (family == Family::streamed) return aligned(streamed.operand_bytes(p));
    if (family == Family::chained) return bank_bytes(p) + aligned(chained.packed_bytes(p.mixings));
    return family == Family::expanded ? expanded.workspace() : 0;
  }
  size_t bank_bytes(const DeviceProblem& p) const { return aligned(chained.bank_bytes(p.scale_count)); }
  /// By streamed or chained kernels.
  void run(const DeviceProblem& p, bool forward, const void* source, const float* factors, const float* mixing,
           void* target, const Magnitudes* magnitudes, char* space, DataType type, cudaStream_t stream) const {
    if (family == Family::chained)
      return run_chained(p, chained, forward, source, factors, mixing, target, reinterpret_cast<uint4*>(space),
                         reinterpret_cast<uint4*>(space + bank_bytes(p)), magnitudes, type, stream);
    const StreamedOperands operands(p, streamed, space);
    build_streamed_operands(p, streamed, forward, factors, mixing, operands, magnitudes, type, stream);
    run_streamed(streamed, forward, source, operands, target, magnitudes, type, stream);
  }
};

struct GradientChoice {
  Family family = Family::lifting;
  StreamedGradientPlan streamed{};
  ChainedGradientPlan chained{};
  LiftingPlan lifting{};
  ExpandedPlan expanded{};
  GradientChoice(const DeviceProblem& p, DataType type, Precision precision) {
    if (may_lift(type) && plan_lifting(p, true, lifting)) return;
    constexpr ExpandedStep step = ExpandedStep::grad_mixing;
    const bool streams = plan_streamed_gradient(p, type, precision, streamed);
    family = choose_family(p, type, precision, step, streams, plan_chained_gradient(p, type, precision, chained));
    if (family == Family::expanded) expanded = plan_expanded(p, type, precision, step);
  }
  size_t workspace(const DeviceProblem& p) const {
    if (family == Family::streamed)
      return streamed_row_bytes(p) + streamed_column_bytes(p) + aligned(4 * streamed.partial_floats());
    if (family == Family::chained) return bank_bytes(p) + aligned(4 * chained.partial_floats());
    return family == Family::expanded ? expanded.workspace() : aligned(lifting.partial_floats(p.in_channels) * 4);
  }
  size_t bank_bytes(const DeviceProblem& p) const { return aligned(chained.bank_bytes(p.scale_count)); }
  size_t streamed_row_bytes(const DeviceProblem& p) const { return aligned(streamed.mixing.rows.bytes(p.scale_count)); }
  size_t streamed_column_bytes(const DeviceProblem& p) const {
    return aligned(streamed.mixing.columns.bytes(p.scale_count));
  }
  /// By streamed or chained kernels.
  void run(const DeviceProblem& p, const void* in, const float* factors, const void* grad_out, float* grad_mixing,
           const Magnitudes* magnitudes, char* space, DataType type, cudaStream_t stream) const {
    if (family == Family::chained)
      return run_chained_gradient(p, chained, in, factors, grad_out, grad_mixing, reinterpret_cast<uint4*>(space),
                                  reinterpret_cast<float*>(space + bank_bytes(p)), magnitudes, type, stream);
    auto* rows = reinterpret_cast<uint4*>(space);
    auto* columns = reinterpret_cast<uint4*>(space + streamed_row_bytes(p));
    auto* partial = reinterpret_cast<float*>(space + streamed_row_bytes(p) + streamed_column_bytes(p));
    run_streamed_gradient(p, streamed, in, factors, grad_out, rows, columns, partial, grad_mixing, magnitudes, type,
                          stream);
  }
};

/// The choice for a problem on this device. It is searched for, so it is made once and kept.
template <class Choice, class... Arguments>
std::shared_ptr<const Choice> choose(const DeviceProblem& p, Arguments... arguments) {
  static PlanCache<Choice> cache;
  return cache.find(plan_key(current_device(), p, arguments...), [&] { return Choice(p, arguments...); });
}

/// With what the kernels on chip want to know in front.
template <class Choice>
size_t workspace_of(const Choice& choice, const DeviceProblem& p) {
  return (is_on_chip(choice.family) ? kMagnitudeBytes : 0) + choice.workspace(p);
}

}  // namespace

size_t forward_workspace(const SeparableProblem& problem, DataType type, Precision precision) {
  const DeviceProblem p = make_device_problem(problem);
  return Counts(p).trivial() ? 0 : workspace_of(*choose<ForwardChoice>(p, type, precision, true), p);
}

size_t backward_workspace(const SeparableProblem& problem, DataType type, Precision precision, bool grad_in,
                          bool grad_mixing) {
  const DeviceProblem p = make_device_problem(problem);
  if (Counts(p).trivial()) return 0;
  const auto to_in = choose<ForwardChoice>(p, type, precision, false);
  const auto to_mixing = choose<GradientChoice>(p, type, precision);
  if (grad_in && grad_mixing && is_on_chip(to_in->family) && is_on_chip(to_mixing->family))  // side by side
    return kMagnitudeBytes + to_in->workspace(p) + to_mixing->workspace(p);
  // One gradient after the other, in the same memory.
  return std::max(grad_in ? workspace_of(*to_in, p) : 0, grad_mixing ? workspace_of(*to_mixing, p) : 0);
}

void forward(const SeparableProblem& problem, const void* in, const void* factors, const void* mixing, void* out,
             void* workspace, DataType type, Precision precision, cudaStream_t stream, cublasHandle_t blas) {
  const DeviceProblem p = make_device_problem(problem);
  const Counts counts(p);
  if (counts.trivial()) return clear(out, counts.out * element_size(type), stream);
  const auto choice = choose<ForwardChoice>(p, type, precision, true);
  require(in && factors && mixing && out && (workspace || workspace_of(*choice, p) == 0),
          "CUDA: forward: got a null pointer, expected memory");
  const auto* f = static_cast<const float*>(factors);
  const auto* m = static_cast<const float*>(mixing);
  if (choice->family == Family::lifting)
    return lifting_forward(p, choice->lifting, in, f, m, out, type, precision, stream);
  if (choice->family == Family::expanded)
    return expanded_forward(p, choice->expanded, in, factors, mixing, out, workspace, {type, precision, stream, blas});
  auto* magnitudes = static_cast<Magnitudes*>(workspace);
  if (is_scaled(choice->family, type))
    measure_magnitudes(p, static_cast<const float*>(in), nullptr, f, m, magnitudes, stream);
  choice->run(p, true, in, f, m, out, magnitudes, static_cast<char*>(workspace) + kMagnitudeBytes, type, stream);
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
  const auto to_in = grad_in ? choose<ForwardChoice>(p, type, precision, false) : nullptr;
  const auto to_mixing = grad_mixing ? choose<GradientChoice>(p, type, precision) : nullptr;
  require(space || ((!to_in || workspace_of(*to_in, p) == 0) && (!to_mixing || workspace_of(*to_mixing, p) == 0)),
          "CUDA: backward: got a null workspace, expected memory");
  const bool in_on_chip = to_in && is_on_chip(to_in->family),
             mixing_on_chip = to_mixing && is_on_chip(to_mixing->family);
  // Other forms write all over the workspace, so what the kernels on chip want to know comes after them.
  if (to_in && !in_on_chip)
    expanded_grad_in(p, to_in->expanded, grad_out, factors, mixing, grad_in, space, {type, precision, stream, blas});
  auto* magnitudes = reinterpret_cast<Magnitudes*>(space);
  if ((in_on_chip && is_scaled(to_in->family, type)) || (mixing_on_chip && is_scaled(to_mixing->family, type)))
    measure_magnitudes(p, mixing_on_chip ? static_cast<const float*>(in) : nullptr, static_cast<const float*>(grad_out),
                       f, m, magnitudes, stream);
  char* of_in = space + kMagnitudeBytes;
  auto* result = static_cast<float*>(grad_mixing);
  if (in_on_chip && mixing_on_chip) {
    const SideStream side(stream);
    to_mixing->run(p, in, f, grad_out, result, magnitudes, of_in + to_in->workspace(p), type, side.stream());
    to_in->run(p, false, grad_out, f, m, grad_in, magnitudes, of_in, type, stream);
    return side.join();
  }
  if (in_on_chip) to_in->run(p, false, grad_out, f, m, grad_in, magnitudes, of_in, type, stream);
  if (!to_mixing) return;
  if (to_mixing->family == Family::lifting)
    lifting_grad_mixing(p, to_mixing->lifting, in, f, grad_out, reinterpret_cast<float*>(space), result, type,
                        precision, stream);
  else if (to_mixing->family == Family::expanded)
    expanded_grad_mixing(p, to_mixing->expanded, in, factors, grad_out, grad_mixing, space,
                         {type, precision, stream, blas});
  else
    to_mixing->run(p, in, f, grad_out, result, magnitudes, of_in, type, stream);
}

std::string forms(const SeparableProblem& problem, DataType type, Precision precision) {
  const DeviceProblem p = make_device_problem(problem);
  if (Counts(p).trivial()) return "-";
  const auto name = [](Family family) { return std::string(kFamilyNames[static_cast<int>(family)]); };
  return name(choose<ForwardChoice>(p, type, precision, true)->family) + "/" +
         name(choose<ForwardChoice>(p, type, precision, false)->family) + "/" +
         name(choose<GradientChoice>(p, type, precision)->family);
}

}  // namespace scdcf::ops::cuda
