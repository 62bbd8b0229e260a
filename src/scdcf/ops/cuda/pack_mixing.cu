// Mixing matrices in the order in which the lanes of the fused kernel read them, so that the operand goes from L2
// straight to registers, 16 bytes per lane: [mixing][wide][chunk][first mode][step][pair of column tiles][lane][4
// words].
#include "scdcf/ops/cuda/fused.h"
#include "scdcf/ops/cuda/line_pass.cuh"

namespace scdcf::ops::cuda {
namespace {

struct PackParams {
  int modes_first, modes_second, chunks, wide, wides, tiles, channels_source, channels_target, mode_count;
  int64_t source_step, target_step;         // of mixing[k] by source and by target channel
  int16_t index[kMaxFactors][kMaxFactors];  // [first][second] -> k or -1
};

template <class T, bool exact>
__global__ void pack_kernel(const PackParams p, const float* mixing, uint32_t* packed, int64_t count) {
  const int64_t word = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (word >= count) return;
  constexpr int step_size = 32 / sizeof(T);
  int64_t rest = word;
  const int r = take_digit(rest, 4);
  const int lane = take_digit(rest, 32);
  const int tile = take_digit(rest, p.tiles / 2) * 2 + r / 2;
  const int step = take_digit(rest, kChunk / step_size);
  const int f = take_digit(rest, p.modes_first);
  const int chunk = take_digit(rest, p.chunks);
  const int wide = rest % p.wides;
  const int64_t m = rest / p.wides;
  const int column = tile * 8 + lane / 4, g = column / p.wide, target = wide * p.wide + column % p.wide;
  const int k = g < p.modes_second && target < p.channels_target ? p.index[f][g] : -1;
  const auto value = [&](int i) {  // element i of the step's reduction index
    const int source = chunk * kChunk + step * step_size + i;
    if (k < 0 || source >= p.channels_source) return 0.0f;
    const int64_t matrix = (m * p.mode_count + k) * p.channels_source * p.channels_target;
    return mixing[matrix + source * p.source_step + target * p.target_step];
  };
  if constexpr (sizeof(T) == 2) {
    const int i = lane % 4 * 2 + r % 2 * 8;
    packed[word] = pack_bf16(value(i), value(i + 1));
  } else {
    packed[word] = float_to_bits(operand<exact>(value(lane % 4 + r % 2 * 4)));
  }
}

}  // namespace

void pack_mixing(const DeviceProblem& p, const FusedPlan& plan, bool forward, const float* mixing, uint32_t* packed,
                 DataType type, Precision precision, cudaStream_t stream) {
  PackParams q{};
  q.modes_first = plan.first.modes, q.modes_second = plan.second.modes;
  q.chunks = plan.chunks, q.wide = plan.wide, q.wides = plan.wides, q.tiles = plan.warps_n * kColumnTiles;
  q.channels_source = plan.source_channels, q.channels_target = plan.target_channels;
  q.mode_count = p.mode_count;
  q.source_step = forward ? p.out_channels : 1, q.target_step = forward ? 1 : p.out_channels;
  for (auto& row : q.index)
    for (auto& k : row) k = -1;
  for (int k = 0; k < p.mode_count; ++k) {
    const int row = p.modes[k].row, column = p.modes[k].column;
    q.index[forward ? row : column][forward ? column : row] = static_cast<int16_t>(k);
  }
  const int64_t count = plan.packed_words(p.mixings, type == DataType::bfloat16 ? 2 : 4),
                blocks = divide_up(count, 256);
  if (type == DataType::bfloat16)
    launch(pack_kernel<bf16, false>, blocks, 256, 0, stream, q, mixing, packed, count);
  else if (precision == Precision::tf32)
    launch(pack_kernel<float, false>, blocks, 256, 0, stream, q, mixing, packed, count);
  else
    launch(pack_kernel<float, true>, blocks, 256, 0, stream, q, mixing, packed, count);
}

}  // namespace scdcf::ops::cuda
