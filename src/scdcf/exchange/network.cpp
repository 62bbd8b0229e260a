#include "scdcf/exchange/network.h"

#include <array>

#include "scdcf/core/error.h"

namespace scdcf::exchange {

Function pictures_to_answers(const std::shared_ptr<models::Network>& network, const Surroundings& surroundings) {
  const auto per_channel = [](const std::vector<double>& values) {
    return torch::tensor(values, torch::kDouble).view({1, -1, 1, 1});
  };
  const auto factor = per_channel(surroundings.deviation).reciprocal();
  const auto offset = -per_channel(surroundings.mean) * factor;
  return [=, size_factor = surroundings.size_factor](const torch::Tensor& images) -> std::vector<torch::Tensor> {
    const auto normalised = images * factor.to(images.scalar_type()) + offset.to(images.scalar_type());
    const auto reading = network->read(normalised);
    if (!reading) return {network->forward(normalised)};
    return {reading->scores, size_factor == 1 ? reading->size : reading->size * size_factor, reading->beyond};
  };
}

Graph trace_network(const std::shared_ptr<models::Network>& network, const Surroundings& surroundings,
                    const torch::Tensor& example) {
  require(example.dim() == 4 && static_cast<size_t>(example.size(1)) == surroundings.mean.size() &&
              surroundings.mean.size() == surroundings.deviation.size(),
          "trace_network: got images ", example.sizes(), " with ", surroundings.mean.size(), " means and ",
          surroundings.deviation.size(), " deviations, expected one of each for every channel");
  const auto function = pictures_to_answers(network, surroundings);
  const torch::NoGradGuard no_grad;
  const size_t outputs = function(example).size();
  static const std::array<const char*, 3> names = {"scores", "size", "beyond"};
  return trace(*network, function, example, {names.begin(), names.begin() + outputs});
}

double relative_difference(const torch::Tensor& expected, const torch::Tensor& got) {
  require(expected.sizes() == got.sizes(), "relative_difference: got shape ", got.sizes(), ", expected ",
          expected.sizes());
  const auto difference = (expected.to(torch::kDouble) - got.to(torch::kDouble)).abs().max().item<double>();
  return difference == 0 ? 0 : difference / expected.abs().max().to(torch::kDouble).item<double>();
}

}  // namespace scdcf::exchange
