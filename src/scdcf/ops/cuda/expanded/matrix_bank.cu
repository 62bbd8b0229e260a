#include "scdcf/ops/cuda/expanded/matrix_bank.h"

#include <algorithm>

#include "scdcf/ops/cuda/machine/matrix_tiles.cuh"

namespace scdcf::ops::cuda {
namespace {

struct BankFactors {
  int radius[kMaxScales], offset[kMaxScales];  // of the factors of each scale
};

/// One block per (scale, tile, factor). Beyond the matrix is zero.
__global__ void build_kernel(const __grid_constant__ MatrixBank b, const __grid_constant__ BankFactors f,
                             const float* factors, uint32_t* words) {
  int rest = static_cast<int>(blockIdx.x);
  const int factor = take_digit(rest, b.factors), index = take_digit(rest, b.tiles), scale = rest;
  const int radius = f.radius[scale], pairs = b.step / 8;  // numbers of a word
  const LineSpan targets = b.targets_of(radius, index), sources = b.sources_of(radius, index);
  const LineOperator op{b.axis, radius};
  const float* taps = factors + f.offset[scale] + factor * (2 * radius + 1);
  uint32_t* out = words + b.at(scale, index, factor) * 4;
  for (int i = threadIdx.x; i < b.fragments() * 4; i += blockDim.x) {
    const int r = i % 4, lane = i / 4 % 32, fragment = i / 128;
    const int row_tile = fragment / b.steps, step = fragment % b.steps;
    const int target = row_tile * 16 + lane / 4 + r % 2 * 8;
    float w[2] = {0, 0};
    for (int n = 0; n < pairs; ++n) {
      const int source = step * b.step + (lane % 4 + r / 2 * 4) * pairs + n;
      if (target >= targets.count || source >= sources.count) continue;
      w[n] = b.transposed ? op.weight(taps, sources.begin + source, targets.begin + target)
                          : op.weight(taps, targets.begin + target, sources.begin + source);
    }
    out[i] = pairs == 2 ? pack_bf16(w[0], w[1]) : round_tf32(w[0]);
  }
}

}  // namespace

MatrixBank make_matrix_bank(const DeviceProblem& p, bool row, bool tiled_inputs, bool transposed, int tile,
                            DataType type) {
  MatrixBank b{};
  b.axis = row ? p.x_axis() : p.y_axis();
  b.tiled_inputs = tiled_inputs, b.transposed = transposed;
  b.factors = row ? p.row_modes : p.column_modes;
  b.step = 32 / element_size(type);
  b.tile = tile, b.tiles = static_cast<int>(divide_up(tiled_inputs ? b.axis.in : b.axis.out, tile));
  for (int i = 0; i < b.tiles; ++i) {
    const int radius = p.max_radius();
    b.row_tiles = std::max(b.row_tiles, static_cast<int>(divide_up(b.targets_of(radius, i).count, 16)));
    b.steps = std::max(b.steps, static_cast<int>(divide_up(b.sources_of(radius, i).count, b.step)));
  }
  return b;
}

void build_matrix_bank(const DeviceProblem& p, const MatrixBank& bank, bool row, const float* factors, uint4* fragments,
                       cudaStream_t stream) {
  BankFactors f{};
  for (int s = 0; s < p.scale_count; ++s) {
    f.radius[s] = p.scales[s].radius;
    f.offset[s] = row ? p.scales[s].row_offset : p.scales[s].column_offset;
  }
  launch(build_kernel, int64_t(p.scale_count) * bank.tiles * bank.factors, 256, 0, stream, bank, f, factors,
         reinterpret_cast<uint32_t*>(fragments));
}

}  // namespace scdcf::ops::cuda
