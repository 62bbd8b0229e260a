// A trained network made ready for a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scdcf/runs/run_folder.h"

namespace scdcf::explore {

/// What a network computes of images on the way to its scores: outputs of a graph, with names.
struct LookInside {
  std::vector<std::string> names;
  std::vector<torch::Tensor> outputs;
};
/// "scores" [N, classes]; where it scores every plane, "planes" [N, classes, S]; then the maps of its layers, plane by
/// plane or all planes in one.
LookInside look_inside(models::Network& network, const torch::Tensor& images);

struct ShownNetwork {
  std::string onnx;              ///< of look_inside, for one image
  nlohmann::ordered_json about;  ///< what page/networks.js wants to know of it
};
ShownNetwork show_network(const runs::TrainedModel& model, const std::string& name);

}  // namespace scdcf::explore
