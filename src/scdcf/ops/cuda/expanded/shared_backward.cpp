#include "scdcf/ops/cuda/expanded/shared_backward.h"

#include <algorithm>

#include "scdcf/ops/cuda/expanded/products.h"
#include "scdcf/ops/cuda/expanded/shared_maps.h"
#include "scdcf/ops/cuda/machine/device_limits.h"

namespace scdcf::ops::cuda {
namespace {

/// Whether every scale has its planes through different matrices.
bool reads_apart(const DeviceProblem& p) {
  for (int s = 0; s < p.scale_count; ++s)
    for (int e = p.scales[s].source_begin; e < p.scales[s].source_end; ++e)
      for (int other = p.scales[s].source_begin; other < e; ++other)
        if (p.sources[e].mixing == p.sources[other].mixing) return false;
  return true;
}

bool reads_own_plane(const DeviceProblem& p) {
  if (p.mixings != 1 || p.planes != p.scale_count) return false;
  for (int s = 0; s < p.scale_count; ++s) {
    const ScaleEntry& scale = p.scales[s];
    if (scale.source_end - scale.source_begin != 1 || p.sources[scale.source_begin].plane != s) return false;
  }
  return true;
}

}  // namespace

DeviceProblem mirrored(const DeviceProblem& p) {
  DeviceProblem m = p;
  m.mirrored = !p.mirrored;
  std::swap(m.in_channels, m.out_channels), std::swap(m.in_height, m.out_height), std::swap(m.in_width, m.out_width);
  m.planes = m.source_count = p.scale_count, m.mixings = 1;
  for (int s = 0; s < p.scale_count; ++s) {
    m.scales[s].source_begin = s, m.scales[s].source_end = s + 1;
    m.sources[s] = {s, 0};
  }
  return m;
}

bool plan_shared(const DeviceProblem& p, DataType type, Precision precision, SharedPlan& plan) {
  plan = {};
  if (!passes_are_products(type, precision) || !reads_apart(p)) return false;
  plan.mirror = mirrored(p);
  plan.layout = make_expanded_layout(plan.mirror);
  plan.passes = plan_passes(plan.mirror, type, precision, false);
  const int64_t size = element_size(type), columns = int64_t(p.mixings) * p.in_channels,
                image_bytes = plan.layout.image_numbers * size,
                pixels = int64_t(p.scale_count) * p.in_height * p.in_width;
  plan.images = images_of_chunk(p.batch, image_bytes);
  plan.direct = reads_own_plane(p);
  plan.expanded_bytes = aligned(plan.images * image_bytes);
  plan.matrix_bytes = aligned(columns * p.mode_count * p.out_channels * size);
  plan.sums_bytes = aligned(columns * p.mode_count * p.out_channels * sum_size(type));
  plan.gathered_bytes = plan.direct ? 0 : aligned(plan.images * pixels * columns * size);
  return true;
}

void shared_backward(const DeviceProblem& p, const SharedPlan& plan, const void* in, const void* factors,
                     const void* mixing, const void* grad_out, void* grad_in, void* grad_mixing, void* workspace,
                     const ExpandedRun& run) {
  char* expanded = static_cast<char*>(workspace);
  char* matrices = expanded + plan.expanded_bytes;
  char* sums = matrices + plan.matrix_bytes;
  char* gathered = sums + plan.sums_bytes;
  const Products products(run.blas, run.type, run.precision);
  const PassRunner passes(plan.mirror, plan.passes, factors, gathered + plan.gathered_bytes, run.type, run.stream);
  turn_mixing(p, static_cast<const float*>(mixing), matrices, run.type, run.stream);
  const int64_t image_pixels = int64_t(p.in_height) * p.in_width, depth = int64_t(p.mode_count) * p.out_channels,
                columns = int64_t(p.mixings) * p.in_channels;
  for (int first = 0; first < p.batch; first += plan.images) {
    const int images = std::min(plan.images, p.batch - first);
    const int64_t rows = images * p.scale_count * image_pixels,
                  begin = first * p.planes * image_pixels * p.in_channels * element_size(run.type);
    const char* maps = static_cast<const char*>(in) + begin;
    char* grads = static_cast<char*>(grad_in) + begin;
    passes.expand(plan.layout.places(plan.mirror, images), grad_out, expanded, first, images);
    products.forward(rows, depth, columns, expanded, matrices, plan.direct ? grads : gathered, 1, 0);
    if (!plan.direct) {
      add_planes(p, gathered, grads, images, run.type, run.stream);
      gather_planes(p, maps, gathered, images, run.type, run.stream);
    }
    products.gradient(rows, depth, columns, expanded, plan.direct ? maps : gathered, sums, first > 0);
  }
  turn_gradient(p, reinterpret_cast<const float*>(sums), static_cast<float*>(grad_mixing), run.stream);
}

}  // namespace scdcf::ops::cuda
