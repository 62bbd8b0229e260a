// Two layers that know about scale, and how far they are from being equivariant.
#include <scdcf/scdcf.h>
#include <torch/torch.h>

#include <iostream>

int main() {
  using namespace scdcf::nn;
  const scdcf::basis::ScaleGrid grid(5, 0.25, 5.0);  // five scales over one octave: filters 5 to 10 pixels wide
  torch::nn::Sequential net(LiftingConv(LiftingConvOptions(1, 8, grid)), torch::nn::ReLU(),
                            JointConv(JointConvOptions(8, 16, grid).scale_taps(3)), torch::nn::ReLU());
  const auto line = torch::exp(-torch::linspace(-4, 4, 64).square());
  const auto images = line.outer(line).expand({4, 1, 64, 64});  // a blob on each of four images
  std::cout << "features " << net->forward(images).sizes() << " [N, C, S, H, W]\n";
  for (const auto& layer : scdcf::theory::layerwise_equivariance_error(net, images, {0.25}, grid.step()))
    std::cout << "enlarged by 2^0.25, error at the coarsest scale " << layer.per_scale.back() << " after "
              << layer.layer << '\n';
}
