#include "scdcf/ops/cuda/line_bank.h"

#include <algorithm>

#include "scdcf/ops/cuda/matrix_tiles.cuh"

namespace scdcf::ops::cuda {
namespace {

struct BankParams {
  LineBank bank;
  int radius[kMaxScales], offset[kMaxScales];  // of the factors of each scale
};

/// One block per (scale, tile, group). Pads are zero.
__global__ void build_kernel(const __grid_constant__ BankParams p, const float* factors, float* fragments) {
  const LineBank& b = p.bank;
  const int mode_group = blockIdx.x % b.groups, tile = blockIdx.x / b.groups % b.tiles,
            scale = blockIdx.x / b.groups / b.tiles;
  const int radius = p.radius[scale], steps = b.steps(), total = b.fragments() * 4;
  const LineSpan targets = b.targets_of(tile), sources = b.reach(radius, tile);
  const LineOperator op{b.axis, radius};
  float* out = fragments + b.at(scale, tile, mode_group) * 4;
  for (int i = threadIdx.x; i < total; i += blockDim.x) {
    const int r = i % 4, lane = i / 4 % 32, step = i / 128 % steps, row = i / 128 / steps * 16 + lane / 4 + r % 2 * 8;
    const int pitch = b.own_tiles ? 16 : b.tile;  // rows of a mode
    const int in_group = b.sum_modes ? step / b.depth : row / pitch, t = b.sum_modes ? row : row - in_group * pitch;
    const int mode = mode_group * b.group + in_group, source = step % b.depth * 8 + lane % 4 + r / 2 * 4;
    float w = 0;
    if (in_group < b.group && mode < b.modes && t < targets.count && source < sources.count) {
      const float* taps = factors + p.offset[scale] + mode * (2 * radius + 1);
      w = b.transposed ? op.weight(taps, sources.begin + source, targets.begin + t)
                       : op.weight(taps, targets.begin + t, sources.begin + source);
    }
    out[i] = operand<false>(w);
  }
}

}  // namespace

LineBank make_bank(const DeviceProblem& p, bool row, bool transposed, bool sum_modes, int group) {
  LineBank b{};
  b.axis = row ? p.x_axis() : p.y_axis();
  b.transposed = transposed, b.sum_modes = sum_modes;
  b.modes = row ? p.row_modes : p.column_modes;
  b.groups = static_cast<int>(divide_up(b.modes, group));
  b.group = static_cast<int>(divide_up(b.modes, b.groups));
  return b;
}

int LineBank::set_tile(int targets, int max_radius) {
  tile = targets, tiles = static_cast<int>(divide_up(size(), tile));
  int widest = 1;
  for (int t = 0; t < tiles; ++t) widest = std::max(widest, reach(max_radius, t).count);
  depth = static_cast<int>(divide_up(widest, 8));
  return widest;
}

void build_bank(const DeviceProblem& p, const LineBank& bank, bool row, const float* factors, float4* fragments,
                cudaStream_t stream) {
  BankParams q{bank, {}, {}};
  for (int s = 0; s < p.scale_count; ++s) {
    q.radius[s] = p.scales[s].radius;
    q.offset[s] = row ? p.scales[s].row_offset : p.scales[s].column_offset;
  }
  const int64_t blocks = int64_t(p.scale_count) * bank.tiles * bank.groups;
  auto* out = reinterpret_cast<float*>(fragments);
  launch(build_kernel, blocks, 256, 0, stream, q, factors, out);
}

}  // namespace scdcf::ops::cuda
