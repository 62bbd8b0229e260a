#include "scdcf/ops/cuda/expanded/expanded.h"

#include <algorithm>

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/expanded/products.h"
#include "scdcf/ops/cuda/expanded/stack_mixing.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

/// The mixing matrices, one slot each and in their order: nothing to stack.
bool is_plain(const DeviceProblem& p, const ExpandedLayout& layout) {
  if (layout.slot_count != p.mixings) return false;
  for (int i = 0; i < layout.slot_count; ++i)
    if (layout.slot_mixing[i] != i) return false;
  return true;
}

struct Workspace {
  char *expanded, *stacks, *gathered, *banks;
  Workspace(const ExpandedPlan& plan, void* memory)
      : expanded(static_cast<char*>(memory)),
        stacks(expanded + plan.expanded_bytes),
        gathered(stacks + plan.stack_bytes),
        banks(gathered + plan.gathered_bytes) {}
};

/// Calls body(first image, images) for every chunk.
template <class Body>
void for_chunks(const DeviceProblem& p, const ExpandedPlan& plan, const Body& body) {
  for (int first = 0; first < p.batch; first += plan.images) body(first, std::min(plan.images, p.batch - first));
}

/// The part of one group in a chunk: its pixels are those of its scales of an image, then those of the next. A single
/// group has the whole maps, and so one product for all images.
struct GroupPart {
  int64_t rows, depth, count;    // count: images, where each has a product of its own
  int64_t map_step;              // numbers from image to image
  int64_t expanded, map, stack;  // where it begins, in numbers

  GroupPart(const DeviceProblem& p, const ExpandedPlan& plan, const ScaleGroup& g, int first, int images) {
    const int64_t pixels = int64_t(p.out_height) * p.out_width;
    const bool whole = plan.layout.group_count == 1;
    rows = (g.scale_end - g.scale_begin) * pixels * (whole ? images : 1), count = whole ? 1 : images;
    depth = plan.layout.depth(p, g);
    map_step = p.scale_count * pixels * p.out_channels;
    expanded = g.numbers_before * images;
    map = first * map_step + g.scale_begin * pixels * p.out_channels;
    stack = int64_t(g.slot) * p.mode_count * p.in_channels * p.out_channels;
  }
};

/// The stacks as products read them: the mixing matrices themselves, where they can be.
const char* stacks_of(const DeviceProblem& p, const ExpandedPlan& plan, const void* mixing, const Workspace& space,
                      const ExpandedRun& run) {
  if (!plan.stacked) return static_cast<const char*>(mixing);
  stack_mixing(p, plan.layout, mixing, space.stacks, run.type, run.stream);
  return space.stacks;
}

}  // namespace

int images_of_chunk(int batch, int64_t image_bytes) {
  const auto most = std::clamp<int64_t>(kMostExpandedBytes / std::max<int64_t>(1, image_bytes), 1, std::max(1, batch));
  // Chunks of one size: the last is not much smaller than the others.
  return static_cast<int>(divide_up(batch, divide_up(batch, most)));
}

ExpandedPlan plan_expanded(const DeviceProblem& p, DataType type, Precision precision, ExpandedStep step) {
  ExpandedPlan plan{};
  plan.step = step;
  plan.layout = make_expanded_layout(p);
  plan.passes = plan_passes(p, type, precision, step == ExpandedStep::grad_in);
  const bool gradient = step == ExpandedStep::grad_mixing;
  const int64_t size = element_size(type), image_bytes = std::max<int64_t>(1, plan.layout.image_numbers * size);
  plan.images = images_of_chunk(p.batch, image_bytes);
  plan.stacked = !is_plain(p, plan.layout) || (type == DataType::bfloat16 && !gradient);
  plan.expanded_bytes = aligned(plan.images * image_bytes);
  if (plan.stacked)
    plan.stack_bytes = aligned(int64_t(plan.layout.slot_count) * p.mode_count * p.in_channels * p.out_channels *
                               (gradient ? sum_size(type) : size));
  if (gradient && plan.layout.group_count > 1) {
    int most = 0;
    for (int i = 0; i < plan.layout.group_count; ++i)
      most = std::max(most, plan.layout.groups[i].scale_end - plan.layout.groups[i].scale_begin);
    plan.gathered_bytes = aligned(int64_t(plan.images) * most * p.out_height * p.out_width * p.out_channels * size);
  }
  return plan;
}

