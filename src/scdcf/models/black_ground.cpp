#include "scdcf/models/black_ground.h"

#include <torch/torch.h>

namespace scdcf::models {

BlackGround::BlackGround(bool kept, const torch::Tensor& frames, bool training)
    : kept_(kept), training_(training), count_(frames.size(0)), frames_(frames) {
  if (kept_ && training_) frames_ = torch::cat({frames, torch::zeros_like(frames.narrow(0, 0, 1))});
}

torch::Tensor BlackGround::removed(const torch::Tensor& maps, const nn::NormReluPoolImpl& end) const {
  if (!kept_) return maps;
  // Black was zero before the convolution and so after it, everywhere: one pixel of it stands for all.
  if (training_) return maps - maps.narrow(0, count_, 1).narrow(-2, 0, 1).narrow(-1, 0, 1);
  const auto scale = end.weight / torch::sqrt(end.running_var + end.options.eps());
  std::vector<int64_t> shape(static_cast<size_t>(maps.dim()), 1);
  shape[1] = maps.size(1);
  return maps - torch::relu(end.bias - end.running_mean * scale).to(maps.scalar_type()).view(shape);
}

}  // namespace scdcf::models
