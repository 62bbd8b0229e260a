#include "scdcf/ops/cuda/norm/norm_relu_pool.h"

#include "scdcf/core/error.h"
#include "scdcf/ops/cuda/norm/norm_launch.h"

namespace scdcf::ops::cuda {
namespace {

NormSpace split(const NormPoolProblem& p, void* workspace) {
  auto* parts = static_cast<double*>(workspace);
  return {parts, parts + p.channels * 2 * kMostChunks};
}

void check_sizes(const NormPoolProblem& p) {
  require(p.pixels() <= kMostNormPixels && p.outputs() <= kMostNormPixels, "norm_relu_pool: input: got ", p.pixels(),
          " pixels, expected at most ", kMostNormPixels, " on a GPU");
}

}  // namespace

size_t norm_workspace(const NormPoolProblem& p) {
  return static_cast<size_t>(p.channels) * (2 * kMostChunks + kNormCoefficients) * sizeof(double);
}

void norm_relu_pool(const NormPoolProblem& p, const NormSettings& settings, const NormForward& a, void* workspace,
                    DataType type, cudaStream_t stream) {
  check_sizes(p);
  if (p.channels == 0) return;
  const NormSpace space = split(p, workspace);
  const bool measure = settings.training && p.pixels() > 0;
  const int chunks = measure ? sum_statistics(p, a.x, space.parts, type, stream) : 0;
  finish_statistics(p, settings, a, space, chunks, type, stream);
  if (p.pixels() > 0) map_forward(p, a.x, space.coefficients, a.y, type, stream);
}

void norm_relu_pool_backward(const NormPoolProblem& p, bool training, const NormBackward& a, void* workspace,
                             DataType type, cudaStream_t stream) {
  check_sizes(p);
  if (p.channels == 0) return;
  const NormSpace space = split(p, workspace);
  const int chunks = p.pixels() > 0 ? sum_gradients(p, a, space.parts, type, stream) : 0;
  finish_gradients(p, training, a, space, chunks, type, stream);
  if (a.grad_x != nullptr && p.pixels() > 0) map_backward(p, a.x, space.coefficients, a.grad_y, a.grad_x, type, stream);
}

}  // namespace scdcf::ops::cuda