void expanded_forward(const DeviceProblem& p, const ExpandedPlan& plan, const void* in, const void* factors,
                      const void* mixing, void* out, void* workspace, const ExpandedRun& run) {
  const Workspace space(plan, workspace);
  const Products products(run.blas, run.type, run.precision);
  const PassRunner passes(p, plan.passes, factors, space.banks, run.type, run.stream);
  const int64_t size = element_size(run.type);
  const char* stacks = stacks_of(p, plan, mixing, space, run);
  for_chunks(p, plan, [&](int first, int images) {
    passes.expand(plan.layout.places(p, images), in, space.expanded, first, images);
    for (int i = 0; i < plan.layout.group_count; ++i) {
      const GroupPart part(p, plan, plan.layout.groups[i], first, images);
      char* map = static_cast<char*>(out) + part.map * size;
      if (part.depth > 0)
        products.forward(part.rows, part.depth, p.out_channels, space.expanded + part.expanded * size,
                         stacks + part.stack * size, map, part.count, part.map_step);
      else  // scales that read nothing
        check(cudaMemset2DAsync(map, static_cast<size_t>(part.map_step * size), 0,
                                static_cast<size_t>(part.rows * p.out_channels * size), static_cast<size_t>(part.count),
                                run.stream),
              "clear");
    }
  });
}

void expanded_grad_in(const DeviceProblem& p, const ExpandedPlan& plan, const void* grad_out, const void* factors,
                      const void* mixing, void* grad_in, void* workspace, const ExpandedRun& run) {
  const Workspace space(plan, workspace);
  const Products products(run.blas, run.type, run.precision);
  const PassRunner passes(p, plan.passes, factors, space.banks, run.type, run.stream);
  const int64_t size = element_size(run.type);
  const char* stacks = stacks_of(p, plan, mixing, space, run);
  for_chunks(p, plan, [&](int first, int images) {
    for (int i = 0; i < plan.layout.group_count; ++i) {
      const GroupPart part(p, plan, plan.layout.groups[i], first, images);
      if (part.depth > 0)
        products.adjoint(part.rows, part.depth, p.out_channels, static_cast<const char*>(grad_out) + part.map * size,
                         stacks + part.stack * size, space.expanded + part.expanded * size, part.count, part.map_step);
    }
    passes.collect(plan.layout.places(p, images), space.expanded, grad_in, first, images);
  });
}

void expanded_grad_mixing(const DeviceProblem& p, const ExpandedPlan& plan, const void* in, const void* factors,
                          const void* grad_out, void* grad_mixing, void* workspace, const ExpandedRun& run) {
  const Workspace space(plan, workspace);
  const Products products(run.blas, run.type, run.precision);
  const PassRunner passes(p, plan.passes, factors, space.banks, run.type, run.stream);
  const int64_t size = element_size(run.type);
  char* stacks = plan.stacked ? space.stacks : static_cast<char*>(grad_mixing);
  for_chunks(p, plan, [&](int first, int images) {
    passes.expand(plan.layout.places(p, images), in, space.expanded, first, images);
    for (int i = 0; i < plan.layout.group_count; ++i) {
      const GroupPart part(p, plan, plan.layout.groups[i], first, images);
      if (part.depth == 0) continue;
      const char* map = static_cast<const char*>(grad_out) + part.map * size;
      if (part.count > 1) {  // one product needs its pixels without gaps
        const auto bytes = static_cast<size_t>(part.rows * p.out_channels * size);
        check(cudaMemcpy2DAsync(space.gathered, bytes, map, static_cast<size_t>(part.map_step * size), bytes,
                                static_cast<size_t>(part.count), cudaMemcpyDeviceToDevice, run.stream),
              "gather");
        map = space.gathered;
      }
      products.gradient(part.rows * part.count, part.depth, p.out_channels, space.expanded + part.expanded * size, map,
                        stacks + part.stack * sum_size(run.type), first > 0);
    }
  });
  if (plan.stacked) unstack_gradient(p, plan.layout, space.stacks, grad_mixing, run.type, run.stream);
}

}  // namespace scdcf::ops::cuda
