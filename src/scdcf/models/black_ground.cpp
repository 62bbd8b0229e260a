#include "scdcf/models/black_ground.h"

#include <torch/torch.h>

namespace scdcf::models {
namespace {

/// maps - maps[black, :, ..., 0, 0]. Its derivative in three operations, where that of the pieces makes the whole maps
/// anew for each of them.
struct LessBlack : torch::autograd::Function<LessBlack> {
  static torch::Tensor pixel_of(const torch::Tensor& maps, int64_t black) {
    return maps.narrow(0, black, 1).narrow(-2, 0, 1).narrow(-1, 0, 1);
  }
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& maps, int64_t black) {
    context->saved_data["black"] = black;
    return maps - pixel_of(maps, black);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto& gradient = gradients[0];
    auto of_maps = gradient.clone();
    pixel_of(of_maps, context->saved_data["black"].toInt()).sub_(gradient.sum({0, -2, -1}, /*keepdim=*/true));
    return {of_maps, torch::Tensor()};
  }
};

}  // namespace

BlackGround::BlackGround(bool kept, const torch::Tensor& frames, bool training)
    : kept_(kept), training_(training), count_(frames.size(0)), frames_(frames) {
  if (kept_ && training_) frames_ = torch::cat({frames, torch::zeros_like(frames.narrow(0, 0, 1))});
}

torch::Tensor BlackGround::removed(const torch::Tensor& maps, const nn::NormReluPoolImpl& end) const {
  if (!kept_) return maps;
  // Black was zero before the convolution and so after it, everywhere: one pixel of it stands for all.
  if (training_) return LessBlack::apply(maps, count_);
  const auto scale = end.weight / torch::sqrt(end.running_var + end.options.eps());
  std::vector<int64_t> shape(static_cast<size_t>(maps.dim()), 1);
  shape[1] = maps.size(1);
  return maps - torch::relu(end.bias - end.running_mean * scale).to(maps.scalar_type()).view(shape);
}

}  // namespace scdcf::models
