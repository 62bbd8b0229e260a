#include "scdcf/explore/shown_network.h"

#include <torch/torch.h>

#include "scdcf/core/format.h"
#include "scdcf/exchange/onnx.h"
#include "scdcf/exchange/trace.h"
#include "scdcf/explore/pictures.h"
#include "scdcf/models/registry.h"

namespace scdcf::explore {
namespace {

std::string output_name(const std::string& layer, size_t plane) { return layer + format(", plane %zu", plane + 1); }

torch::Tensor example_of(const models::ModelOptions& options) {
  return torch::zeros({2, options.in_channels, options.image_size, options.image_size});
}

/// {"name": "block 1", "maps": [its outputs]} for every layer.
nlohmann::ordered_json layers_of(models::Network& network, const torch::Tensor& image) {
  auto layers = nlohmann::ordered_json::array();
  const auto planes = network.planes(image);
  if (planes.empty()) {
    for (const auto& layer : network.features(image))
      if (layer.maps.dim() >= 4) layers.push_back({{"name", layer.layer}, {"maps", {layer.layer}}});
    return layers;
  }
  for (const auto& layer : planes.front().maps) {
    auto maps = nlohmann::ordered_json::array();
    for (size_t s = 0; s < planes.size(); ++s) maps.push_back(output_name(layer.layer, s));
    layers.push_back({{"name", layer.layer}, {"maps", maps}});
  }
  return layers;
}

/// The size of the objects at home at each plane, in the units of the data, and the part of the image that it sees.
nlohmann::ordered_json planes_of(const runs::TrainedModel& model, const torch::Tensor& image) {
  const double read = model.calibration ? model.calibration->estimate(0) : 1;
  auto json = nlohmann::ordered_json::array();
  for (const auto& plane : model.network->planes(image))
    json.push_back({{"size", plane.home_size * read}, {"seen", plane.seen}});
  return json;
}

}  // namespace

LookInside look_inside(models::Network& network, const torch::Tensor& images) {
  LookInside look;
  const auto add = [&](const std::string& name, const torch::Tensor& output) {
    look.names.push_back(name);
    look.outputs.push_back(output);
  };
  const auto planes = network.planes(images);
  if (planes.empty()) {
    add("scores", network.forward(images));
    for (const auto& layer : network.features(images))
      if (layer.maps.dim() >= 4) add(layer.layer, layer.maps);
    return look;
  }
  std::vector<torch::Tensor> scores;
  for (const auto& plane : planes) scores.push_back(plane.scores);
  const auto all = torch::stack(scores, 2);
  add("scores", all.amax(2));
  add("planes", all);
  for (size_t layer = 0; layer < planes.front().maps.size(); ++layer)
    for (size_t s = 0; s < planes.size(); ++s)
      add(output_name(planes[s].maps[layer].layer, s), planes[s].maps[layer].maps);
  return look;
}

ShownNetwork show_network(const runs::TrainedModel& model, const std::string& name) {
  const torch::NoGradGuard no_grad;
  const auto& options = model.config.model;
  auto& network = *model.network;
  const auto image = example_of(options);
  const auto names = look_inside(network, image).names;
  const auto graph = exchange::trace(
      network, [&](const torch::Tensor& images) { return look_inside(network, images).outputs; }, image, names);
  ShownNetwork shown;
  shown.onnx = exchange::to_onnx(graph);
  auto factor = nlohmann::ordered_json::array(), offset = nlohmann::ordered_json::array();
  for (size_t c = 0; c < model.mean.size(); ++c) {  // as train::DeviceImages has it
    factor.push_back(static_cast<float>(1 / (255 * model.deviation[c])));
    offset.push_back(static_cast<float>(-model.mean[c] / model.deviation[c]));
  }
  const auto sizes = trained_sizes(model);
  const auto layers = layers_of(network, image);
  const bool placed = !layers.empty() && layers.back().at("name") == "scores";
  shown.about = {{"name", name},
                 {"side", options.image_size},
                 {"channels", options.in_channels},
                 {"factor", factor},
                 {"offset", offset},
                 {"step", network.scale_step()},
                 {"unit", sizes.middle()},
                 {"trained", sizes.known ? nlohmann::ordered_json({sizes.smallest, sizes.largest}) : nullptr},
                 {"planes", planes_of(model, image)},
                 {"layers", layers},
                 {"places", placed ? layers.back().at("maps") : nlohmann::ordered_json::array()}};
  return shown;
}

}  // namespace scdcf::explore
