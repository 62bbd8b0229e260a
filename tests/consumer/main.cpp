#include <torch/torch.h>

#include <iostream>

#include "scdcf/scdcf.h"

int main() {
  using namespace scdcf::nn;
  const scdcf::basis::ScaleGrid grid(3, 0.5, 4.0);
  torch::nn::Sequential network(LiftingConv(LiftingConvOptions(1, 4, grid).modes(8)), torch::nn::ReLU(),
                                JointConv(JointConvOptions(4, 5, grid).modes(8).scale_taps(2)));
  const auto features = network->forward(torch::rand({2, 1, 16, 12}));
  std::cout << "scdcf " << scdcf::version() << ": features " << features.sizes() << '\n';
  return features.sizes() == torch::IntArrayRef({2, 5, 3, 16, 12}) ? 0 : 1;
}
